// Threads that wait until a word of memory changes, and those that wake them.
#ifndef DYNOLITH_ENGINE_PROCESS_FUTEX_H_
#define DYNOLITH_ENGINE_PROCESS_FUTEX_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>
#endif

namespace dynolith {

// Of the steady clock; nullopt: there is no end.
using FutexEnd = std::optional<std::chrono::steady_clock::time_point>;

// Waits if the word has the value. Returns when the word was woken, at the end, or for no reason:
// false only at the end.
bool FutexWait(std::atomic<uint32_t>* word, uint32_t value, FutexEnd end = std::nullopt);
// Wakes one or all of those who wait. The word may be gone already: the system is told an address
// only.
void FutexWakeOne(std::atomic<uint32_t>* word);
void FutexWakeAll(std::atomic<uint32_t>* word);

#ifdef __linux__
inline bool FutexWait(std::atomic<uint32_t>* word, uint32_t value, FutexEnd end) {
  timespec time = {};
  if (end) {
    const auto since = end->time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
    time = {.tv_sec = seconds.count(),
            .tv_nsec = std::chrono::nanoseconds(since - seconds).count()};
  }
  // With a bit set the end is a time of CLOCK_MONOTONIC, not a duration.
  return syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, end ? &time : nullptr, nullptr,
                 FUTEX_BITSET_MATCH_ANY) == 0 ||
         errno != ETIMEDOUT;
}
inline void FutexWakeOne(std::atomic<uint32_t>* word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}
inline void FutexWakeAll(std::atomic<uint32_t>* word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}
#endif

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_FUTEX_H_
