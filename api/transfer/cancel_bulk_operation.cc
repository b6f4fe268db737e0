#include "api/transfer/cancel_bulk_operation.h"

#include "api/transfer/transfer_lists.h"
#include "api/transfer/transfer_records.h"
#include "api/transfer/transfer_runner.h"
#include "engine/base/status_macros.h"

namespace dynolith {

absl::StatusOr<CancelBulkOperationOutput> CancelBulkOperation(
    const OperationContext& context, const CancelBulkOperationRequest& request) {
  // The job also commits under this mutex.
  absl::MutexLock admission(&context.bulk_put_runner->admission);
  DYNOLITH_ASSIGN_OR_RETURN(BulkPutEntry record,
                            FindBulkOperation(context, request.bulk_operation_arn));
  BulkPutState& state = record.description;
  if (state.status == TransferStatus::kInProgress) {
    state.status = TransferStatus::kCancelling;
    DYNOLITH_RETURN_IF_ERROR(BulkPutRecords(context.store).Put(record));
  }
  return CancelBulkOperationOutput{.bulk_operation_arn = state.bulk_operation_arn,
                                   .bulk_operation_status = state.status};
}

}  // namespace dynolith
