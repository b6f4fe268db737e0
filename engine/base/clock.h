// Time, injected: nothing in Dynolith reads the system clock but through a Clock.
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
  // Now, or some milliseconds before, for who asks too often for a look at the machine's clock.
  virtual absl::Time RecentNow() const { return Now(); }
  // Itself if it stands still until somebody moves it; nullptr if it goes by itself.
  virtual ManualClock* AsManual() { return nullptr; }
};

// The machine's clock. Never destroyed.
const Clock& SystemClock();

// A clock that stands still until it is told to move. Thread-safe.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(absl::Time start) : nanoseconds_(absl::ToUnixNanos(start)) {}

  absl::Time Now() const override { return absl::FromUnixNanos(nanoseconds_.load()); }
  ManualClock* AsManual() override { return this; }

  // Both return when all followers have: what the move has made due in a database that follows the
  // clock has then been done. One move at a time. What 64 bits of nanoseconds cannot hold becomes
  // the nearest time that they can (the years 1677 to 2262).
  void Advance(absl::Duration step) ABSL_LOCKS_EXCLUDED(mutex_);
  void Set(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);

  // Has `follower` called after each move, by the thread that moves the clock. It must not move the
  // clock itself. Returns a number for Unfollow.
  int Follow(std::function<void()> follower) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns when the follower is not under way and will not be called again.
  void Unfollow(int number) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void MoveTo(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::atomic<int64_t> nanoseconds_;
  // Held during a move with all that it causes. Before every lock of a follower.
  absl::Mutex mutex_;
  std::map<int, std::function<void()>> followers_ ABSL_GUARDED_BY(mutex_);
  int next_follower_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_CLOCK_H_
