// JSON -> requests of Query and Scan.
#ifndef DYNOLITH_API_JSON_READ_PAGES_H_
#define DYNOLITH_API_JSON_READ_PAGES_H_

#include "absl/status/status.h"
#include "api/json/fields.h"
#include "dynolith/requests.h"

namespace dynolith {

// As in read_items.h.
absl::Status ReadRequest(const Fields& fields, QueryRequest* request);
absl::Status ReadRequest(const Fields& fields, ScanRequest* request);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_READ_PAGES_H_
