// BatchWriteItem: up to 25 puts and deletes in several tables.
#ifndef DYNOLITH_API_WRITE_BATCH_WRITE_ITEM_H_
#define DYNOLITH_API_WRITE_BATCH_WRITE_ITEM_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<BatchWriteItemOutput> BatchWriteItem(const OperationContext& context,
                                                    const BatchWriteItemRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_BATCH_WRITE_ITEM_H_
