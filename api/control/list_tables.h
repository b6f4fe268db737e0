// ListTables (api/facts/operations.md §5.2).
#ifndef DYNOLITH_API_CONTROL_LIST_TABLES_H_
#define DYNOLITH_API_CONTROL_LIST_TABLES_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<ListTablesOutput> ListTables(const OperationContext& context,
                                            const ListTablesRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_LIST_TABLES_H_
