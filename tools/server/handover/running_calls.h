// The calls that are running, so that one can wait for the end of those that have begun before.
#ifndef DYNOLITH_TOOLS_SERVER_HANDOVER_RUNNING_CALLS_H_
#define DYNOLITH_TOOLS_SERVER_HANDOVER_RUNNING_CALLS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace dynolith::handover {

// Thread-safe. A call costs two additions to a counter that few threads share.
class RunningCalls {
 public:
  // A call, as long as it lives.
  class Call {
   public:
    explicit Call(RunningCalls* calls);
    ~Call() { counter_->fetch_sub(1, std::memory_order_seq_cst); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    std::atomic<int64_t>* counter_;
  };

  // Returns when each call has ended that began before this one. What a thread has written before
  // it calls this is seen by all calls that are not waited for.
  void AwaitThoseBefore() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  static constexpr size_t kCounters = 16;
  static constexpr size_t kCacheLineBytes = 64;
  // Of calls that began at an even and at an odd turn.
  struct alignas(kCacheLineBytes) Counters {
    std::array<std::atomic<int64_t>, 2> by_turn{};
  };

  std::array<Counters, kCounters> counters_;
  std::atomic<uint64_t> turn_ = 0;
  absl::Mutex mutex_;  // held by who waits
};

}  // namespace dynolith::handover

#endif  // DYNOLITH_TOOLS_SERVER_HANDOVER_RUNNING_CALLS_H_
