#include "api/backup/restore_table_to_point_in_time.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/backup/messages.h"
#include "api/backup/past_walk.h"
#include "api/backup/restore.h"
#include "api/backup/row_copy.h"
#include "api/control/continuous_backups.h"
#include "api/control/messages.h"
#include "api/request/arn.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/history/history.h"
#include "engine/history/past_items.h"

namespace dynolith {
namespace {

absl::Status CheckSourceAndTime(const RestoreTableToPointInTimeRequest& request) {
  if (request.source_table_arn.has_value() == request.source_table_name.has_value()) {
    return ValidationError(messages::OneRestoreSourceWanted());
  }
  const bool wants_latest = request.use_latest_restorable_time.value_or(false);
  if (wants_latest == request.restore_date_time.has_value()) {
    return ValidationError(messages::OneRestoreTimeWanted());
  }
  return absl::OkStatus();
}

absl::Status SourceNotFound(const std::string& name_or_arn) {
  return MakeError(ErrorKind::kTableNotFound, messages::BackupTableNotFound(name_or_arn));
}

// The time to restore to. Errors: PointInTimeRecoveryUnavailableException;
// InvalidRestoreTimeException.
absl::StatusOr<absl::Time> TimeToRestore(const OperationContext& context, const TableMeta& meta,
                                         const std::optional<absl::Time>& wanted) {
  if (!meta.point_in_time_recovery || context.history == nullptr) {
    return MakeError(ErrorKind::kPointInTimeRecoveryUnavailable,
                     messages::RecoveryNotEnabled(meta.schema.name));
  }
  const RestorableTimes times =
      FindRestorableTimes(*meta.point_in_time_recovery, context.history->Now());
  if (!wanted) return times.latest;
  if (times.earliest <= *wanted && *wanted <= times.latest) return *wanted;
  return MakeError(ErrorKind::kInvalidRestoreTime, messages::RestoreTimeOutsideWindow());
}

// The table as it is now, if it is still that one and has the past that is being restored. What its
// period does not reach any more is still there until it has moved the beginning of the recovery.
absl::StatusOr<FrozenTable> FreezePast(const OperationContext& context, const TableMeta& before,
                                       absl::Time time, const std::string& name_or_arn,
                                       FrozenPart part) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindBackedUpTable(context, name_or_arn));
  FrozenTable frozen = FreezeForPast(context, table.get(), part);
  if (frozen.meta->uuid != before.uuid || frozen.meta->status == TableStatus::kDeleting) {
    return SourceNotFound(name_or_arn);
  }
  const std::optional<PointInTimeRecovery>& recovery = frozen.meta->point_in_time_recovery;
  if (!recovery) {
    return MakeError(ErrorKind::kPointInTimeRecoveryUnavailable,
                     messages::RecoveryNotEnabled(frozen.meta->schema.name));
  }
  if (time < absl::FromUnixMillis(absl::ToUnixMillis(recovery->enabled))) {
    return MakeError(ErrorKind::kInvalidRestoreTime, messages::RestoreTimeOutsideWindow());
  }
  return frozen;
}

}  // namespace

absl::StatusOr<TableDescription> RestoreTableToPointInTime(
    const OperationContext& context, const RestoreTableToPointInTimeRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(CheckSourceAndTime(request));
  const std::string& name_or_arn =
      request.source_table_arn ? *request.source_table_arn : *request.source_table_name;
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindBackedUpTable(context, name_or_arn));
  DYNOLITH_ASSIGN_OR_RETURN(const absl::Time awaited,
                            TimeToRestore(context, *table->meta(), request.restore_date_time));
  DYNOLITH_RETURN_IF_ERROR(context.history->Await(awaited));
  // Again, of what is restored: the recovery may have been switched off and on meanwhile.
  FrozenTable frozen = FreezeForPast(context, table.get(), FrozenPart::kRowsToo);
  if (frozen.meta->status == TableStatus::kDeleting) return SourceNotFound(name_or_arn);
  DYNOLITH_ASSIGN_OR_RETURN(const absl::Time time, TimeToRestore(context, *frozen.meta, awaited));

  const std::string& name = frozen.meta->schema.name;
  const Restore restore = {
      .target_table_name = request.target_table_name,
      .overrides = ToRestoreOverrides(request),
      .source = *frozen.meta,
      .summary = {.source_table_arn = TableArn(context, name), .restored = time}};
  return RestoreTable(context, restore, [&](StorageId target) {
    RowLoader loader(context, target);
    const auto walk = [&](const Snapshot& snapshot, const KeyRange& rows, std::string* last) {
      return VisitItemsAt(snapshot, rows, time, [&](std::string_view row_key, ItemView item) {
        DYNOLITH_RETURN_IF_ERROR(loader.Put(row_key, item.bytes()));
        *last = row_key;
        return absl::OkStatus();
      });
    };
    const std::shared_ptr<const TableMeta> meta = frozen.meta;
    const auto freeze_again = [&](FrozenPart part) {
      return FreezePast(context, *meta, time, name_or_arn, part);
    };
    DYNOLITH_RETURN_IF_ERROR(
        WalkPast(context, std::move(frozen), RangeOfId(meta->schema.id), freeze_again, walk));
    return loader.Finish();
  });
}

}  // namespace dynolith
