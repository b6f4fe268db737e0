// The texts of backups and restores (api/facts/operations.md §5.6, §5.7). "Ours": the service's
// text is unknown.
#ifndef DYNOLITH_API_BACKUP_MESSAGES_H_
#define DYNOLITH_API_BACKUP_MESSAGES_H_

#include <string>
#include <string_view>

#include "api/table/messages.h"
#include "engine/base/strings.h"

namespace dynolith::messages {

// --- Backups ---

// The API reference's text for BackupInUseException.
inline std::string BackupInUse() {
  return "There is another ongoing conflicting backup control plane operation on the table. The "
         "backup is either being created, deleted or restored to a table.";
}
inline std::string SystemBackupDeleted(std::string_view arn, std::string_view expires) {
  return Concat("Invalid Request: User is not allowed to delete the system backup with arn ", arn,
                ". It will automatically expire on ", expires);
}
// Ours; about the table that a backup or a restore names. `status`: "created" or "deleted".
inline std::string TableBeing(std::string_view status, std::string_view table) {
  return Concat("Table is being ", status, ": ", table);
}

// --- Restores ---

// Ours.
inline std::string RestoredIndexDiffers(std::string_view index) {
  return tables_internal::Invalid(
      Concat("The indexes provided should match existing secondary indexes. Index: ", index));
}
inline std::string RecoveryNotEnabled(std::string_view table) {
  return Concat("Point in time recovery is not enabled for table '", table, "'");
}
inline std::string OneRestoreTimeWanted() {
  return "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be "
         "specified, but not both";
}
// Ours, after OneRestoreTimeWanted.
inline std::string OneRestoreSourceWanted() {
  return "Invalid Request: Either one of SourceTableName or SourceTableArn must be specified, but "
         "not both";
}
// The API reference's text for InvalidRestoreTimeException.
inline std::string RestoreTimeOutsideWindow() {
  return "An invalid restore time was specified. RestoreDateTime must be between "
         "EarliestRestorableDateTime and LatestRestorableDateTime.";
}
inline std::string TooManyRestores(int limit) {
  return tables_internal::Subscriber(
      Concat("Only ", limit, " restore operations can be done simultaneously"));
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_BACKUP_MESSAGES_H_
