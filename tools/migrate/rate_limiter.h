// Capacity units a second that several threads use together, fewer after throttling.
#ifndef DYNOLITH_TOOLS_MIGRATE_RATE_LIMITER_H_
#define DYNOLITH_TOOLS_MIGRATE_RATE_LIMITER_H_

#include <functional>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace dynolith::migrate {

struct LimiterClock {
  std::function<absl::Time()> now = absl::Now;
  std::function<void(absl::Duration)> sleep = absl::SleepFor;
};

// What a call uses is known when it has been answered: it is charged then, and the next one waits
// until all before it is paid. So one call of each thread may be above the rate, never their sum
// over time. After throttling the rate is 70 % of what it was, or of what was used, and grows by a
// quarter with each second without it, up to the given one.
//
// Thread-safe.
class RateLimiter {
 public:
  // `units_a_second`: 0: as many as there are, until there is throttling.
  explicit RateLimiter(double units_a_second, LimiterClock clock = {});

  // Waits until the next call may be made. False: `is_over` has become true.
  bool Await(const std::function<bool()>& is_over) ABSL_LOCKS_EXCLUDED(mutex_);
  void Charge(double units) ABSL_LOCKS_EXCLUDED(mutex_);
  // A call, or a part of it, was throttled. Several at once count as one.
  void SlowDown() ABSL_LOCKS_EXCLUDED(mutex_);

  // All units that were charged.
  double used() const ABSL_LOCKS_EXCLUDED(mutex_);
  // At present; nullopt: unbounded.
  std::optional<double> rate() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Advance() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const double rate_max_;  // 0: unbounded
  const LimiterClock clock_;
  mutable absl::Mutex mutex_;
  double rate_ ABSL_GUARDED_BY(mutex_);         // 0: unbounded
  double balance_ ABSL_GUARDED_BY(mutex_) = 0;  // below 0: to be waited for
  double used_ ABSL_GUARDED_BY(mutex_) = 0;
  double used_before_ ABSL_GUARDED_BY(mutex_) = 0;  // at the beginning of the present second
  double last_second_ ABSL_GUARDED_BY(mutex_) = 0;  // units used in the second before it
  absl::Time advanced_ ABSL_GUARDED_BY(mutex_);
  absl::Time second_ ABSL_GUARDED_BY(mutex_);  // its beginning
  absl::Time slowed_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_RATE_LIMITER_H_
