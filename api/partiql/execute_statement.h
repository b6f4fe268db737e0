// ExecuteStatement: one PartiQL statement.
#ifndef DYNOLITH_API_PARTIQL_EXECUTE_STATEMENT_H_
#define DYNOLITH_API_PARTIQL_EXECUTE_STATEMENT_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<ExecuteStatementOutput> ExecuteStatement(const OperationContext& context,
                                                        const ExecuteStatementRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_PARTIQL_EXECUTE_STATEMENT_H_
