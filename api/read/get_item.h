// GetItem: one item by its key.
#ifndef DYNOLITH_API_READ_GET_ITEM_H_
#define DYNOLITH_API_READ_GET_ITEM_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/database.h"

namespace dynolith {

// The item, if there is one, goes to `sink`.
absl::StatusOr<GetItemOutput> GetItem(const OperationContext& context,
                                      const GetItemRequest& request, ItemSink sink);

}  // namespace dynolith

#endif  // DYNOLITH_API_READ_GET_ITEM_H_
