#include "api/table/backup_lookup.h"

#include <utility>

#include "api/request/arn.h"
#include "api/request/uuid.h"
#include "engine/base/errors.h"
#include "engine/base/messages/backups.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/expired_backups.h"

namespace dynolith {
namespace {

constexpr std::string_view kTable = "table/";
constexpr std::string_view kBackup = "/backup/";

}  // namespace

absl::StatusOr<BackupName> ParseBackupArn(const OperationContext& context, std::string_view arn) {
  const absl::Status invalid = ValidationError(messages::InvalidBackupArn());
  if (!arn.starts_with("arn:")) return invalid;
  const ArnParts parts = SplitArn(arn);
  const std::string_view resource = parts.resource;
  if (parts.partition != "aws" || parts.service != "dynamodb") return invalid;
  if (!resource.starts_with(kTable)) return invalid;
  const size_t backup = resource.find(kBackup);
  if (backup == std::string_view::npos) return invalid;
  BackupName name = {std::string(resource.substr(kTable.size(), backup - kTable.size())),
                     std::string(resource.substr(backup + kBackup.size()))};
  if (name.table_name.empty() || name.id.empty()) return invalid;
  if (name.table_name.find('/') != std::string::npos || name.id.find('/') != std::string::npos) {
    return invalid;
  }
  if (parts.region != context.region || parts.account != context.account_id) {
    return BackupNotFound(arn);
  }
  return name;
}

absl::StatusOr<std::shared_ptr<const BackupMeta>> FindBackup(const OperationContext& context,
                                                             std::string_view arn) {
  DYNOLITH_ASSIGN_OR_RETURN(const BackupName name, ParseBackupArn(context, arn));
  std::shared_ptr<const BackupMeta> backup = context.catalog->FindBackup(name.table_name, name.id);
  if (backup == nullptr || HasExpired(*backup, context.clock->Now())) return BackupNotFound(arn);
  return backup;
}

BackupStatus StatusOf(const BackupMeta& backup, absl::Time now) {
  const bool is_busy = backup.status_until && now < *backup.status_until;
  return is_busy ? BackupStatus::kCreating : BackupStatus::kAvailable;
}

std::string ArnOf(const OperationContext& context, const BackupMeta& backup) {
  return BackupArn(TableArn(context, backup.table.schema.name), backup.id);
}

BackupDescription DescriptionOf(const OperationContext& context, const BackupMeta& backup) {
  BackupDescription description;
  description.meta = backup;
  description.status = StatusOf(backup, context.clock->Now());
  description.backup_arn = ArnOf(context, backup);
  description.table_arn = TableArn(context, backup.table.schema.name);
  return description;
}

BackupMeta NewBackup(const OperationContext& context, const TableMeta& table, std::string name) {
  BackupMeta backup;
  backup.created = context.clock->Now();
  backup.id = NewTimedId(backup.created);
  backup.name = std::move(name);
  backup.table = table;
  return backup;
}

absl::Status BackupNotFound(std::string_view arn) {
  return MakeError(ErrorKind::kBackupNotFound, messages::BackupNotFound(arn));
}

}  // namespace dynolith
