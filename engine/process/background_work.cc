#include "engine/process/background_work.h"

#include <algorithm>
#include <array>
#include <new>

#include "engine/base/exceptions.h"
#include "engine/base/status_macros.h"
#include "engine/process/forked_process.h"
#include "engine/process/sleeper.h"
#include "engine/process/thread_start.h"

namespace dynolith {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Several threads of each kind, so that long work of one database does not delay all others.
constexpr size_t kSharedThreads = 4;
constexpr size_t kKinds = 4;

// The pause before a piece that has thrown is retried: the first one, and the longest.
constexpr absl::Duration kFirstPause = absl::Milliseconds(100);
constexpr absl::Duration kLongestPause = absl::Seconds(10);

// The time after a pause from now. Bounded, since a time point cannot hold an infinite pause.
SteadyClock::time_point DueAfter(absl::Duration pause) {
  return SteadyClock::now() + absl::ToChronoNanoseconds(std::min(pause, absl::Hours(24 * 365)));
}

absl::Duration PauseAfterThrows(int throws) {
  absl::Duration pause = kFirstPause;
  for (int i = 1; i < throws && pause < kLongestPause; ++i) pause *= 2;
  return std::min(pause, kLongestPause);
}

class SharedThreads : public BackgroundThreads {
 public:
  SharedThreads() : BackgroundThreads(kSharedThreads) {}
};

}  // namespace

BackgroundThreads* BackgroundThreads::Shared(Kind kind) {
  static std::array<OnePerProcess<SharedThreads>, kKinds> shared;
  return &shared.at(static_cast<size_t>(kind)).Get();
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
    if (!scheduled_.empty()) TryToStartAnother();
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
  Sleeper sleeper;
  watcher_ = &sleeper;
  const std::optional<TimePoint> due =
      scheduled_.empty() ? std::nullopt : std::optional(scheduled_.begin()->first);
  mutex_.Unlock();
  if (due) {
    sleeper.SleepUntil(*due);
  } else {
    sleeper.Sleep();
  }
  mutex_.Lock();
  if (watcher_ == &sleeper) watcher_ = nullptr;
  if (life != life_) return;
  is_watched_ = false;
  --free_;
}

void BackgroundThreads::WakeWatcher() {
  if (watcher_ != nullptr) std::exchange(watcher_, nullptr)->Wake();
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
  absl::Duration pause;
  std::exception_ptr thrown;
  try {
    pause = work->piece_();
  } catch (...) {
    thrown = std::current_exception();
  }
  mutex_.Lock();
  work->is_under_way_ = false;
  if (thrown == nullptr) {
    work->throws_ = 0;
  } else {
    pause = NoteThrown(work, std::move(thrown));
  }
  if (work->is_stopped_) return;
  if (work->due_) {
    // Asked for meanwhile.
    Schedule(work, *std::exchange(work->due_, std::nullopt));
  }
  if (pause < absl::InfiniteDuration()) {
    Schedule(work, DueAfter(pause));
  }
}

absl::Duration BackgroundThreads::NoteThrown(BackgroundWork* work, std::exception_ptr thrown) {
  if (work->thrown_ == nullptr) work->thrown_ = std::move(thrown);
  return PauseAfterThrows(++work->throws_);
}

void BackgroundThreads::Schedule(BackgroundWork* work, TimePoint due) {
  if (work->due_ && *work->due_ <= due) return;
  Unschedule(work);
  work->due_ = due;
  if (work->is_under_way_) return;
  work->place_.value() = {due, work};
  const auto place = scheduled_.insert(std::move(work->place_)).position;
  if (place == scheduled_.begin()) WakeWatcher();
}

void BackgroundThreads::Unschedule(BackgroundWork* work) {
  if (work->due_ && work->place_.empty()) work->place_ = scheduled_.extract({*work->due_, work});
  work->due_.reset();
}

