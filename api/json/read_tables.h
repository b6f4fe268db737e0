// JSON -> requests of the table operations.
#ifndef DYNOLITH_API_JSON_READ_TABLES_H_
#define DYNOLITH_API_JSON_READ_TABLES_H_

#include "absl/status/status.h"
#include "api/json/fields.h"
#include "dynolith/backups.h"
#include "dynolith/requests.h"

namespace dynolith {

// As in read_items.h, but that a TableName goes to the operation as it is: these resolve ARNs
// themselves, since a wrong region or account is their error.
absl::Status ReadRequest(const Fields& fields, CreateTableRequest* request);
absl::Status ReadRequest(const Fields& fields, UpdateTableRequest* request);
absl::Status ReadRequest(const Fields& fields, DescribeTableRequest* request);
absl::Status ReadRequest(const Fields& fields, DeleteTableRequest* request);
absl::Status ReadRequest(const Fields& fields, ListTablesRequest* request);

// The overrides of a restore. They are the last members of both inputs, in one order; `first` is
// the number of BillingModeOverride.
RestoreOverrides ReadOverrides(const Fields& fields, int first);

// TableCreationParameters of an import.
CreateTableRequest ReadTableParameters(JsonValue parameters);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_READ_TABLES_H_
