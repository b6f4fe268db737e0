// Threads that sleep until another one wakes them: one, or many at once.
#ifndef DYNOLITH_ENGINE_PROCESS_SLEEPER_H_
#define DYNOLITH_ENGINE_PROCESS_SLEEPER_H_

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>

#include "engine/process/futex.h"
#include "engine/process/futex_sleeper.h"

#ifdef __GLIBC_PREREQ
#define DYNOLITH_GLIBC_2_30 __GLIBC_PREREQ(2, 30)
#else
#define DYNOLITH_GLIBC_2_30 0
#endif
#if DYNOLITH_GLIBC_2_30
#include <semaphore.h>
#endif

namespace dynolith {

#if DYNOLITH_GLIBC_2_30

// One thread sleeps, and is woken once for each sleep, before it or during it. Not absl::Mutex with
// a condition: that evaluates the condition of each waiter whenever it is released, and wakes them
// one after the other. Not std::binary_semaphore, which yields the processor a few times before it
// sleeps.
class Sleeper {
 public:
  Sleeper() { sem_init(&semaphore_, /*pshared=*/0, /*value=*/0); }
  ~Sleeper() { sem_destroy(&semaphore_); }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  void Wake() { sem_post(&semaphore_); }
  // Writes before Wake are visible then. The woken thread may destroy the Sleeper.
  void Sleep() {
    while (sem_wait(&semaphore_) != 0 && errno == EINTR) {
    }
  }
  // Whether it was woken.
  bool SleepUntil(std::chrono::steady_clock::time_point end) {
    const auto since = end.time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
    const timespec time{.tv_sec = seconds.count(),
                        .tv_nsec = std::chrono::nanoseconds(since - seconds).count()};
    bool is_woken;
    do {
      is_woken = sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &time) == 0;
    } while (!is_woken && errno == EINTR);
    return is_woken;
  }

 private:
  sem_t semaphore_;
};
#else
class Sleeper : public FutexSleeper {};
#endif
#undef DYNOLITH_GLIBC_2_30

// A number that grows, and many threads that sleep until it reaches theirs. One system call wakes
// all of them, and none of them takes a lock then.
class Milestone {
 public:
  // Writes before Reach are visible after Await. Sleeping threads sleep on until WakeAll.
  void Reach(uint32_t number) { reached_.store(number, std::memory_order_release); }
  void WakeAll() { FutexWakeAll(&reached_); }
  // Numbers may wrap around; a waiting thread must be less than half of the range behind.
  void Await(uint32_t number) {
    for (;;) {
      const uint32_t reached = reached_.load(std::memory_order_acquire);
      if (static_cast<int32_t>(reached - number) >= 0) return;
      FutexWait(&reached_, reached);
    }
  }

 private:
  std::atomic<uint32_t> reached_ = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_SLEEPER_H_
