// JSON -> requests of ExecuteStatement, BatchExecuteStatement and ExecuteTransaction.
#ifndef DYNOLITH_API_JSON_READ_STATEMENTS_H_
#define DYNOLITH_API_JSON_READ_STATEMENTS_H_

#include "absl/status/status.h"
#include "api/json/fields.h"
#include "dynolith/statements.h"

namespace dynolith {

// As in read_items.h. Never fail: statements name their tables inside their text.
absl::Status ReadRequest(const Fields& fields, ExecuteStatementRequest* request);
absl::Status ReadRequest(const Fields& fields, BatchExecuteStatementRequest* request);
absl::Status ReadRequest(const Fields& fields, ExecuteTransactionRequest* request);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_READ_STATEMENTS_H_
