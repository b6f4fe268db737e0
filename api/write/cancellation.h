// TransactionCanceledException from the results of the actions.
#ifndef DYNOLITH_API_WRITE_CANCELLATION_H_
#define DYNOLITH_API_WRITE_CANCELLATION_H_

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace dynolith {

// One reason per action, in order; an OK status gives the reason "None" (api/facts/operations.md
// §3). Requires: at least one failed status.
absl::Status Cancelled(absl::Span<const absl::Status> actions);

// The same when only action `position` of `count` has failed.
absl::Status CancelledBy(size_t position, size_t count, const absl::Status& failure);

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_CANCELLATION_H_
