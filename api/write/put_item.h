// PutItem: replaces a whole item.
#ifndef DYNOLITH_API_WRITE_PUT_ITEM_H_
#define DYNOLITH_API_WRITE_PUT_ITEM_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<WriteOutput> PutItem(const OperationContext& context, const PutItemRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_PUT_ITEM_H_
