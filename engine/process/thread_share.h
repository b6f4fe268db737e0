// A small number for each thread, which selects one of several copies of a counter or lock in
// different cache lines, so that threads do not contend.
#ifndef DYNOLITH_ENGINE_PROCESS_THREAD_SHARE_H_
#define DYNOLITH_ENGINE_PROCESS_THREAD_SHARE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace dynolith {

inline constexpr size_t kThreadShares = 4;
// The distance of shares, so that no two are in one cache line.
inline constexpr size_t kCacheLineBytes = 64;

// Takes the share that the fewest threads have when its thread first asks: so a few threads have
// one each, whichever threads existed before them.
class ThreadShare {
 public:
  // That of the calling thread: below kThreadShares, always the same.
  static size_t Mine() {
    thread_local const ThreadShare mine;
    return mine.number_;
  }

 private:
  ThreadShare() : number_(Fewest()) { threads_[number_].fetch_add(1, std::memory_order_relaxed); }
  ~ThreadShare() { threads_[number_].fetch_sub(1, std::memory_order_relaxed); }

  // Two threads that ask at once may get the same, which is only slower.
  static size_t Fewest() {
    size_t fewest = 0;
    for (size_t i = 1; i < kThreadShares; ++i) {
      if (threads_[i].load(std::memory_order_relaxed) <
          threads_[fewest].load(std::memory_order_relaxed)) {
        fewest = i;
      }
    }
    return fewest;
  }

  inline static constinit std::array<std::atomic<uint32_t>, kThreadShares> threads_ = {};
  const size_t number_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_THREAD_SHARE_H_
