// JSON -> requests of exports and imports.
#ifndef DYNOLITH_API_JSON_READ_TRANSFERS_H_
#define DYNOLITH_API_JSON_READ_TRANSFERS_H_

#include "absl/status/status.h"
#include "api/json/fields.h"
#include "dynolith/transfers.h"

namespace dynolith {

// Require: CheckTypes and CheckConstraints are OK.
absl::Status ReadRequest(const Fields& fields, ImportTableRequest* request);
absl::Status ReadRequest(const Fields& fields, DescribeImportRequest* request);
absl::Status ReadRequest(const Fields& fields, ListImportsRequest* request);
absl::Status ReadRequest(const Fields& fields, ExportTableToPointInTimeRequest* request);
absl::Status ReadRequest(const Fields& fields, DescribeExportRequest* request);
absl::Status ReadRequest(const Fields& fields, ListExportsRequest* request);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_READ_TRANSFERS_H_
