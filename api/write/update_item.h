// UpdateItem: changes attributes of an item, or creates it.
#ifndef DYNOLITH_API_WRITE_UPDATE_ITEM_H_
#define DYNOLITH_API_WRITE_UPDATE_ITEM_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<WriteOutput> UpdateItem(const OperationContext& context,
                                       const UpdateItemRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_UPDATE_ITEM_H_
