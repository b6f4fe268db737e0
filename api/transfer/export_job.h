// The work of one export: from a table's past to lines in a bucket.
#ifndef DYNOLITH_API_TRANSFER_EXPORT_JOB_H_
#define DYNOLITH_API_TRANSFER_EXPORT_JOB_H_

#include <string>

#include "absl/status/status.h"
#include "api/request/operation_context.h"
#include "api/transfer/transfer_runner.h"

namespace dynolith {

// Does the export of that record, which afterwards is COMPLETED or FAILED, unless it was stopped.
// Errors: the store's. Requires: context.history is set.
absl::Status RunExport(const OperationContext& context, const std::string& id,
                       const TransferRunner::Stopping& stopping);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_EXPORT_JOB_H_
