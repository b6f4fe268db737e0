// ImportTable: a new table from the objects of a bucket.
#ifndef DYNOLITH_API_TRANSFER_IMPORT_TABLE_H_
#define DYNOLITH_API_TRANSFER_IMPORT_TABLE_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "api/transfer/transfer_runner.h"
#include "dynolith/requests.h"

namespace dynolith {

// Creates the table, which stays CREATING until it is complete, and leaves the work to `runner`. A
// repeated request with its token gets the existing import. `context` must outlive the runner.
absl::StatusOr<ImportTableDescription> ImportTable(const OperationContext& context,
                                                   const ImportTableRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_IMPORT_TABLE_H_
