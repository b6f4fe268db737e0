// ExecuteTransaction: up to 100 PartiQL statements together or not at all.
#ifndef DYNOLITH_API_PARTIQL_EXECUTE_TRANSACTION_H_
#define DYNOLITH_API_PARTIQL_EXECUTE_TRANSACTION_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<ExecuteTransactionOutput> ExecuteTransaction(
    const OperationContext& context, const ExecuteTransactionRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_PARTIQL_EXECUTE_TRANSACTION_H_
