// DeleteTable (api/facts/operations.md §5.2).
#ifndef DYNOLITH_API_CONTROL_DELETE_TABLE_H_
#define DYNOLITH_API_CONTROL_DELETE_TABLE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// Deletes the table; its rows are reclaimed later. The name is free at once, although the result
// says DELETING, as in the service.
absl::StatusOr<TableDescription> DeleteTable(const OperationContext& context,
                                             const DeleteTableRequest& request);

// Drops the tables whose deletion was interrupted by the end of the process.
absl::Status FinishDeletions(const OperationContext& context);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_DELETE_TABLE_H_
