// CreateBackup, DescribeBackup, DeleteBackup and ListBackups (api/facts/operations.md §5.6).
#ifndef DYNOLITH_API_BACKUP_BACKUPS_H_
#define DYNOLITH_API_BACKUP_BACKUPS_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// Copies the present rows of the table, while writes continue, and returns when the backup is on
// the disk; as CREATING, as in the service. O(rows).
absl::StatusOr<BackupDetails> CreateBackup(const OperationContext& context,
                                           const CreateBackupRequest& request);
absl::StatusOr<BackupDescription> DescribeBackup(const OperationContext& context,
                                                 const DescribeBackupRequest& request);
absl::StatusOr<BackupDescription> DeleteBackup(const OperationContext& context,
                                               const DeleteBackupRequest& request);
absl::StatusOr<ListBackupsOutput> ListBackups(const OperationContext& context,
                                              const ListBackupsRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_BACKUP_BACKUPS_H_
