// What may take long, one after the other on a thread that there is once there was something.
#ifndef DYNOLITH_ENGINE_BASE_BACKGROUND_WORK_H_
#define DYNOLITH_ENGINE_BASE_BACKGROUND_WORK_H_

#include <deque>
#include <functional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace dynolith {

// Thread-safe. What has not begun when it is destroyed is not done.
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
    if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  }

  // Waits until all is done.
  void Drain() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(this, &BackgroundWork::IsIdle));
  }

 private:
  void Run() {
    absl::MutexLock lock(&mutex_);
    for (;;) {
      mutex_.Await(absl::Condition(this, &BackgroundWork::HasWork));
      if (stopping_) return;
      const std::function<void()> work = std::move(works_.front());
      mutex_.Unlock();
      work();
      mutex_.Lock();
      // Only now: who waits for all to be done waits for this, too.
      works_.pop_front();
    }
  }
  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stopping_ || !works_.empty();
  }
  bool IsIdle() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return works_.empty(); }

  absl::Mutex mutex_;
  std::deque<std::function<void()>> works_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // of the first Do, under the mutex
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_BACKGROUND_WORK_H_
