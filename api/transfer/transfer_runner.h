// Does exports and imports in the background, one after the other.
#ifndef DYNOLITH_API_TRANSFER_TRANSFER_RUNNER_H_
#define DYNOLITH_API_TRANSFER_TRANSFER_RUNNER_H_

#include <any>
#include <atomic>
#include <functional>
#include <list>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/process/background_work.h"

namespace dynolith {

// Thread-safe. Its thread starts with the first job.
class TransferRunner {
 public:
  // Set when the runner stops; a job then ends as soon as it can. The next open finishes or
  // restarts its work (interrupted_transfers.h).
  using Stopping = std::atomic<bool>;
  // Its result is an error of ours; errors of the user are in the transfer's record. One that
  // throws has recorded nothing, and is called again.
  using Job = std::function<absl::Status(const Stopping& stopping)>;

  // `may_start`: asked before each transfer begins, which its error refuses; nullptr: all may.
  explicit TransferRunner(std::function<absl::Status()> may_start = nullptr)
      : may_start_(std::move(may_start)) {}
  // Stops, and waits for the running job.
  ~TransferRunner();
  TransferRunner(const TransferRunner&) = delete;
  TransferRunner& operator=(const TransferRunner&) = delete;

  // Before the transfer is recorded, which promises its execution. Errors: may_start's;
  // StartThread's.
  absl::Status Start();
  // A job in the list's memory: made before the record, so that none is taken behind it.
  using Prepared = std::list<Job>;
  static Prepared Prepare(Job job);
  // Requires: Start has been called.
  void Add(Prepared job) noexcept ABSL_LOCKS_EXCLUDED(mutex_);
  // For the running job: calls `record`, which commits its end, until there is room on the disk and
  // memory for that, or the runner stops. Returns its last status. `end`: the state shown
  // meanwhile; empty: none.
  absl::Status Record(
      absl::FunctionRef<absl::Status()> record,
      absl::FunctionRef<std::any()> end = [] { return std::any(); }) ABSL_LOCKS_EXCLUDED(mutex_);
  // The same within `record`, for an end that nothing may precede.
  void ShowEnd(std::any end) ABSL_LOCKS_EXCLUDED(mutex_);
  // The end of the running job, as long as there is no room on the disk to record it.
  template <typename End>
  std::optional<End> UnrecordedEnd() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    const End* const end = std::any_cast<End>(&unrecorded_end_);
    return end == nullptr ? std::nullopt : std::optional<End>(*end);
  }
  // Blocks until nothing is left to do, or a job finds no room to record its end, or the running
  // job waits for a time after `now`, which a manual clock does not reach by itself. Returns the
  // first failure since the last call, or that there is no room.
  absl::Status WaitUntilIdle(absl::Time now = absl::InfiniteFuture()) ABSL_LOCKS_EXCLUDED(mutex_);
  // What a job has thrown since the last call.
  absl::Status TakeFailure() { return work_.TakeFailure(); }
  // Whether nothing is left to do.
  bool IsIdle() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Called by the running job before it waits; InfinitePast: it continues.
  void JobWaitsUntil(absl::Time due) ABSL_LOCKS_EXCLUDED(mutex_);

  // Held from the look-up of a token until its record has been written: of two requests with one
  // token, the second finds the first. Before every lock of the catalog.
  absl::Mutex admission;

 private:
  const std::function<absl::Status()> may_start_;
  absl::Duration DoJob() ABSL_LOCKS_EXCLUDED(mutex_);
  bool Stops() const { return stopping_; }

  mutable absl::Mutex mutex_;
  // The first is the running job; it stays until it is done.
  std::list<Job> jobs_ ABSL_GUARDED_BY(mutex_);
  absl::Status first_failure_ ABSL_GUARDED_BY(mutex_);
  // Set while there is no room to record the end of the running job.
  absl::Status lack_of_room_ ABSL_GUARDED_BY(mutex_);
  std::any unrecorded_end_ ABSL_GUARDED_BY(mutex_);
  absl::Time job_waits_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  Stopping stopping_ = false;
  BackgroundThreads own_thread_{1};  // a job takes long, and may wait
  BackgroundWork work_{&own_thread_, [this] { return DoJob(); }};
};

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_TRANSFER_RUNNER_H_
