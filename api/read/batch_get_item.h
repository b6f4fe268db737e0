// BatchGetItem: up to 100 items of several tables by their keys.
#ifndef DYNOLITH_API_READ_BATCH_GET_ITEM_H_
#define DYNOLITH_API_READ_BATCH_GET_ITEM_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/item_sink.h"
#include "dynolith/requests.h"

namespace dynolith {

// The items go to `sink`.
absl::StatusOr<BatchGetItemOutput> BatchGetItem(const OperationContext& context,
                                                const BatchGetItemRequest& request,
                                                TableItemSink sink);

}  // namespace dynolith

#endif  // DYNOLITH_API_READ_BATCH_GET_ITEM_H_
