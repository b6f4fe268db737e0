// Periodic work that no request triggers: runs in the background, or when a manual clock is
// advanced.
#ifndef DYNOLITH_API_DATABASE_HOUSEKEEPER_H_
#define DYNOLITH_API_DATABASE_HOUSEKEEPER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "api/request/operation_context.h"
#include "api/write/row_write.h"
#include "engine/process/background_work.h"
#include "engine/process/forked_process.h"
#include "engine/store/transaction/leases.h"
#include "engine/ttl/expiry_index.h"

namespace dynolith {

struct HousekeeperOptions {
  // The time between two sweeps. Zero or infinite: only SweepNow sweeps.
  absl::Duration sweep_period = absl::Seconds(1);
  // The context's clock if it is a manual one: then due work is part of an advance. nullptr: the
  // work runs in the background, by the machine's clock.
  ManualClock* clock = nullptr;
  // Of the store, which other processes may use as well: only the one that has a lease works.
  // nullptr: there are none.
  Leases* leases = nullptr;
  // Called in each round: keeps leases of other work. May be nullptr.
  std::function<absl::Status()> keep_others;
};

// Deletes expired items, through the ordinary write path (a sweep). Once a minute also cleans:
// finishes states of tables, drops expired backups, trims streams and histories, and clears
// unneeded expiry rows. In a store of several processes it deletes the rows of dropped ids in each
// round. Thread-safe.
class Housekeeper {
 public:
  // `context` and `threads` must outlive the housekeeper. Requires: context.expiry is set.
  Housekeeper(const OperationContext* context, BackgroundThreads* threads,
              const HousekeeperOptions& options = {})
      : context_(context), options_(options), work_(threads, [this] { return KeepHouse(); }) {}
  // Stops.
  ~Housekeeper();
  Housekeeper(const Housekeeper&) = delete;
  Housekeeper& operator=(const Housekeeper&) = delete;

  // Begins in the background, or follows the clock. Requires: not started yet. Errors:
  // StartThread's.
  absl::Status Start() ABSL_LOCKS_EXCLUDED(work_mutex_);
  // Returns after the running item.
  void Stop() ABSL_LOCKS_EXCLUDED(state_mutex_);

  // Makes missing expiry rows, then deletes all items that have expired by now. Returns their
  // number. Errors: kFailedPrecondition: another process sweeps; the store's.
  absl::StatusOr<int64_t> SweepNow() ABSL_LOCKS_EXCLUDED(work_mutex_);

  // The first failure of background work since the last call.
  absl::Status TakeFailure() ABSL_LOCKS_EXCLUDED(state_mutex_);

 private:
  enum class Caller : uint8_t { kBackground, kUser };
  struct Sweep {
    absl::Time now;
    // The seconds to read.
    int64_t first = 0;
    int64_t last = 0;
    // The first second with possible remains.
    int64_t unswept = 0;
    int64_t deleted = 0;
  };

  // One round in the background.
  absl::Duration KeepHouse() ABSL_LOCKS_EXCLUDED(state_mutex_, work_mutex_);
  // The time between two rounds.
  absl::Duration Pause() const;
  void NoteFailure(const absl::Status& status) ABSL_LOCKS_EXCLUDED(state_mutex_);
  bool Sweeps() const;
  // Whether the work is that of this process.
  absl::StatusOr<bool> HoldLease() ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  // Tells other processes that this one lives.
  absl::Status NoteAliveIfDue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  absl::Status Tick() ABSL_LOCKS_EXCLUDED(work_mutex_);
  // Does the work that an advance of the clock has made due, and stores the clock's time.
  absl::Status FollowMove() ABSL_LOCKS_EXCLUDED(work_mutex_);
  // Whether `caller` must stop. Work that a user has requested is finished.
  bool MustStop(Caller caller) const ABSL_LOCKS_EXCLUDED(state_mutex_);
  // Makes missing expiry rows, until all are there or a number of steps has been done.
  absl::Status Fill(Caller caller, int steps_max) ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  // Deletes the items that have expired at `first` or later. Returns their number.
  absl::StatusOr<int64_t> DeleteExpired(Caller caller, int64_t first)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  absl::Status DeleteExpired(Caller caller, Sweep* sweep)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  // The items of some expiry rows in one commit, or only the rows of items with another expiry.
  // Requires: of one table, no two of one item.
  absl::Status DeleteItems(absl::Span<const ExpiryIndex::DueRow> rows, Sweep* sweep)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  // The rest of the work on a row after its item has been handled.
  absl::Status FinishRow(const TableMeta& meta, const ExpiryIndex::DueRow& row,
                         const RowOutcome& outcome, Sweep* sweep)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  absl::Status CleanIfDue(Caller caller) ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  absl::Status Clean(Caller caller) ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  // Of tables whose DeleteTable has failed between its two commits: still there since the last
  // cleaning.
  absl::Status FinishDeletions() ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  // Deletes rows of ids that have no owner, in a store of several processes, until all are gone or
  // a number of steps has been done.
  absl::Status Reclaim(Caller caller, int steps_max) ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  std::shared_ptr<Table> FindTableById(StorageId id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);

  const MakingProcess process_{};
  const OperationContext* const context_;
  const HousekeeperOptions options_;
  std::optional<int> follower_;  // of options_.clock

  // Held while sweeping: one sweep at a time.
  absl::Mutex work_mutex_;
  // nullptr: there is no other process.
  std::shared_ptr<const Lease> lease_ ABSL_GUARDED_BY(work_mutex_);
  // More rows of ids without an owner are left.
  bool has_more_to_reclaim_ ABSL_GUARDED_BY(work_mutex_) = false;
  absl::Time noted_alive_ ABSL_GUARDED_BY(work_mutex_) = absl::InfinitePast();
  // As of the last read of the catalog; ids are never reused.
  std::map<StorageId, std::shared_ptr<Table>> tables_ ABSL_GUARDED_BY(work_mutex_);
  std::set<StorageId> deleting_ ABSL_GUARDED_BY(work_mutex_);
  // The tables with time to live at the last cleaning.
  std::set<StorageId> with_time_to_live_ ABSL_GUARDED_BY(work_mutex_);
  absl::Time swept_ ABSL_GUARDED_BY(work_mutex_) = absl::InfinitePast();
  absl::Time cleaned_ ABSL_GUARDED_BY(work_mutex_) = absl::InfinitePast();

  mutable absl::Mutex state_mutex_ ABSL_ACQUIRED_AFTER(work_mutex_);
  bool stopping_ ABSL_GUARDED_BY(state_mutex_) = false;
  absl::Status first_failure_ ABSL_GUARDED_BY(state_mutex_);
  BackgroundWork work_;  // last: it stops before the members that it uses are destroyed
};

}  // namespace dynolith

#endif  // DYNOLITH_API_DATABASE_HOUSEKEEPER_H_
