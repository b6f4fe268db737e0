// Worker threads that handle requests beside the loops, with fair queueing on three levels. The
// next request is that of the caller with the least service, then of its kind of request with the
// least, then of the connection with the least, then the oldest. Service is time on a worker,
// counted as in start-time fair queueing: a caller that returns after a pause starts level with the
// active ones, so it neither pays for the past nor has saved service.
#ifndef DYNOLITH_TOOLS_SERVER_HTTP_WORKER_POOL_H_
#define DYNOLITH_TOOLS_SERVER_HTTP_WORKER_POOL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace dynolith::http {

// The owner of work. Different names have different numbers.
struct WorkOwner {
  uint64_t caller = 0;
  uint64_t kind = 0;  // of request, within the caller
  uint64_t connection = 0;
};

class WorkerPool {
 public:
  struct Options {
    int threads = 1;
    // Whether queueing is fair; otherwise work is done in its order, which costs less.
    bool takes_turns = true;
  };
  // Starts fewer threads if not all of them can be started. Errors: StartThread's, if none can.
  static absl::StatusOr<std::unique_ptr<WorkerPool>> Start(Options options);
  ~WorkerPool() { Stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // `work` must not throw. It does not run after Stop.
  void Add(const WorkOwner& owner, std::function<void()> work);

  // Drops work that has not begun, and waits for running work.
  void Stop();

 private:
  static constexpr size_t kLevels = 3;
  // The service of one caller, kind or connection, in seconds on a scale that its level shares.
  struct Share {
    double served = 0;
    double expected = 0;  // duration of its next work, from its last ones
    size_t works = 0;     // waiting or running
  };
  struct Work {
    std::array<Share*, kLevels> shares{};
    uint64_t number = 0;
    std::function<void()> run;
  };

  explicit WorkerPool(Options options) : options_(options) {}

  void Run();
  bool IsBefore(const Work& one, const Work& other) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool MayBegin(const Work& work) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The next work that may begin; waiting_.end() if there is none.
  std::deque<Work>::iterator FindNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ForgetShares() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  absl::Mutex mutex_;
  absl::CondVar changed_;
  std::deque<Work> waiting_ ABSL_GUARDED_BY(mutex_);
  std::array<std::unordered_map<uint64_t, Share>, kLevels> shares_ ABSL_GUARDED_BY(mutex_);
  // By level, the `served` of the last work that began, from which newcomers start.
  std::array<double, kLevels> begun_at_ ABSL_GUARDED_BY(mutex_){};
  uint64_t next_number_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t long_works_ ABSL_GUARDED_BY(mutex_) = 0;  // running long ones
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_HTTP_WORKER_POOL_H_
