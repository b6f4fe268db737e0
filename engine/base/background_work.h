// What is done in the background: pieces of work, one after the other, on threads that there are
// once there was something to do.
#ifndef DYNOLITH_ENGINE_BASE_BACKGROUND_WORK_H_
#define DYNOLITH_ENGINE_BASE_BACKGROUND_WORK_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace dynolith {

class BackgroundWork;

// Up to a number of threads for any number of works. The first thread starts with the first work
// that begins, another one when none is free for what is due or to look at the time, and all end
// with the last work. Where there is no room for another thread those that there are do everything,
// later. Thread-safe; outlives its works.
class BackgroundThreads {
 public:
  explicit BackgroundThreads(size_t threads_max) : threads_max_(threads_max) {}
  BackgroundThreads(const BackgroundThreads&) = delete;
  BackgroundThreads& operator=(const BackgroundThreads&) = delete;

  // The process's, for works of databases in memory, of which there may be thousands. A piece of
  // such a work must not wait for a piece of another one.
  static BackgroundThreads* Shared();

 private:
  friend class BackgroundWork;
  using TimePoint = std::chrono::steady_clock::time_point;

  // Whoever does the pieces: takes what is due, else waits. `life` is the one that it starts in.
  void Run(int life) ABSL_LOCKS_EXCLUDED(mutex_);
  void AwaitDue(int life) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Removes it from what is scheduled; nullptr: nothing is due.
  BackgroundWork* TakeDue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DoPiece(BackgroundWork* work) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The next piece of `work` then, or earlier if that was asked for.
  void Schedule(BackgroundWork* work, TimePoint due) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Unschedule(BackgroundWork* work) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status StartThreadIfNoneIsFree() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t threads_max_;
  absl::Mutex mutex_;
  std::vector<std::thread> started_ ABSL_GUARDED_BY(mutex_);
  size_t free_ ABSL_GUARDED_BY(mutex_) = 0;          // of them, or about to be
  bool is_watched_ ABSL_GUARDED_BY(mutex_) = false;  // whether one of them looks at the time
  int life_ ABSL_GUARDED_BY(mutex_) = 0;             // how often all were told to end
  size_t works_ ABSL_GUARDED_BY(mutex_) = 0;         // that have begun and not stopped
  // Of works whose pieces are not under way.
  std::set<std::pair<TimePoint, BackgroundWork*>> scheduled_ ABSL_GUARDED_BY(mutex_);
  int firsts_ ABSL_GUARDED_BY(mutex_) = 0;  // how often another one came to be the first of them
};

// Thread-safe.
class BackgroundWork {
 public:
  // Does the next piece, one at a time, and returns how long the one after it has time:
  // ZeroDuration if there is more to do, InfiniteDuration until Wake.
  using Piece = std::function<absl::Duration()>;

  BackgroundWork(BackgroundThreads* threads, Piece piece)
      : threads_(*threads), piece_(std::move(piece)) {}
  ~BackgroundWork() { Stop(); }
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  // Has the next piece done after that time, or earlier if that was asked for. When it has
  // succeeded there is a thread until Stop, so that nothing of the work is forgotten. Errors:
  // StartThread's, if there is no thread at all; the piece is done once there is one.
  absl::Status Begin(absl::Duration pause = absl::InfiniteDuration());
  // Has the next piece done soon, another one if one is under way. If there is no thread and no
  // room for one, the next call tries again.
  void Wake();
  // Waits until nothing is to be done soon. If there is no thread, it is done here.
  void Drain();
  // Returns when no piece is under way; no other will be. Not to be called by a piece.
  void Stop();

 private:
  friend class BackgroundThreads;

  BackgroundThreads& threads_;
  const Piece piece_;
  // Whether a piece begins soon that sees what was before Wake.
  std::atomic<bool> is_woken_ = false;
  // The rest is under the mutex of the threads.
  bool has_begun_ = false;
  bool is_stopped_ = false;
  bool is_under_way_ = false;
  std::optional<BackgroundThreads::TimePoint> due_;
};

// What is done once, each one behind the one before. What has not begun when it is destroyed is not
// done. Thread-safe.
class BackgroundQueue {
 public:
  // A thread of its own.
  BackgroundQueue() : BackgroundQueue(nullptr) {}
  explicit BackgroundQueue(BackgroundThreads* threads)
      : work_(threads == nullptr ? &own_thread_ : threads, [this] { return DoNext(); }) {}

  void Do(std::function<void()> what) ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits until all is done. If there is no room for a thread, it is done here.
  void Drain() { work_.Drain(); }

 private:
  absl::Duration DoNext() ABSL_LOCKS_EXCLUDED(mutex_);

  absl::Mutex mutex_;
  std::deque<std::function<void()>> waiting_ ABSL_GUARDED_BY(mutex_);
  BackgroundThreads own_thread_{1};
  BackgroundWork work_;  // last: it stops before what it uses goes
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_BACKGROUND_WORK_H_
