// The latest time that a database has seen, at which a manual clock continues.
//
// Row in Family::kMeta (engine/store/meta_keys.h):
//   kClockKey -> nanoseconds:i64be     ; the last time of a ManualClock
#ifndef DYNOLITH_API_DATABASE_LATEST_TIME_H_
#define DYNOLITH_API_DATABASE_LATEST_TIME_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/request/operation_context.h"

namespace dynolith {

// Stores the clock's time across restarts.
absl::Status RememberClock(Store* store, absl::Time now);

// The latest of: the last time of a ManualClock, changes of tables, records of streams, tokens.
// InfinitePast if there is nothing. Requires: context.streams and context.tokens are set. Errors:
// the store's; kDataLoss. O(tables + shards).
absl::StatusOr<absl::Time> LatestTime(const OperationContext& context);

}  // namespace dynolith

#endif  // DYNOLITH_API_DATABASE_LATEST_TIME_H_
