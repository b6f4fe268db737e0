// How far a call may go: what it may still do where it runs, and whether the process is about to
// end. A call on an event loop that needs more starts again on a worker, which it can because
// nothing has been written by then.
#ifndef DYNOLITH_API_REQUEST_CALL_BOUNDS_H_
#define DYNOLITH_API_REQUEST_CALL_BOUNDS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "api/request/operation_context.h"

namespace dynolith {

// Units of work that a call may spend, as Condition::Matches counts them. Of one thread.
class WorkAllowance {
 public:
  explicit WorkAllowance(size_t units) : rest_(units) {}

  // False, now and ever after: that is more than is left.
  bool Spend(size_t units) {
    exhausted_ = exhausted_ || units > rest_;
    if (!exhausted_) rest_ -= units;
    return !exhausted_;
  }
  bool exhausted() const { return exhausted_; }

 private:
  size_t rest_;
  bool exhausted_ = false;
};

// What a row costs beside its bytes, when a cursor steps to it and when it is looked for.
inline constexpr size_t kRowWork = 128;
inline constexpr size_t kGetWork = 2048;

// Before each piece of work of a read or of the part of a write that only reads. Errors: kCancelled
// if there is an allowance and that is more than it has, or CheckNotInterrupted's.
absl::Status SpendWork(const OperationContext& context, size_t units);

// Errors: an InternalServerError once Database::Interrupt has been called.
absl::Status CheckNotInterrupted(const OperationContext& context);

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_CALL_BOUNDS_H_
