#include "api/backup/backups.h"

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "api/backup/messages.h"
#include "api/backup/restore.h"
#include "api/backup/row_copy.h"
#include "api/control/messages.h"
#include "api/request/arn.h"
#include "api/table/backup_lookup.h"
#include "api/table/table_description.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/expired_backups.h"

namespace dynolith {
namespace {

absl::Status BackupInUse() { return MakeError(ErrorKind::kBackupInUse, messages::BackupInUse()); }

// --- Creating ---

absl::StatusOr<std::shared_ptr<Table>> FindTableToBackUp(const OperationContext& context,
                                                         const std::string& table_name) {
  auto table = FindTable(context, table_name);
  if (!table.ok() && KindOf(table.status()) == ErrorKind::kResourceNotFound) {
    return MakeError(ErrorKind::kTableNotFound, messages::BackupTableNotFound(table_name));
  }
  return table;
}

absl::Status CheckMayBeBackedUp(const TableMeta& meta) {
  const std::string& name = meta.schema.name;
  switch (meta.status) {
    case TableStatus::kCreating:
      return MakeError(ErrorKind::kTableInUse, messages::TableBeing("created", name));
    case TableStatus::kDeleting:
      return MakeError(ErrorKind::kTableInUse, messages::TableBeing("deleted", name));
    default:
      return absl::OkStatus();
  }
}

// --- Listing ---

bool IsOfType(BackupType type, BackupTypeFilter wanted) {
  switch (wanted) {
    case BackupTypeFilter::kUser:
      return type == BackupType::kUser;
    case BackupTypeFilter::kSystem:
      return type == BackupType::kSystem;
    case BackupTypeFilter::kAwsBackup:
      return type == BackupType::kAwsBackup;
    case BackupTypeFilter::kAll:
      break;
  }
  return true;
}

// `table`: the name that is asked for, if one is.
bool IsListed(const BackupMeta& backup, const ListBackupsRequest& request,
              const std::optional<std::string_view>& table, absl::Time now) {
  if (HasExpired(backup, now) || (table && backup.table.schema.name != *table)) return false;
  if (!IsOfType(backup.type, request.backup_type.value_or(BackupTypeFilter::kUser))) return false;
  if (request.time_range_lower_bound && backup.created < *request.time_range_lower_bound) {
    return false;
  }
  return !request.time_range_upper_bound || backup.created < *request.time_range_upper_bound;
}

// Whether it comes behind the one at which the last page has ended, which may be gone.
bool IsBehind(const BackupMeta& backup, const BackupName& start) {
  return std::tie(backup.id, backup.table.schema.name) > std::tie(start.id, start.table_name);
}

// The beginning of all lists, where no start is given.
absl::StatusOr<BackupName> BackupStart(const OperationContext& context,
                                       const ListBackupsRequest& request) {
  if (!request.exclusive_start_backup_arn) return BackupName();
  return ParseBackupArn(context, *request.exclusive_start_backup_arn);
}

// Another process may have dropped the table, and with it rows that were not copied yet.
absl::Status CheckIsStillThere(const OperationContext& context, const TableSchema& schema) {
  if (context.store->shared() == nullptr) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(context.catalog->CatchUp());
  const std::shared_ptr<Table> now = context.catalog->Find(schema.name);
  if (now != nullptr && now->meta()->schema.id == schema.id) return absl::OkStatus();
  return MakeError(ErrorKind::kTableNotFound, messages::BackupTableNotFound(schema.name));
}

}  // namespace

absl::StatusOr<BackupDetails> CreateBackup(const OperationContext& context,
                                           const CreateBackupRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindTableToBackUp(context, request.table_name));
  const FrozenTable frozen = Freeze(context, table.get());
  DYNOLITH_RETURN_IF_ERROR(CheckMayBeBackedUp(*frozen.meta));
  BackupMeta backup = NewBackup(context, *frozen.meta, request.backup_name);
  if (context.delays.create > absl::ZeroDuration()) {
    backup.status_until = backup.created + context.delays.create;
  }

  TableSchema rows;
  DYNOLITH_ASSIGN_OR_RETURN(const IdLease lease, context.catalog->LeaseNewIds(&rows));
  RowLoader loader(context, rows.id);
  DYNOLITH_RETURN_IF_ERROR(
      CopyRows(RowsToCopy(context.store, *frozen.snapshot), frozen.meta->schema.id, &loader));
  DYNOLITH_RETURN_IF_ERROR(loader.Finish());
  DYNOLITH_RETURN_IF_ERROR(CheckIsStillThere(context, frozen.meta->schema));
  backup.rows_id = rows.id;
  backup.item_count = loader.rows();
  backup.size_bytes = loader.billed_bytes();
  DYNOLITH_RETURN_IF_ERROR(context.catalog->AddBackup(backup));
  BackupDetails details = MakeBackupDetails(context, backup);
  details.backup_status = BackupStatus::kCreating;
  return details;
}

absl::StatusOr<BackupDescription> DescribeBackup(const OperationContext& context,
                                                 const DescribeBackupRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const BackupMeta> backup,
                            FindBackup(context, request.backup_arn));
  return MakeBackupDescription(context, *backup);
}

absl::StatusOr<BackupDescription> DeleteBackup(const OperationContext& context,
                                               const DeleteBackupRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const BackupMeta> backup,
                            FindBackup(context, request.backup_arn));
  BackupDescription description = MakeBackupDescription(context, *backup);
  BackupDetails& details = description.backup_details;
  if (backup->type == BackupType::kSystem) {
    return ValidationError(messages::SystemBackupDeleted(
        details.backup_arn,
        absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", *backup->expires, absl::UTCTimeZone())));
  }
  if (details.backup_status == BackupStatus::kCreating) return BackupInUse();
  DYNOLITH_ASSIGN_OR_RETURN(const bool is_being_restored,
                            IsBeingRestored(context, details.backup_arn));
  if (is_being_restored) return BackupInUse();
  const absl::Status dropped = context.catalog->DropBackup(backup->table.schema.name, backup->id);
  // Another thread restores it, or was faster.
  if (absl::IsFailedPrecondition(dropped)) return BackupInUse();
  if (absl::IsNotFound(dropped)) return BackupNotFound(request.backup_arn);
  DYNOLITH_RETURN_IF_ERROR(dropped);
  details.backup_status = BackupStatus::kDeleted;
  return description;
}

absl::StatusOr<ListBackupsOutput> ListBackups(const OperationContext& context,
                                              const ListBackupsRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const BackupName start, BackupStart(context, request));
  std::optional<std::string_view> table;
  if (request.table_name) {
    const auto name = ResolveTableName(context, *request.table_name);
    // Another account's table has no backups here either.
    if (!name.ok() && KindOf(name.status()) == ErrorKind::kResourceNotFound) {
      return ListBackupsOutput();
    }
    DYNOLITH_RETURN_IF_ERROR(name.status());
    table = *name;
  }
  const auto limit = static_cast<size_t>(request.limit.value_or(kBackupsPageMax));
  const absl::Time now = context.clock->Now();
  ListBackupsOutput output;
  for (const std::shared_ptr<const BackupMeta>& backup : context.catalog->Backups()) {
    if (!IsBehind(*backup, start) || !IsListed(*backup, request, table, now)) continue;
    if (output.backup_summaries.size() == limit) {
      output.last_evaluated_backup_arn = output.backup_summaries.back().backup_arn;
      break;
    }
    output.backup_summaries.push_back(MakeBackupSummary(context, *backup));
  }
  return output;
}

}  // namespace dynolith
