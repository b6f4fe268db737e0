// Short waits, for which waking up a thread would take longer.
#ifndef DYNOLITH_ENGINE_STORE_ROWS_WAIT_H_
#define DYNOLITH_ENGINE_STORE_ROWS_WAIT_H_

#include <thread>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace dynolith {

// Spins for a moment, then yields the processor, then sleeps: the other thread may be doing
// something long, or not be running.
class SpinWait {
 public:
  void More() {
    ++turns_;
    if (turns_ < kTurnsAwake) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#elif defined(__aarch64__)
      asm volatile("yield");
#endif
    } else if (turns_ < 2 * kTurnsAwake) {
      std::this_thread::yield();
    } else {
      absl::SleepFor(absl::Microseconds(50));
    }
  }

 private:
  static constexpr int kTurnsAwake = 100;
  int turns_ = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROWS_WAIT_H_
