// The work of one bulk put: from records to items of a table that others use concurrently.
#ifndef DYNOLITH_API_TRANSFER_BULK_PUT_JOB_H_
#define DYNOLITH_API_TRANSFER_BULK_PUT_JOB_H_

#include <string>

#include "absl/status/status.h"
#include "api/request/operation_context.h"
#include "api/transfer/transfer_runner.h"

namespace dynolith {

// Does the bulk put of that record, which afterwards has ended, unless the job was stopped. Each
// commit of items also writes the record's counts, so they are right whenever the process ends.
// Errors: the store's.
absl::Status RunBulkPut(const OperationContext& context, const std::string& id,
                        const TransferRunner::Stopping& stopping);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_BULK_PUT_JOB_H_
