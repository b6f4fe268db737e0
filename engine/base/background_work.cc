#include "engine/base/background_work.h"

#include <algorithm>

#include "engine/base/forked_process.h"
#include "engine/base/status_macros.h"
#include "engine/base/thread_start.h"

namespace dynolith {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Some, so that what takes long for one database does not hold up all others.
constexpr size_t kSharedThreads = 4;

// From now. Nobody waits for years.
SteadyClock::time_point DueAfter(absl::Duration pause) {
  return SteadyClock::now() + absl::ToChronoNanoseconds(std::min(pause, absl::Hours(24 * 365)));
}

class SharedThreads : public BackgroundThreads {
 public:
  SharedThreads() : BackgroundThreads(kSharedThreads) {}
};

}  // namespace

BackgroundThreads* BackgroundThreads::Shared() {
  static OnePerProcess<SharedThreads> shared;
  return &shared.Get();
}

void BackgroundThreads::Run(int life) {
  absl::MutexLock lock(&mutex_);
  if (life == life_) --free_;
  while (life == life_) {
    BackgroundWork* const work = TakeDue();
    if (work == nullptr) {
      AwaitDue(life);
      continue;
    }
    // Without another thread the others wait for this piece.
    if (!scheduled_.empty()) StartThreadIfNoneIsFree().IgnoreError();
    DoPiece(work);
  }
}

void BackgroundThreads::AwaitDue(int life) {
  ++free_;
  if (is_watched_) {
    const auto is_needed = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return !is_watched_ || life != life_;
    };
    mutex_.Await(absl::Condition(&is_needed));
    if (life == life_) --free_;
    return;
  }
  is_watched_ = true;
  const absl::Duration wait =
      scheduled_.empty() ? absl::InfiniteDuration()
                         : absl::FromChrono(scheduled_.begin()->first - SteadyClock::now());
  const auto has_changed = [&, seen = firsts_]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return firsts_ != seen || life != life_;
  };
  mutex_.AwaitWithTimeout(absl::Condition(&has_changed), wait);
  if (life != life_) return;
  is_watched_ = false;
  --free_;
}

BackgroundWork* BackgroundThreads::TakeDue() {
  if (scheduled_.empty() || scheduled_.begin()->first > SteadyClock::now()) return nullptr;
  BackgroundWork* const work = scheduled_.begin()->second;
  Unschedule(work);
  return work;
}

void BackgroundThreads::DoPiece(BackgroundWork* work) {
  work->is_under_way_ = true;
  work->is_woken_.exchange(false);
  mutex_.Unlock();
  const absl::Duration pause = work->piece_();
  mutex_.Lock();
  work->is_under_way_ = false;
  if (work->is_stopped_) return;
  if (work->due_) {
    // Asked for meanwhile.
    Schedule(work, *std::exchange(work->due_, std::nullopt));
  }
  if (pause < absl::InfiniteDuration()) {
    Schedule(work, DueAfter(pause));
  }
}

void BackgroundThreads::Schedule(BackgroundWork* work, TimePoint due) {
  if (work->due_ && *work->due_ <= due) return;
  Unschedule(work);
  work->due_ = due;
  if (work->is_under_way_) return;
  const auto place = scheduled_.emplace(due, work).first;
  if (place == scheduled_.begin()) ++firsts_;
}

void BackgroundThreads::Unschedule(BackgroundWork* work) {
  if (work->due_) scheduled_.erase({*work->due_, work});
  work->due_.reset();
}

absl::Status BackgroundThreads::StartThreadIfNoneIsFree() {
  if (free_ > 0 || started_.size() == threads_max_) return absl::OkStatus();
  std::thread thread;
  DYNOLITH_RETURN_IF_ERROR(StartThread([this, life = life_] { Run(life); }, &thread));
  started_.push_back(std::move(thread));
  ++free_;
  return absl::OkStatus();
}

absl::Status BackgroundWork::Begin(absl::Duration pause) {
  absl::MutexLock lock(&threads_.mutex_);
  if (is_stopped_) return absl::OkStatus();
  if (!std::exchange(has_begun_, true)) ++threads_.works_;
  if (pause < absl::InfiniteDuration()) {
    threads_.Schedule(this, DueAfter(pause));
  }
  const bool has_thread = !threads_.started_.empty();
  if (has_thread && pause == absl::InfiniteDuration()) return absl::OkStatus();
  const absl::Status started = threads_.StartThreadIfNoneIsFree();
  return has_thread ? absl::OkStatus() : started;
}

void BackgroundWork::Wake() {
  if (is_woken_.exchange(true)) return;
  if (!Begin(absl::ZeroDuration()).ok()) is_woken_ = false;
}

void BackgroundWork::Drain() {
  const auto is_not_under_way = [this] { return !is_under_way_; };
  // Who has woken it may not have come to schedule it yet.
  const auto is_idle = [this] {
    if (is_stopped_) return true;
    const bool is_due = is_woken_ || (due_ && *due_ <= SteadyClock::now());
    return !is_under_way_ && !is_due;
  };
  absl::MutexLock lock(&threads_.mutex_);
  while (threads_.started_.empty()) {
    threads_.mutex_.Await(absl::Condition(&is_not_under_way));
    if (is_idle()) return;
    if (threads_.StartThreadIfNoneIsFree().ok()) break;
    threads_.Unschedule(this);
    threads_.DoPiece(this);
  }
  threads_.mutex_.Await(absl::Condition(&is_idle));
}

void BackgroundWork::Stop() {
  std::vector<std::thread> ended;
  {
    absl::MutexLock lock(&threads_.mutex_);
    is_stopped_ = true;
    threads_.Unschedule(this);
    const auto is_not_under_way = [this] { return !is_under_way_; };
    threads_.mutex_.Await(absl::Condition(&is_not_under_way));
    if (std::exchange(has_begun_, false) && --threads_.works_ == 0) {
      // Who comes next starts others.
      ++threads_.life_;
      threads_.free_ = 0;
      threads_.is_watched_ = false;
      ended.swap(threads_.started_);
    }
  }
  for (std::thread& thread : ended) thread.join();
}

void BackgroundQueue::Do(std::function<void()> what) {
  {
    absl::MutexLock lock(&mutex_);
    waiting_.push_back(std::move(what));
  }
  work_.Wake();
}

absl::Duration BackgroundQueue::DoNext() {
  std::function<void()> next;
  {
    absl::MutexLock lock(&mutex_);
    if (waiting_.empty()) return absl::InfiniteDuration();
    next = std::move(waiting_.front());
    waiting_.pop_front();
  }
  next();
  return absl::ZeroDuration();
}

}  // namespace dynolith
