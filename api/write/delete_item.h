// DeleteItem: removes an item; if it is missing, that is not an error.
#ifndef DYNOLITH_API_WRITE_DELETE_ITEM_H_
#define DYNOLITH_API_WRITE_DELETE_ITEM_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<WriteOutput> DeleteItem(const OperationContext& context,
                                       const DeleteItemRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_DELETE_ITEM_H_
