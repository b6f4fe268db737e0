// RestoreTableFromBackup (api/facts/operations.md §5.6).
#ifndef DYNOLITH_API_BACKUP_RESTORE_TABLE_FROM_BACKUP_H_
#define DYNOLITH_API_BACKUP_RESTORE_TABLE_FROM_BACKUP_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<TableDescription> RestoreTableFromBackup(
    const OperationContext& context, const RestoreTableFromBackupRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_BACKUP_RESTORE_TABLE_FROM_BACKUP_H_
