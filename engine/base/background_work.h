// What may take long, one after the other on a thread that there is once there was something.
#ifndef DYNOLITH_ENGINE_BASE_BACKGROUND_WORK_H_
#define DYNOLITH_ENGINE_BASE_BACKGROUND_WORK_H_

#include <deque>
#include <functional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/base/thread_start.h"

namespace dynolith {

// Thread-safe. What has not begun when it is destroyed is not done. Where there is no room for the
// thread, work waits until there is, or until somebody waits for it, who then does it.
class BackgroundWork {
 public:
  BackgroundWork() = default;
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;
  ~BackgroundWork() {
    {
      absl::MutexLock lock(&mutex_);
      stopping_ = true;
    }
    if (thread_.joinable()) thread_.join();
  }

  void Do(std::function<void()> work) {
    absl::MutexLock lock(&mutex_);
    works_.push_back(std::move(work));
    // If not, the next call tries again.
    HasThread();
  }

  // Waits until all is done.
  void Drain() {
    absl::MutexLock lock(&mutex_);
    for (;;) {
      mutex_.Await(absl::Condition(this, &BackgroundWork::IsNotBusy));
      if (works_.empty()) return;
      if (HasThread()) break;
      DoFirst();
    }
    mutex_.Await(absl::Condition(this, &BackgroundWork::IsIdle));
  }

 private:
  void Run() {
    absl::MutexLock lock(&mutex_);
    for (;;) {
      mutex_.Await(absl::Condition(this, &BackgroundWork::HasWork));
      if (stopping_) return;
      DoFirst();
    }
  }
  bool HasThread() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return thread_.joinable() || StartThread([this] { Run(); }, &thread_).ok();
  }
  void DoFirst() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const std::function<void()> work = std::move(works_.front());
    works_.pop_front();
    busy_ = true;
    mutex_.Unlock();
    work();
    mutex_.Lock();
    busy_ = false;
  }
  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !busy_ && (stopping_ || !works_.empty());
  }
  bool IsIdle() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !busy_ && works_.empty(); }
  bool IsNotBusy() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !busy_; }

  absl::Mutex mutex_;
  std::deque<std::function<void()>> works_ ABSL_GUARDED_BY(mutex_);
  bool busy_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // started under the mutex, by the first Do that has room for it
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_BACKGROUND_WORK_H_
