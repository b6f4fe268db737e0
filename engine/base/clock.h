// Injected time: nothing in Dynolith reads the system clock except through a Clock.
#ifndef DYNOLITH_ENGINE_BASE_CLOCK_H_
#define DYNOLITH_ENGINE_BASE_CLOCK_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace dynolith {

class ManualClock;

// A source of wall time. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Time Now() const = 0;
  // Now, or some milliseconds before, for callers that ask too often to read the machine's clock.
  virtual absl::Time RecentNow() const { return Now(); }
  // Itself if it is a manual clock; nullptr if time passes by itself.
  virtual ManualClock* AsManual() { return nullptr; }
};

// The machine's clock. Never destroyed.
const Clock& SystemClock();

// A clock that stands still until it is advanced. Thread-safe.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(absl::Time start) : nanoseconds_(absl::ToUnixNanos(start)) {}

  absl::Time Now() const override { return absl::FromUnixNanos(nanoseconds_.load()); }
  ManualClock* AsManual() override { return this; }

  // Both return when all followers have: due work of databases that follow the clock is done then.
  // One advance at a time. Times that do not fit 64 bits of nanoseconds become the nearest ones
  // that do (the years 1677 to 2262).
  void Advance(absl::Duration step) ABSL_LOCKS_EXCLUDED(mutex_);
  void Set(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);

  // Calls `follower` after each advance, on the thread that advances the clock. It must not advance
  // the clock itself. Returns a number for Unfollow.
  int Follow(std::function<void()> follower) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns when the follower is not running and will not be called again.
  void Unfollow(int number) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void MoveTo(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::atomic<int64_t> nanoseconds_;
  // Held during an advance with all its effects. Before every lock of a follower.
  absl::Mutex mutex_;
  std::map<int, std::function<void()>> followers_ ABSL_GUARDED_BY(mutex_);
  int next_follower_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_CLOCK_H_
