// Looks up a backup by its ARN, and describes it.
#ifndef DYNOLITH_API_TABLE_BACKUP_LOOKUP_H_
#define DYNOLITH_API_TABLE_BACKUP_LOOKUP_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"
#include "engine/catalog/backup_meta.h"

namespace dynolith {

// The parts of a backup's ARN.
struct BackupName {
  std::string table_name;
  std::string id;
};

// Errors: ValidationException if the text is no backup's ARN, BackupNotFoundException if it is one
// of another region or account.
absl::StatusOr<BackupName> ParseBackupArn(const OperationContext& context, std::string_view arn);

// Errors: those of ParseBackupArn; BackupNotFoundException, also once it has expired.
absl::StatusOr<std::shared_ptr<const BackupMeta>> FindBackup(const OperationContext& context,
                                                             std::string_view arn);

BackupStatus BackupStatusAt(const BackupMeta& backup, absl::Time now);

std::string MakeBackupArn(const OperationContext& context, const BackupMeta& backup);
BackupDetails MakeBackupDetails(const OperationContext& context, const BackupMeta& backup);
BackupSummary MakeBackupSummary(const OperationContext& context, const BackupMeta& backup);
BackupDescription MakeBackupDescription(const OperationContext& context, const BackupMeta& backup);

// A new backup of the table; without rows.
BackupMeta NewBackup(const OperationContext& context, const TableMeta& table, std::string name);

// BackupNotFoundException.
absl::Status BackupNotFound(std::string_view arn);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_BACKUP_LOOKUP_H_
