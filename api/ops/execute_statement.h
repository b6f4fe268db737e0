// ExecuteStatement: one PartiQL statement.
#ifndef DYNOLITH_API_OPS_EXECUTE_STATEMENT_H_
#define DYNOLITH_API_OPS_EXECUTE_STATEMENT_H_

#include "absl/status/statusor.h"
#include "api/ops/operation_context.h"
#include "dynolith/statements.h"

namespace dynolith {

absl::StatusOr<ExecuteStatementOutput> ExecuteStatement(const OperationContext& context,
                                                        const ExecuteStatementRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_OPS_EXECUTE_STATEMENT_H_
