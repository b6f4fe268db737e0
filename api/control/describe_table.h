// DescribeTable (api/facts/operations.md §5.2).
#ifndef DYNOLITH_API_CONTROL_DESCRIBE_TABLE_H_
#define DYNOLITH_API_CONTROL_DESCRIBE_TABLE_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// Unlike the service's, the sizes are current; api/table/README.md has the cost.
absl::StatusOr<TableDescription> DescribeTable(const OperationContext& context,
                                               const DescribeTableRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_DESCRIBE_TABLE_H_
