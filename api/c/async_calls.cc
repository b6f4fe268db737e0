#include "api/c/async_calls.h"

#include <utility>

#include "engine/process/thread_start.h"

namespace dynolith::c {

AsyncCalls::~AsyncCalls() {
  std::vector<std::thread> threads;
  {
    absl::MutexLock lock(&mutex_);
    is_ending_ = true;
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

void AsyncCalls::Run(std::function<void()> call) {
  {
    absl::MutexLock lock(&mutex_);
    if (HasThread()) {
      waiting_.push_back(std::move(call));
      return;
    }
  }
  call();
}

bool AsyncCalls::HasThread() {
  // By the end, only a call makes calls, and its thread does them.
  if (is_ending_) return true;
  // Each free one takes one of those that wait.
  if (free_ > waiting_.size() || threads_.size() == kThreadsMax) return true;
  std::thread thread;
  threads_.reserve(kThreadsMax);
  if (StartThread([this] { Work(); }, &thread).ok()) {
    threads_.push_back(std::move(thread));
    ++free_;
  }
  return !threads_.empty();
}

void AsyncCalls::Work() {
  for (;;) {
    std::function<void()> call;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(this, &AsyncCalls::HasWorkOrEnds));
      // All that was asked for is done before the end.
      if (waiting_.empty()) return;
      call = std::move(waiting_.front());
      waiting_.pop_front();
      --free_;
    }
    call();
    absl::MutexLock lock(&mutex_);
    ++free_;
  }
}

}  // namespace dynolith::c
