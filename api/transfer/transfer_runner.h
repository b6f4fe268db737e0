// Does exports and imports in the background, one after the other.
#ifndef DYNOLITH_API_TRANSFER_TRANSFER_RUNNER_H_
#define DYNOLITH_API_TRANSFER_TRANSFER_RUNNER_H_

#include <atomic>
#include <deque>
#include <functional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace dynolith {

// Thread-safe. Has a thread from the first job on.
class TransferRunner {
 public:
  // Told when the runner is to stop; a job then ends as soon as it can. What it has begun is
  // ended or begun anew by the next open (interrupted_transfers.h).
  using Stopping = std::atomic<bool>;
  // Its result is a fault of ours; what the user is to blame for is in the transfer's record.
  using Job = std::function<absl::Status(const Stopping& stopping)>;

  TransferRunner() = default;
  // Stops, and waits for the job under way.
  ~TransferRunner();
  TransferRunner(const TransferRunner&) = delete;
  TransferRunner& operator=(const TransferRunner&) = delete;

  void Add(Job job) ABSL_LOCKS_EXCLUDED(mutex_);
  // Blocks until nothing is left to do, or until the job under way waits for a time behind `now`,
  // which a clock that is moved by hand does not reach by itself. Returns the first failure since
  // the last call.
  absl::Status WaitUntilIdle(absl::Time now = absl::InfiniteFuture()) ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether nothing is left to do.
  bool IsIdle() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Said by the job under way, before it waits; InfinitePast: it goes on.
  void JobWaitsUntil(absl::Time due) ABSL_LOCKS_EXCLUDED(mutex_);

  // Held from looking for a token until the record with it has been written: of two requests with
  // one token, the second finds the first. Before every lock of the catalog.
  absl::Mutex admission;

 private:
  void Run() ABSL_LOCKS_EXCLUDED(mutex_);
  bool HasWorkOrStops() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stopping_ || !jobs_.empty();
  }

  mutable absl::Mutex mutex_;
  // The front is the job under way; it stays until it is done.
  std::deque<Job> jobs_ ABSL_GUARDED_BY(mutex_);
  absl::Status first_failure_ ABSL_GUARDED_BY(mutex_);
  absl::Time job_waits_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  Stopping stopping_ = false;
  std::thread thread_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_TRANSFER_RUNNER_H_
