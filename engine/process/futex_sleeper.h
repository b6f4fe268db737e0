// Sleeper (sleeper.h) for C libraries whose semaphores do not wait by the steady clock: musl, glibc
// before 2.30, and those of other systems.
#ifndef DYNOLITH_ENGINE_PROCESS_FUTEX_SLEEPER_H_
#define DYNOLITH_ENGINE_PROCESS_FUTEX_SLEEPER_H_

#include <atomic>
#include <chrono>
#include <cstdint>

#include "engine/process/futex.h"

namespace dynolith {

// One thread sleeps, and is woken once for each sleep, before it or during it.
class FutexSleeper {
 public:
  FutexSleeper() = default;
  FutexSleeper(const FutexSleeper&) = delete;
  FutexSleeper& operator=(const FutexSleeper&) = delete;

  // Writes before Wake are visible to the woken thread, which may destroy the sleeper: the
  // system is told an address only.
  void Wake() {
    if (state_.exchange(kWoken, std::memory_order_release) == kAsleep) FutexWakeOne(&state_);
  }
  void Sleep() { SleepFor(std::nullopt); }
  // Whether it was woken.
  bool SleepUntil(std::chrono::steady_clock::time_point end) { return SleepFor(end); }

 private:
  static constexpr uint32_t kAwake = 0;
  static constexpr uint32_t kWoken = 1;
  static constexpr uint32_t kAsleep = 2;

  bool SleepFor(FutexEnd end) {
    for (;;) {
      uint32_t state = kWoken;
      if (state_.compare_exchange_strong(state, kAwake, std::memory_order_acquire)) return true;
      state = kAwake;
      if (!state_.compare_exchange_strong(state, kAsleep, std::memory_order_relaxed) &&
          state == kWoken) {
        continue;
      }
      if (!FutexWait(&state_, kAsleep, end)) {
        return state_.exchange(kAwake, std::memory_order_acquire) == kWoken;
      }
    }
  }

  std::atomic<uint32_t> state_ = kAwake;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_FUTEX_SLEEPER_H_
