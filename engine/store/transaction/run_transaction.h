// Runs a transaction again as long as others are in its way.
#ifndef DYNOLITH_ENGINE_STORE_TRANSACTION_RUN_TRANSACTION_H_
#define DYNOLITH_ENGINE_STORE_TRANSACTION_RUN_TRANSACTION_H_

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace dynolith {

// Whether the store has aborted a transaction; an exception of the service with that code is an
// answer.
bool IsAbortedByStore(const absl::Status& status);
// Goes on after the first try.
absl::Status RunTransactionAgain(absl::FunctionRef<absl::Status()> transaction);

// Runs `transaction`, a function that returns absl::Status, until it returns something else than
// the store's kAborted, waiting longer and longer in between. Errors: its own;
// ServiceUnavailable, a kUnavailable, if it was aborted again and again for some seconds, as one is
// that takes longer than the store's transaction_time, or the thread's Patience is at its end. Of a
// LocalStore it is run once. Clang cannot see that it is called with the caller's locks.
template <typename Body>
absl::Status RunTransaction(const Body& transaction) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  absl::Status status = transaction();
  if (status.ok() || !IsAbortedByStore(status)) return status;
  return RunTransactionAgain(transaction);
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_TRANSACTION_RUN_TRANSACTION_H_
