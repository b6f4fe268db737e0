// TransactGetItems: up to 100 items in their state at one moment.
#ifndef DYNOLITH_API_READ_TRANSACT_GET_ITEMS_H_
#define DYNOLITH_API_READ_TRANSACT_GET_ITEMS_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<TransactGetItemsOutput> TransactGetItems(const OperationContext& context,
                                                        const TransactGetItemsRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_READ_TRANSACT_GET_ITEMS_H_
