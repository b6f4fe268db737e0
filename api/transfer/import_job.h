// The work of one import: from records to items, and the table's state at the end.
#ifndef DYNOLITH_API_TRANSFER_IMPORT_JOB_H_
#define DYNOLITH_API_TRANSFER_IMPORT_JOB_H_

#include <string>

#include "absl/status/status.h"
#include "api/request/operation_context.h"
#include "api/transfer/transfer_runner.h"

namespace dynolith {

// Does the import of that record. Afterwards either the table is ACTIVE and the record says so, in
// one commit, or the table is dropped and the record FAILED; unless it was stopped. Invalid items,
// and those that the table may not have, are counted and left out; they make the import FAILED,
// too, but the table stays. Errors: the store's.
absl::Status RunImport(const OperationContext& context, const std::string& id,
                       const TransferRunner::Stopping& stopping);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_IMPORT_JOB_H_
