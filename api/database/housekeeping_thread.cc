#include "api/database/housekeeping_thread.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "engine/base/forked_process.h"
#include "engine/base/status_macros.h"
#include "engine/base/thread_start.h"

namespace dynolith {

HousekeepingThread& HousekeepingThread::Shared() {
  static OnePerProcess<HousekeepingThread> shared;
  return shared.Get();
}

absl::StatusOr<int> HousekeepingThread::Add(absl::Duration period, std::function<void()> tick) {
  absl::MutexLock lock(&mutex_);
  // Before there is an entry: who is not taken in takes nothing out.
  if (!thread_.joinable()) {
    DYNOLITH_RETURN_IF_ERROR(StartThread([this, life = lives_] { Run(life); }, &thread_));
  }
  const int number = next_number_++;
  entries_.emplace(number, Entry{period, absl::Now() + period, std::move(tick)});
  ++changes_;
  return number;
}

void HousekeepingThread::Remove(int number) {
  std::thread ended;
  {
    absl::MutexLock lock(&mutex_);
    entries_.erase(number);
    ++changes_;
    const auto is_done = [this, number]()
                             ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return running_ != number; };
    mutex_.Await(absl::Condition(&is_done));
    if (entries_.empty() && thread_.joinable()) {
      // Who comes next starts another one.
      ++lives_;
      ended = std::move(thread_);
    }
  }
  if (ended.joinable()) ended.join();
}

std::map<int, HousekeepingThread::Entry>::iterator HousekeepingThread::First() {
  return std::min_element(
      entries_.begin(), entries_.end(),
      [](const auto& left, const auto& right) { return left.second.next < right.second.next; });
}

void HousekeepingThread::Run(int life) {
  absl::MutexLock lock(&mutex_);
  while (life == lives_) {
    const auto first = First();
    // With nobody left, until whoever was the last has noticed it.
    const absl::Duration wait =
        first == entries_.end() ? absl::InfiniteDuration() : first->second.next - absl::Now();
    if (wait > absl::ZeroDuration()) {
      const auto has_changed = [&, seen = changes_]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return changes_ != seen || life != lives_;
      };
      mutex_.AwaitWithTimeout(absl::Condition(&has_changed), wait);
      continue;
    }
    first->second.next = absl::Now() + first->second.period;
    running_ = first->first;
    const std::function<void()> tick = first->second.tick;
    mutex_.Unlock();
    tick();
    mutex_.Lock();
    running_ = 0;
  }
}

}  // namespace dynolith
