// TransactWriteItems: up to 100 writes and checks that happen together or not at all.
#ifndef DYNOLITH_API_WRITE_TRANSACT_WRITE_ITEMS_H_
#define DYNOLITH_API_WRITE_TRANSACT_WRITE_ITEMS_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<TransactWriteItemsOutput> TransactWriteItems(
    const OperationContext& context, const TransactWriteItemsRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_TRANSACT_WRITE_ITEMS_H_
