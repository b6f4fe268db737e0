// JSON -> requests of backups and restores.
#ifndef DYNOLITH_API_JSON_READ_BACKUPS_H_
#define DYNOLITH_API_JSON_READ_BACKUPS_H_

#include "absl/status/status.h"
#include "api/json/fields.h"
#include "dynolith/backups.h"

namespace dynolith {

absl::Status ReadRequest(const Fields& fields, CreateBackupRequest* request);
absl::Status ReadRequest(const Fields& fields, DescribeBackupRequest* request);
absl::Status ReadRequest(const Fields& fields, DeleteBackupRequest* request);
absl::Status ReadRequest(const Fields& fields, ListBackupsRequest* request);
absl::Status ReadRequest(const Fields& fields, RestoreTableFromBackupRequest* request);
absl::Status ReadRequest(const Fields& fields, RestoreTableToPointInTimeRequest* request);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_READ_BACKUPS_H_
