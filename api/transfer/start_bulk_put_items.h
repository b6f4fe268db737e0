// StartBulkPutItems: puts items from the objects of a bucket into an existing table.
#ifndef DYNOLITH_API_TRANSFER_START_BULK_PUT_ITEMS_H_
#define DYNOLITH_API_TRANSFER_START_BULK_PUT_ITEMS_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// Checks, and leaves the work to the runner of bulk puts. A repeated request with its token gets
// the existing operation. `context` must outlive the runner.
absl::StatusOr<BulkOperationDescription> StartBulkPutItems(const OperationContext& context,
                                                           const StartBulkPutItemsRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_START_BULK_PUT_ITEMS_H_
