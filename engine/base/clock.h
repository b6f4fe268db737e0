// Time, injected: nothing in Dynolith reads the system clock but through a Clock.
#ifndef DYNOLITH_ENGINE_BASE_CLOCK_H_
#define DYNOLITH_ENGINE_BASE_CLOCK_H_

#include <atomic>

#include "absl/time/time.h"

namespace dynolith {

// A source of wall time. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Time Now() const = 0;
};

// The machine's clock. Never destroyed.
const Clock& SystemClock();

// A clock that stands still until it is told to move. Thread-safe.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(absl::Time start) : nanoseconds_(absl::ToUnixNanos(start)) {}

  absl::Time Now() const override { return absl::FromUnixNanos(nanoseconds_.load()); }
  void Advance(absl::Duration step) { nanoseconds_ += absl::ToInt64Nanoseconds(step); }
  void Set(absl::Time now) { nanoseconds_ = absl::ToUnixNanos(now); }

 private:
  std::atomic<int64_t> nanoseconds_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_CLOCK_H_
