// BatchExecuteStatement: up to 25 independent statements.
#ifndef DYNOLITH_API_PARTIQL_BATCH_EXECUTE_STATEMENT_H_
#define DYNOLITH_API_PARTIQL_BATCH_EXECUTE_STATEMENT_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<BatchExecuteStatementOutput> BatchExecuteStatement(
    const OperationContext& context, const BatchExecuteStatementRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_PARTIQL_BATCH_EXECUTE_STATEMENT_H_
