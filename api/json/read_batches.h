// JSON -> requests of BatchGetItem and BatchWriteItem.
#ifndef DYNOLITH_API_JSON_READ_BATCHES_H_
#define DYNOLITH_API_JSON_READ_BATCHES_H_

#include "absl/status/status.h"
#include "api/json/fields.h"
#include "dynolith/requests.h"

namespace dynolith {

// As in read_items.h.
absl::Status ReadRequest(const Fields& fields, BatchGetItemRequest* request);
absl::Status ReadRequest(const Fields& fields, BatchWriteItemRequest* request);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_READ_BATCHES_H_
