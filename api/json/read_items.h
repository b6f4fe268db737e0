// JSON -> requests of PutItem, GetItem, UpdateItem and DeleteItem.
#ifndef DYNOLITH_API_JSON_READ_ITEMS_H_
#define DYNOLITH_API_JSON_READ_ITEMS_H_

#include "absl/status/status.h"
#include "api/json/fields.h"
#include "dynolith/requests.h"

namespace dynolith {

// All require that CheckTypes and CheckConstraints of `fields` are OK. Faulty attribute values go
// to the request's `faults`. Errors: a bad ARN in place of a table name.
absl::Status ReadRequest(const Fields& fields, PutItemRequest* request);
absl::Status ReadRequest(const Fields& fields, GetItemRequest* request);
absl::Status ReadRequest(const Fields& fields, UpdateItemRequest* request);
absl::Status ReadRequest(const Fields& fields, DeleteItemRequest* request);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_READ_ITEMS_H_
