// Every write of every operation: lock the rows, read what is needed, evaluate, apply, commit once.
#ifndef DYNOLITH_API_WRITE_ROW_WRITE_H_
#define DYNOLITH_API_WRITE_ROW_WRITE_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "api/request/operation_context.h"
#include "api/write/planned_write.h"
#include "engine/store/store.h"

namespace dynolith {

// Executes the writes as one atomic commit; without writes nothing is committed. If any outcome has
// a failed status, nothing is written, and every condition has been evaluated. Requires: the gates
// of all tables are held, no two writes are of one row. Errors (as the result itself): only the
// store's.
absl::Status Execute(
    const OperationContext& context, absl::Span<const RowWrite> writes,
    absl::Span<RowOutcome> outcomes,
    absl::FunctionRef<void(WriteBatch*)> before_commit = [](WriteBatch*) {});

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_ROW_WRITE_H_
