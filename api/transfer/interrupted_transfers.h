// Exports, imports and bulk puts that an earlier process has left in progress.
#ifndef DYNOLITH_API_TRANSFER_INTERRUPTED_TRANSFERS_H_
#define DYNOLITH_API_TRANSFER_INTERRUPTED_TRANSFERS_H_

#include "absl/status/status.h"
#include "api/request/operation_context.h"

namespace dynolith {

// Makes exports and bulk puts FAILED; the items that a bulk put has written stay, and a bulk put
// with a pending cancellation is CANCELLED. The incomplete table of an import is dropped. The
// import is FAILED if there are no buckets any more, or if it was interrupted several times, so
// that it cannot end the process for ever. Call it before the tables are used. Errors: the store's;
// kDataLoss.
absl::Status FinishInterruptedTransfers(const OperationContext& context);

// Restarts all other imports, into an empty table, in the background. Call it afterwards, once
// operations can run. Requires: `context` outlives its runner. Errors: the store's; kDataLoss.
absl::Status ResumeImports(const OperationContext& context);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_INTERRUPTED_TRANSFERS_H_
