// CreateTable (facts/operations.md §5.1).
#ifndef DYNOLITH_API_OPS_CREATE_TABLE_H_
#define DYNOLITH_API_OPS_CREATE_TABLE_H_

#include "absl/status/statusor.h"
#include "api/ops/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// Creates the table. It can be used at once, although the result says CREATING, as the service's
// does.
absl::StatusOr<TableDescription> CreateTable(OperationContext* context,
                                             const CreateTableRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_OPS_CREATE_TABLE_H_
