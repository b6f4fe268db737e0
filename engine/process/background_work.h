// Background work: pieces of work, one after the other, on threads that start with the first work.
#ifndef DYNOLITH_ENGINE_PROCESS_BACKGROUND_WORK_H_
#define DYNOLITH_ENGINE_PROCESS_BACKGROUND_WORK_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
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
class Sleeper;

// Up to a number of threads for any number of works. The first thread starts with the first work
// that begins, another one when none is free for due work or to watch the time, and all end with
// the last work. If no further thread can be started, or there is no memory for it, the existing
// ones do everything, later. Thread-safe; outlives its works.
class BackgroundThreads {
 public:
  explicit BackgroundThreads(size_t threads_max) : threads_max_(threads_max) {}
  BackgroundThreads(const BackgroundThreads&) = delete;
  BackgroundThreads& operator=(const BackgroundThreads&) = delete;

  // The process's threads for works of one kind, of all its databases, of which there may be
  // thousands. A piece must not wait until another work of its kind, or of a later one, gets a
  // thread.
  enum class Kind : uint8_t {
    kRoom,      // resuming commits of stores whose disk was full, for which others wait
    kInFolder,  // short pieces for databases in folders
    kFill,      // filling indexes in folders: a piece may take minutes
    kInMemory,  // all for databases in memory
  };
  static BackgroundThreads* Shared(Kind kind);

 private:
  friend class BackgroundWork;
  using TimePoint = std::chrono::steady_clock::time_point;
  using Scheduled = std::set<std::pair<TimePoint, BackgroundWork*>>;

  // The loop of a thread: runs due pieces, else waits. `life` is the one in which it starts.
  void Run(int life) ABSL_LOCKS_EXCLUDED(mutex_);
  void AwaitDue(int life) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The first of the schedule, or the life, has changed.
  void WakeWatcher() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Removes it from the schedule; nullptr: nothing is due.
  BackgroundWork* TakeDue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DoPiece(BackgroundWork* work) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Schedules its next try, and notes the exception. Returns the pause until then.
  static absl::Duration NoteThrown(BackgroundWork* work, std::exception_ptr thrown);
  // Schedules the next piece of `work` then, unless an earlier time is already requested. Takes no
  // memory.
  void Schedule(BackgroundWork* work, TimePoint due) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Unschedule(BackgroundWork* work) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // May throw std::bad_alloc; then nothing has changed.
  absl::Status StartThreadIfNoneIsFree() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The same if there is a thread already, so that a failure only costs time.
  void TryToStartAnother() noexcept ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t threads_max_;
  absl::Mutex mutex_;
  std::vector<std::thread> started_ ABSL_GUARDED_BY(mutex_);
  size_t free_ ABSL_GUARDED_BY(mutex_) = 0;          // of them, or about to be
  bool is_watched_ ABSL_GUARDED_BY(mutex_) = false;  // whether one of them watches the time
  int life_ ABSL_GUARDED_BY(mutex_) = 0;             // how often all were told to end
  size_t works_ ABSL_GUARDED_BY(mutex_) = 0;         // that have begun and not stopped
  // Works without a running piece.
  Scheduled scheduled_ ABSL_GUARDED_BY(mutex_);
  // Of the thread that watches the time, until it is woken. Not absl::Mutex with a timeout: that
  // waits by the machine's clock, for as much longer as somebody sets it back.
  Sleeper* watcher_ ABSL_GUARDED_BY(mutex_) = nullptr;
};

// Thread-safe.
class BackgroundWork {
 public:
  // Does the next piece, one at a time, and returns the time until the following one: ZeroDuration
  // if there is more to do, InfiniteDuration to wait for Wake. A piece that throws, as it does
  // without memory, is called again after 0.1 s, then after twice as long each time, up to 10 s, or
  // by Wake: it must leave behind a state from which it can continue.
  using Piece = std::function<absl::Duration()>;

  BackgroundWork(BackgroundThreads* threads, Piece piece);
  ~BackgroundWork() { Stop(); }
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  // Schedules the next piece after that time, unless an earlier one is already requested. When it
  // has succeeded there is a thread until Stop, so that no work is lost. Errors: StartThread's, if
  // there is no thread at all; the piece runs once there is one.
  absl::Status Begin(absl::Duration pause = absl::InfiniteDuration());
  // Schedules the next piece now; another one if one is running. If there is no thread and none can
  // be started, the next call tries again.
  void Wake() noexcept;
  // Waits until no piece is due soon; one that has thrown is due later. If no thread is free for
  // it, this thread does the work, so that it waits for no other work.
  void Drain();
  // The first exception of a piece since the last call (StatusOfThrown).
  absl::Status TakeFailure();
  // Returns when no piece of this work is running; there will be no other. Not to be called by a
  // piece.
  void Stop();

 private:
  friend class BackgroundThreads;

  BackgroundThreads& threads_;
  const Piece piece_;
  // Whether a piece is about to begin that sees everything before Wake.
  std::atomic<bool> is_woken_ = false;
  // The mutex of the threads guards the rest.
  bool has_begun_ = false;
  bool is_stopped_ = false;
  bool is_under_way_ = false;
  int throws_ = 0;             // in a row
  std::exception_ptr thrown_;  // the first since TakeFailure
  std::optional<BackgroundThreads::TimePoint> due_;
  // Its node of the schedule, allocated in advance; empty while it is in there.
  BackgroundThreads::Scheduled::node_type place_;
};

// Single tasks, one after the other; one that throws is retried, as the piece of a work. Those that
// have not begun at its destruction are dropped. Thread-safe.
class BackgroundQueue {
 public:
  // A thread of its own.
  BackgroundQueue() : BackgroundQueue(nullptr) {}
  explicit BackgroundQueue(BackgroundThreads* threads)
      : work_(threads == nullptr ? &own_thread_ : threads, [this] { return DoNext(); }) {}

  void Do(std::function<void()> what) ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits until all is done. If no thread is free for it, this thread does the work.
  void Drain() { work_.Drain(); }

 private:
  absl::Duration DoNext() ABSL_LOCKS_EXCLUDED(mutex_);

  absl::Mutex mutex_;
  std::deque<std::function<void()>> waiting_ ABSL_GUARDED_BY(mutex_);
  BackgroundThreads own_thread_{1};
  BackgroundWork work_;  // last: it stops before the members that it uses are destroyed
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_BACKGROUND_WORK_H_
