#include "engine/base/clock.h"

#include <utility>

#include "absl/time/clock.h"

namespace dynolith {
namespace {

class MachineClock final : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }
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