absl::Status BackgroundThreads::StartThreadIfNoneIsFree() {
  if (free_ > 0 || started_.size() == threads_max_) return absl::OkStatus();
  started_.reserve(threads_max_);
  std::thread thread;
  DYNOLITH_RETURN_IF_ERROR(StartThread([this, life = life_] { Run(life); }, &thread));
  started_.push_back(std::move(thread));
  ++free_;
  return absl::OkStatus();
}

void BackgroundThreads::TryToStartAnother() noexcept {
  try {
    StartThreadIfNoneIsFree().IgnoreError();
  } catch (const std::bad_alloc&) {
  }
}

BackgroundWork::BackgroundWork(BackgroundThreads* threads, Piece piece)
    : threads_(*threads), piece_(std::move(piece)) {
  BackgroundThreads::Scheduled alone = {{{}, this}};
  place_ = alone.extract(alone.begin());
}

absl::Status BackgroundWork::Begin(absl::Duration pause) {
  absl::MutexLock lock(&threads_.mutex_);
  if (is_stopped_) return absl::OkStatus();
  if (!std::exchange(has_begun_, true)) ++threads_.works_;
  if (pause < absl::InfiniteDuration()) {
    threads_.Schedule(this, DueAfter(pause));
  }
  if (threads_.started_.empty()) return threads_.StartThreadIfNoneIsFree();
  if (pause < absl::InfiniteDuration()) threads_.TryToStartAnother();
  return absl::OkStatus();
}

void BackgroundWork::Wake() noexcept {
  if (is_woken_.exchange(true)) return;
  try {
    if (Begin(absl::ZeroDuration()).ok()) return;
  } catch (const std::bad_alloc&) {
  }
  is_woken_ = false;
}

void BackgroundWork::Drain() {
  // A caller of Wake may have set is_woken_ and not yet have scheduled the work.
  const auto is_idle = [this] {
    if (is_stopped_) return true;
    const bool is_due = is_woken_ || (due_ && *due_ <= SteadyClock::now());
    return !is_under_way_ && !is_due;
  };
  const auto has_no_thread = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(threads_.mutex_) {
    return !is_under_way_ && threads_.free_ == 0;
  };
  const auto is_here = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(threads_.mutex_) {
    return is_idle() || has_no_thread();
  };
  absl::MutexLock lock(&threads_.mutex_);
  for (;;) {
    threads_.mutex_.Await(absl::Condition(&is_here));
    if (is_idle()) return;
    threads_.TryToStartAnother();
    if (!has_no_thread()) continue;
    threads_.Unschedule(this);
    threads_.DoPiece(this);
  }
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
      // The last work ends the threads; a later one starts new threads.
      ++threads_.life_;
      threads_.WakeWatcher();
      threads_.free_ = 0;
      threads_.is_watched_ = false;
      ended.swap(threads_.started_);
    }
  }
  for (std::thread& thread : ended) thread.join();
}

absl::Status BackgroundWork::TakeFailure() {
  std::exception_ptr thrown;
  {
    absl::MutexLock lock(&threads_.mutex_);
    thrown = std::exchange(thrown_, nullptr);
  }
  return thrown == nullptr ? absl::OkStatus() : StatusOfThrown(thrown);
}

void BackgroundQueue::Do(std::function<void()> what) {
  {
    absl::MutexLock lock(&mutex_);
    waiting_.push_back(std::move(what));
  }
  work_.Wake();
}

absl::Duration BackgroundQueue::DoNext() {
  std::function<void()>* next = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    if (waiting_.empty()) return absl::InfiniteDuration();
    next = &waiting_.front();  // new tasks do not move it
  }
  (*next)();
  std::function<void()> done;  // destroyed after the lock is released
  absl::MutexLock lock(&mutex_);
  done = std::move(waiting_.front());
  waiting_.pop_front();
  return absl::ZeroDuration();
}

}  // namespace dynolith
