// DescribeExport, ListExports, DescribeImport, ListImports, DescribeBulkOperation,
// ListBulkOperations: the transfers of the last 90 days.
#ifndef DYNOLITH_API_TRANSFER_TRANSFER_LISTS_H_
#define DYNOLITH_API_TRANSFER_TRANSFER_LISTS_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "api/transfer/transfer_records.h"
#include "api/transfer/transfer_state.h"

namespace dynolith {

// Errors: ValidationException; ExportNotFoundException, ImportNotFoundException, for a bulk
// operation ResourceNotFoundException.
absl::StatusOr<ExportDescription> DescribeExport(const OperationContext& context,
                                                 const DescribeExportRequest& request);
absl::StatusOr<ImportTableDescription> DescribeImport(const OperationContext& context,
                                                      const DescribeImportRequest& request);
absl::StatusOr<BulkOperationDescription> DescribeBulkOperation(
    const OperationContext& context, const DescribeBulkOperationRequest& request);

// Newest first. Errors: ValidationException, also for a token of another list.
absl::StatusOr<ListExportsOutput> ListExports(const OperationContext& context,
                                              const ListExportsRequest& request);
absl::StatusOr<ListImportsOutput> ListImports(const OperationContext& context,
                                              const ListImportsRequest& request);
absl::StatusOr<ListBulkOperationsOutput> ListBulkOperations(
    const OperationContext& context, const ListBulkOperationsRequest& request);

// Errors: ValidationException for another text; ResourceNotFoundException, also for a forgotten
// one.
absl::StatusOr<TransferRecord<BulkPutState>> FindBulkOperation(const OperationContext& context,
                                                               const std::string& arn);

// An import as shown at `now`: in progress as long as its table is CREATING.
ImportState ShownImport(const OperationContext& context, const ImportState& description);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_TRANSFER_LISTS_H_
