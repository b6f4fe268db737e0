// Fills new global indexes, and new layouts of those that are resharded, in the background, one
// step after the other, beside reads and writes.
#ifndef DYNOLITH_INDEX_BACKFILL_RUNNER_H_
#define DYNOLITH_INDEX_BACKFILL_RUNNER_H_

#include <deque>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/catalog/catalog.h"
#include "engine/process/background_work.h"
#include "engine/store/row_locks.h"
#include "engine/store/store.h"
#include "engine/store/transaction/leases.h"
#include "index/backfill.h"

namespace dynolith {

// Thread-safe. Everything passed to Make must outlive the runner.
class BackfillRunner {
 public:
  // Resumes the work that the last stop has interrupted: every index that is still CREATING, or
  // resharding, where it stopped; one that was being filled from sorted files restarts in steps
  // from the first row on, so that even many short runs finish it. Errors: StartThread's, if
  // `threads` have none. `leases`: of a store that other processes use as well, where one fills at
  // a time; nullptr: there are none.
  static absl::StatusOr<std::unique_ptr<BackfillRunner>> Make(
      Store* store, RowLocks* locks, Catalog* catalog, BackgroundThreads* threads,
      BeforeReshard before_reshard = nullptr, Leases* leases = nullptr);
  // Stops.
  ~BackfillRunner();
  BackfillRunner(const BackfillRunner&) = delete;
  BackfillRunner& operator=(const BackfillRunner&) = delete;

  // Returns after the running step, which it interrupts if it is a long one. Unfinished indexes
  // stay CREATING until the next open.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

  // Fills the layout, which the catalog has as one to fill (LayoutToFill).
  void Add(const Table& table, StorageId layout_id) ABSL_LOCKS_EXCLUDED(mutex_);
  // All of the table's. Without memory it finds them later.
  void AddUnfinished(const Table& table) noexcept ABSL_LOCKS_EXCLUDED(mutex_);

  // Blocks until nothing is left to fill, or until Stop, or as long as there is room on the disk.
  // Returns the first failure since the last call, or that there is no room. A backfill that found
  // no room continues when there is some; after any other failure the index stays CREATING until
  // the next open.
  absl::Status WaitUntilIdle() ABSL_LOCKS_EXCLUDED(mutex_);
  // What a step has thrown since the last call; it is tried again.
  absl::Status TakeFailure() { return work_.TakeFailure(); }
  // Whether nothing is left to fill.
  bool IsIdle() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Ids are never reused: a job whose table, index or layout is dropped finds nothing to do, even
  // if others of the same name exist.
  struct Job {
    std::string table_name;
    StorageId layout_id = 0;
    // By the end of an earlier runner, a full disk or a lack of memory: as after a restart, what
    // sorted files have left of it is not known.
    bool was_interrupted = false;
  };

  BackfillRunner(Store* store, RowLocks* locks, Catalog* catalog, BackgroundThreads* threads,
                 BeforeReshard before_reshard, Leases* leases);
  // Adds the table's layouts that must be filled.
  void Collect(const Table& table) ABSL_LOCKS_EXCLUDED(mutex_);
  void CollectAll() ABSL_LOCKS_EXCLUDED(mutex_);
  // A step of the first job.
  absl::Duration DoStep() ABSL_LOCKS_EXCLUDED(mutex_);
  // What comes of a step of the first job, as it was before. Returns the pause before the next one.
  absl::Duration NoteDone(const Job& job, const absl::StatusOr<bool>& done)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // One step; true when there is nothing left to do.
  absl::StatusOr<bool> Step(const Job& job, const Lease* lease);
  bool IsIdleOrStops() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stopping_ || IsEmpty() || !lack_of_room_.ok();
  }
  bool IsEmpty() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return jobs_.empty() && !must_collect_all_;
  }

  Store* const store_;
  RowLocks* const locks_;
  Catalog* const catalog_;
  const BeforeReshard before_reshard_;
  Leases* const leases_;
  mutable absl::Mutex mutex_;
  // The first is the running job; it stays until it is done.
  std::deque<Job> jobs_ ABSL_GUARDED_BY(mutex_);
  bool must_collect_all_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status first_failure_ ABSL_GUARDED_BY(mutex_);
  // Set while the running job finds no room on the disk.
  absl::Status lack_of_room_ ABSL_GUARDED_BY(mutex_);
  BackgroundWork work_;  // last: it stops before the members that it uses are destroyed
};

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_BACKFILL_RUNNER_H_
