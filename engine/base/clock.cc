#include "engine/base/clock.h"

#include <time.h>

#include <utility>

#include "absl/time/clock.h"

namespace dynolith {
namespace {

class MachineClock final : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }
  // The time of the kernel's last tick: this reads memory, not a counter.
  absl::Time RecentNow() const override {
#ifdef CLOCK_REALTIME_COARSE
    timespec now;
    if (clock_gettime(CLOCK_REALTIME_COARSE, &now) == 0) return absl::TimeFromTimespec(now);
#endif
    return Now();
  }
};

}  // namespace

const Clock& SystemClock() {
  static const MachineClock* const clock = new MachineClock;
  return *clock;
}

void ManualClock::Advance(absl::Duration step) {
  absl::MutexLock lock(&mutex_);
  MoveTo(Now() + step);
}

void ManualClock::Set(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  MoveTo(now);
}

void ManualClock::MoveTo(absl::Time now) {
  nanoseconds_ = absl::ToUnixNanos(now);
  for (const auto& [number, follower] : followers_) follower();
}

int ManualClock::Follow(std::function<void()> follower) {
  absl::MutexLock lock(&mutex_);
  followers_.emplace(next_follower_, std::move(follower));
  return next_follower_++;
}

void ManualClock::Unfollow(int number) {
  absl::MutexLock lock(&mutex_);
  followers_.erase(number);
}

}  // namespace dynolith
