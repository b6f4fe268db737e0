// UpdateTable (api/facts/operations.md §5.3).
#ifndef DYNOLITH_API_CONTROL_UPDATE_TABLE_H_
#define DYNOLITH_API_CONTROL_UPDATE_TABLE_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// Changes the table at once, all or nothing; only a new index takes time (BackfillRunner). The
// result shows the table in the middle of the change, as in the service: UPDATING, with the old
// units.
absl::StatusOr<TableDescription> UpdateTable(const OperationContext& context,
                                             const UpdateTableRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_UPDATE_TABLE_H_
