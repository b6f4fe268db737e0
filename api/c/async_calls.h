// Threads for calls that do not keep their caller waiting.
#ifndef DYNOLITH_API_C_ASYNC_CALLS_H_
#define DYNOLITH_API_C_ASYNC_CALLS_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace dynolith::c {

// Thread-safe. A thread starts when none is free for a call, up to kThreadsMax: most calls compute,
// but those that wait for a disk or an endpoint must not keep others waiting.
class AsyncCalls {
 public:
  static constexpr size_t kThreadsMax = 32;

  AsyncCalls() = default;
  AsyncCalls(const AsyncCalls&) = delete;
  AsyncCalls& operator=(const AsyncCalls&) = delete;
  // Waits until all calls have run. Not from a call.
  ~AsyncCalls();

  // Runs `call`, which must not throw, on one of the threads; or here, before this returns, if
  // there is none and none can be started.
  void Run(std::function<void()> call) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Work() ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether there is a thread, with the new one if it could be started.
  bool HasThread() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasWorkOrEnds() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return !waiting_.empty() || is_ending_;
  }

  absl::Mutex mutex_;
  std::deque<std::function<void()>> waiting_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);
  size_t free_ ABSL_GUARDED_BY(mutex_) = 0;  // threads without a call
  bool is_ending_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace dynolith::c

#endif  // DYNOLITH_API_C_ASYNC_CALLS_H_
