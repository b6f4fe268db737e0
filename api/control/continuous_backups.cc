#include "api/control/continuous_backups.h"

#include "api/control/messages.h"
#include "api/table/table_description.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/table_states.h"
#include "engine/history/history.h"

namespace dynolith {
namespace {

absl::Status NotFound(const std::string& table_name) {
  return MakeError(ErrorKind::kTableNotFound, messages::BackupTableNotFound(table_name));
}

absl::Time HistoryTime(const OperationContext& context) {
  return context.history != nullptr ? context.history->Now() : context.clock->Now();
}

ContinuousBackupsDescription MakeContinuousBackupsDescription(const TableMeta& meta,
                                                              absl::Time now) {
  ContinuousBackupsDescription description;
  description.continuous_backups_status = meta.status != TableStatus::kCreating
                                              ? ContinuousBackupsStatus::kEnabled
                                              : ContinuousBackupsStatus::kDisabled;
  PointInTimeRecoveryDescription& shown = description.point_in_time_recovery_description.emplace();
  shown.point_in_time_recovery_status = PointInTimeRecoveryStatus::kDisabled;
  if (const auto& recovery = meta.point_in_time_recovery) {
    const RestorableTimes times = FindRestorableTimes(*recovery, now);
    shown = {.point_in_time_recovery_status = PointInTimeRecoveryStatus::kEnabled,
             .recovery_period_in_days = recovery->recovery_period_in_days,
             .earliest_restorable_date_time = times.earliest,
             .latest_restorable_date_time = times.latest};
  }
  return description;
}

absl::Status CheckRequest(const UpdateContinuousBackupsRequest& request) {
  const PointInTimeRecoverySpecification& wanted = request.point_in_time_recovery_specification;
  if (!wanted.point_in_time_recovery_enabled && wanted.recovery_period_in_days) {
    return ValidationError(messages::RecoveryPeriodWithoutRecovery());
  }
  return absl::OkStatus();
}

void Switch(const PointInTimeRecoverySpecification& wanted, absl::Time now,
            std::optional<PointInTimeRecovery>* recovery) {
  if (!wanted.point_in_time_recovery_enabled) return recovery->reset();
  if (!*recovery) *recovery = PointInTimeRecovery{now, kRecoveryPeriodDaysMax};
  if (!wanted.recovery_period_in_days) return;
  // What the old period has left out is gone, even if the new one is longer.
  (*recovery)->enabled = FindRestorableTimes(**recovery, now).earliest;
  (*recovery)->recovery_period_in_days = *wanted.recovery_period_in_days;
}

}  // namespace

absl::StatusOr<std::shared_ptr<Table>> FindBackedUpTable(const OperationContext& context,
                                                         const std::string& name_or_arn) {
  auto table = FindTable(context, name_or_arn);
  const bool missing = !table.ok() && KindOf(table.status()) == ErrorKind::kResourceNotFound;
  if (missing || (table.ok() && (*table)->meta()->status == TableStatus::kDeleting)) {
    return NotFound(name_or_arn);
  }
  return table;
}

absl::StatusOr<ContinuousBackupsDescription> DescribeContinuousBackups(
    const OperationContext& context, const DescribeContinuousBackupsRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindBackedUpTable(context, request.table_name));
  return MakeContinuousBackupsDescription(*table->meta(), HistoryTime(context));
}

absl::StatusOr<ContinuousBackupsDescription> UpdateContinuousBackups(
    const OperationContext& context, const UpdateContinuousBackupsRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(CheckRequest(request));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindBackedUpTable(context, request.table_name));
  absl::Time now;
  WriteBatch batch;
  // Under the table's gate: every write has been recorded before it is switched off, and is from
  // `now` on.
  const auto change = [&](TableMeta* meta) -> absl::Status {
    now = HistoryTime(context);
    if (meta->status == TableStatus::kCreating) {
      return MakeError(ErrorKind::kContinuousBackupsUnavailable,
                       messages::BackupsBeingEnabled(meta->schema.name));
    }
    const bool was_on = meta->point_in_time_recovery.has_value();
    if (!was_on && context.history != nullptr) {
      DYNOLITH_ASSIGN_OR_RETURN(now, context.history->StartTime());
    }
    Switch(request.point_in_time_recovery_specification, now, &meta->point_in_time_recovery);
    const bool goes_off = was_on && !meta->point_in_time_recovery;
    if (goes_off && context.store->local() != nullptr) History::Forget(meta->schema.id, &batch);
    return absl::OkStatus();
  };
  DYNOLITH_ASSIGN_OR_RETURN(
      const std::shared_ptr<const TableMeta> meta,
      ChangeTable(context.catalog, table.get(), change, NotFound(request.table_name), &batch));
  return MakeContinuousBackupsDescription(*meta, now);
}

}  // namespace dynolith
