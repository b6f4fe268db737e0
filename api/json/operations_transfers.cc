// Exports and imports, from the members of a call to the text of its output.
#include "api/json/operations.h"
#include "api/json/read_transfers.h"
#include "api/json/run_operation.h"
#include "api/json/write_transfers.h"

namespace dynolith {
namespace {

constexpr OperationRow kRows[] = {
    {"ImportTable",
     &RunOperation<ImportTableRequest, ImportTableDescription, &Database::ImportTable>},
    {"DescribeImport",
     &RunOperation<DescribeImportRequest, ImportTableDescription, &Database::DescribeImport>},
    {"ListImports", &RunOperation<ListImportsRequest, ListImportsOutput, &Database::ListImports>},
    {"ExportTableToPointInTime", &RunOperation<ExportTableToPointInTimeRequest, ExportDescription,
                                               &Database::ExportTableToPointInTime>},
    {"DescribeExport",
     &RunOperation<DescribeExportRequest, ExportDescription, &Database::DescribeExport>},
    {"ListExports", &RunOperation<ListExportsRequest, ListExportsOutput, &Database::ListExports>},
};

}  // namespace

absl::Span<const OperationRow> TransferOperations() { return kRows; }

}  // namespace dynolith
