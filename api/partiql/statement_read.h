// A PartiQL SELECT: as queries of the partition keys that it fixes, otherwise as a scan.
#ifndef DYNOLITH_API_PARTIQL_STATEMENT_READ_H_
#define DYNOLITH_API_PARTIQL_STATEMENT_READ_H_

#include <string>

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"
#include "engine/catalog/table_meta.h"
#include "engine/partiql/statement.h"
#include "engine/store/store.h"

namespace dynolith {

// One page of the answer.
absl::StatusOr<ExecuteStatementOutput> RunSelect(const OperationContext& context,
                                                 const ExecuteStatementRequest& request,
                                                 const partiql::Statement& statement);

// The columns that the statement selects of an item: the last step of each path is the column's
// name.
Item SelectColumns(const partiql::Statement& statement, ItemView item);

}  // namespace dynolith

#endif  // DYNOLITH_API_PARTIQL_STATEMENT_READ_H_
