// Every write of every operation: lock the rows, read what is needed, evaluate, apply, commit once.
#ifndef DYNOLITH_API_WRITE_ROW_WRITE_H_
#define DYNOLITH_API_WRITE_ROW_WRITE_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "api/request/operation_context.h"
#include "api/write/planned_write.h"
#include "engine/store/store.h"
#include "engine/store/transaction/transaction.h"

namespace dynolith {

// Adds to the commit what goes with it. Called for each attempt, all of which but the last one have
// changed nothing; an error ends all of them.
using BeforeCommit = absl::FunctionRef<absl::Status(const Transaction& transaction, WriteBatch*)>;
inline absl::Status AddNothing(const Transaction& /*transaction*/, WriteBatch* /*batch*/) {
  return absl::OkStatus();
}

// Executes the writes as one atomic commit; without writes nothing is committed. If any outcome has
// a failed status, nothing is written, and every condition has been evaluated. What others have
// changed meanwhile is read and evaluated again, and charged once. Requires: the gates of all
// tables are held, no two writes are of one row. Errors (as the result itself): the store's; those
// of `before_commit`.
absl::Status Execute(const OperationContext& context, absl::Span<const RowWrite> writes,
                     absl::Span<RowOutcome> outcomes, BeforeCommit before_commit = AddNothing);

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_ROW_WRITE_H_
