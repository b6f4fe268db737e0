// Operations that look for what this engine never has: exports, imports, global tables of 2017
// (facts/operations.md §5.6). Their requests are checked as
// the service checks them; the truth is always that there is nothing.
#ifndef DYNOLITH_API_OPS_ABSENT_FEATURES_H_
#define DYNOLITH_API_OPS_ABSENT_FEATURES_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/ops/operation_context.h"
#include "dynolith/table_features.h"
#include "dynolith/transfers.h"

namespace dynolith {

// OK: the list is empty.
absl::Status ListExports(const ListExportsRequest& request);
absl::Status ListImports(const ListImportsRequest& request);

// Never OK. Errors: ValidationException; ExportNotFoundException and so on.
absl::Status DescribeExport(const DescribeExportRequest& request);
absl::Status DescribeImport(const DescribeImportRequest& request);
absl::Status DescribeGlobalTable(const DescribeGlobalTableRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_OPS_ABSENT_FEATURES_H_
