// Exports, imports and bulk puts that an earlier process has left in progress.
#ifndef DYNOLITH_API_TRANSFER_INTERRUPTED_TRANSFERS_H_
#define DYNOLITH_API_TRANSFER_INTERRUPTED_TRANSFERS_H_

#include "absl/status/status.h"
#include "api/request/operation_context.h"

namespace dynolith {

// Makes them FAILED; the half table of an import goes, what a bulk put has written stays,
// and one that was to be cancelled is CANCELLED. To be called before anybody uses the tables.
// Errors: the store's; kDataLoss.
absl::Status FinishInterruptedTransfers(const OperationContext& context);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_INTERRUPTED_TRANSFERS_H_
