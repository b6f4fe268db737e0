// Exports, imports and bulk puts that an earlier process has left in progress.
#ifndef DYNOLITH_API_TRANSFER_INTERRUPTED_TRANSFERS_H_
#define DYNOLITH_API_TRANSFER_INTERRUPTED_TRANSFERS_H_

#include "absl/status/status.h"
#include "api/request/operation_context.h"

namespace dynolith {

// Makes exports and bulk puts FAILED; what a bulk put has written stays, and one that was to be
// cancelled is CANCELLED. The half table of an import goes, and the import is FAILED if nobody can
// read its source any more, or if it was interrupted several times, so that what ends the process
// does not do so forever. To be called before anybody uses the tables. Errors: the store's;
// kDataLoss.
absl::Status FinishInterruptedTransfers(const OperationContext& context);

// All other imports begin anew, into an empty table, in the background. To be called behind it,
// once operations can be done. Requires: `context` outlives its runner. Errors: the store's;
// kDataLoss.
absl::Status ResumeImports(const OperationContext& context);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_INTERRUPTED_TRANSFERS_H_
