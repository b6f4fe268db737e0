#include "api/backup/restore_table_from_backup.h"

#include <memory>

#include "api/backup/messages.h"
#include "api/backup/restore.h"
#include "api/backup/row_copy.h"
#include "api/request/arn.h"
#include "api/table/backup_lookup.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

absl::Status CheckMayBeRestored(const OperationContext& context, const BackupMeta& backup) {
  if (BackupStatusAt(backup, context.clock->Now()) != BackupStatus::kCreating)
    return absl::OkStatus();
  return MakeError(ErrorKind::kBackupInUse, messages::BackupInUse());
}

}  // namespace

absl::StatusOr<TableDescription> RestoreTableFromBackup(
    const OperationContext& context, const RestoreTableFromBackupRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const BackupMeta> backup,
                            FindBackup(context, request.backup_arn));
  DYNOLITH_RETURN_IF_ERROR(CheckMayBeRestored(context, *backup));
  // From here on the backup cannot be deleted.
  const auto lease = context.catalog->LeaseBackup(backup->table.schema.name, backup->id);
  if (absl::IsNotFound(lease.status())) return BackupNotFound(request.backup_arn);

  const Restore restore = {
      .target_table_name = request.target_table_name,
      .overrides = ToRestoreOverrides(request),
      .source = backup->table,
      .summary = {.source_backup_arn = MakeBackupArn(context, *backup),
                  .source_table_arn = TableArn(context, backup->table.schema.name),
                  .restored = backup->created}};
  return RestoreTable(context, restore, [&](StorageId target) {
    RowLoader loader(context, target);
    const std::shared_ptr<const Snapshot> snapshot = context.store->TakeSnapshot();
    DYNOLITH_RETURN_IF_ERROR(
        CopyRows(RowsToCopy(context.store, *snapshot), backup->rows_id, &loader));
    DYNOLITH_RETURN_IF_ERROR(loader.Finish());
    if (context.store->shared() == nullptr) return absl::OkStatus();
    // Another process may have deleted the backup, and with it rows that were not copied yet.
    DYNOLITH_RETURN_IF_ERROR(context.catalog->CatchUp());
    return FindBackup(context, request.backup_arn).status();
  });
}

}  // namespace dynolith
