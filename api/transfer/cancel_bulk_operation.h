// CancelBulkOperation: stops a bulk put.
#ifndef DYNOLITH_API_TRANSFER_CANCEL_BULK_OPERATION_H_
#define DYNOLITH_API_TRANSFER_CANCEL_BULK_OPERATION_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// After its answer nothing more is written; the operation is CANCELLED as soon as its job has seen
// this. One that has ended stays as it is, and the answer says so. Errors: those of
// DescribeBulkOperation.
absl::StatusOr<CancelBulkOperationOutput> CancelBulkOperation(
    const OperationContext& context, const CancelBulkOperationRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_CANCEL_BULK_OPERATION_H_
