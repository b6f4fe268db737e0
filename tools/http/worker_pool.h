// Threads that handle requests beside the loops. Who asks for much waits behind who asks for
// little: of what waits, that is next whose caller has been served least, then whose kind of
// request of this caller, then whose connection, then what has waited longest. "Served" is time on
// a worker, counted as in start-time fair queueing: who comes back after a pause begins where the
// others are, and neither pays for the past nor has saved anything.
#ifndef DYNOLITH_TOOLS_HTTP_WORKER_POOL_H_
#define DYNOLITH_TOOLS_HTTP_WORKER_POOL_H_

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

// Whose work it is, as numbers that differ where names do.
struct WorkOwner {
  uint64_t caller = 0;
  uint64_t kind = 0;  // of one caller
  uint64_t connection = 0;
};

class WorkerPool {
 public:
  struct Options {
    int threads = 1;
    // Whether there are turns; else the first is served first, which costs less.
    bool takes_turns = true;
  };
  // With fewer threads where not so many can be started. Errors: StartThread's, if none can.
  static absl::StatusOr<std::unique_ptr<WorkerPool>> Start(Options options);
  // Stops.
  ~WorkerPool() { Stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // `work` must not throw. Nothing is done with it after Stop.
  void Add(const WorkOwner& owner, std::function<void()> work);

  // Drops what has not begun, and waits for what has.
  void Stop();

 private:
  static constexpr size_t kLevels = 3;
  // What somebody has had, in seconds on a scale that all of one level share.
  struct Share {
    double served = 0;
    double expected = 0;  // of the next work, by the last ones
    size_t works = 0;     // that wait or run
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
  // The place of what is next; that of the end if nothing may begin.
  std::deque<Work>::iterator FindNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ForgetShares() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  absl::Mutex mutex_;
  absl::CondVar changed_;
  std::deque<Work> waiting_ ABSL_GUARDED_BY(mutex_);
  std::array<std::unordered_map<uint64_t, Share>, kLevels> shares_ ABSL_GUARDED_BY(mutex_);
  // What the last that began had been served: where newcomers begin.
  std::array<double, kLevels> begun_at_ ABSL_GUARDED_BY(mutex_){};
  uint64_t next_number_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t long_works_ ABSL_GUARDED_BY(mutex_) = 0;  // that run
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_HTTP_WORKER_POOL_H_
