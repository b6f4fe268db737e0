// The bounds of a call: how much work it may still do on its thread, and whether the process is
// about to end. A call on an event loop that needs more starts again on a worker; this is safe
// because it has written nothing by then.
#ifndef DYNOLITH_API_REQUEST_CALL_BOUNDS_H_
#define DYNOLITH_API_REQUEST_CALL_BOUNDS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "api/request/operation_context.h"

namespace dynolith {

// Units of work that a call may spend, as Condition::Matches counts them. Used by one thread.
class WorkAllowance {
 public:
  explicit WorkAllowance(size_t units) : rest_(units) {}

  // False, now and ever after: the units exceed the rest.
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

// The cost of a row beside its bytes, for a step of a cursor and for a look-up.
inline constexpr size_t kRowWork = 128;
inline constexpr size_t kGetWork = 2048;

// Call it before each piece of work of a read or of the reading part of a write. Errors: kCancelled
// if there is an allowance and the units exceed it, or CheckNotInterrupted's.
absl::Status SpendWork(const OperationContext& context, size_t units);

// Errors: an InternalServerError once Database::Interrupt has been called.
absl::Status CheckNotInterrupted(const OperationContext& context);

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_CALL_BOUNDS_H_
