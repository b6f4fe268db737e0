#include "tools/server/handover/running_calls.h"

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace dynolith::handover {
namespace {

constexpr absl::Duration kBetweenRunningLooks = absl::Microseconds(200);

size_t ThreadNumber() {
  static std::atomic<size_t> next = 0;
  thread_local const size_t number = next.fetch_add(1, std::memory_order_relaxed);
  return number;
}

}  // namespace

RunningCalls::Call::Call(RunningCalls* calls) {
  Counters& counters = calls->counters_[ThreadNumber() % kCounters];
  const uint64_t turn = calls->turn_.load(std::memory_order_seq_cst);
  counter_ = &counters.by_turn[turn % 2];
  counter_->fetch_add(1, std::memory_order_seq_cst);
}

// Those of the turn that ends are waited for, which new calls do not join. A call may have read an
// older turn and be counted only now, in the counter of new calls; the second turn waits for it.
void RunningCalls::AwaitThoseBefore() {
  absl::MutexLock lock(&mutex_);
  for (int i = 0; i < 2; ++i) {
    const uint64_t ending = turn_.fetch_add(1, std::memory_order_seq_cst) % 2;
    for (Counters& counters : counters_) {
      while (counters.by_turn[ending].load(std::memory_order_seq_cst) != 0) {
        absl::SleepFor(kBetweenRunningLooks);
      }
    }
  }
}

}  // namespace dynolith::handover
