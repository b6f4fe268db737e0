// RestoreTableToPointInTime (api/facts/operations.md §5.6).
#ifndef DYNOLITH_API_BACKUP_RESTORE_TABLE_TO_POINT_IN_TIME_H_
#define DYNOLITH_API_BACKUP_RESTORE_TABLE_TO_POINT_IN_TIME_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// A new table with the source's items at that time, and with the source's present settings.
absl::StatusOr<TableDescription> RestoreTableToPointInTime(
    const OperationContext& context, const RestoreTableToPointInTimeRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_BACKUP_RESTORE_TABLE_TO_POINT_IN_TIME_H_
