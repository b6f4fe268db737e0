// JSON -> requests of TransactWriteItems and TransactGetItems.
#ifndef DYNOLITH_API_JSON_READ_TRANSACTIONS_H_
#define DYNOLITH_API_JSON_READ_TRANSACTIONS_H_

#include "absl/status/status.h"
#include "api/json/fields.h"
#include "dynolith/transactions.h"

namespace dynolith {

// As in read_items.h.
absl::Status ReadRequest(const Fields& fields, TransactWriteItemsRequest* request);
absl::Status ReadRequest(const Fields& fields, TransactGetItemsRequest* request);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_READ_TRANSACTIONS_H_
