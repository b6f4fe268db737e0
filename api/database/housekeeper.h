// What belongs to the passing of time and nobody asks for: keeps house in the background, or when a
// clock that stands still is moved.
#ifndef DYNOLITH_API_DATABASE_HOUSEKEEPER_H_
#define DYNOLITH_API_DATABASE_HOUSEKEEPER_H_

#include <cstddef>
#include <cstdint>
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
#include "engine/base/background_work.h"
#include "engine/base/forked_process.h"
#include "engine/ttl/expiry_index.h"

namespace dynolith {

struct HousekeeperOptions {
  // Between two sweeps. Zero or infinite: no sweeps but SweepNow.
  absl::Duration sweep_period = absl::Seconds(1);
  // The context's clock if it stands still until it is moved: then what is due is part of the move.
  // nullptr: it is done in the background, by the machine's clock.
  ManualClock* clock = nullptr;
};

// Deletes expired items, through the path of all writes (a sweep). Once a minute also cleans:
// finishes states of tables, drops expired backups, trims streams and histories, and clears expiry
// rows that nobody needs any more. Thread-safe.
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
  // Returns after the item under way.
  void Stop() ABSL_LOCKS_EXCLUDED(state_mutex_);

  // Makes missing expiry rows, then deletes all that has expired by now. Returns how many items
  // were deleted. Errors: the store's.
  absl::StatusOr<int64_t> SweepNow() ABSL_LOCKS_EXCLUDED(work_mutex_);
  // What is otherwise done once a minute.
  absl::Status CleanNow() ABSL_LOCKS_EXCLUDED(work_mutex_);

  // The first failure since the last call of what nobody has asked for.
  absl::Status TakeFailure() ABSL_LOCKS_EXCLUDED(state_mutex_);

 private:
  enum class Caller : uint8_t { kBackground, kUser };
  struct Sweep {
    absl::Time now;
    // The seconds to look at.
    int64_t first = 0;
    int64_t last = 0;
    // The first one at which something may be left.
    int64_t unswept = 0;
    int64_t deleted = 0;
  };

  // One round in the background.
  absl::Duration KeepHouse() ABSL_LOCKS_EXCLUDED(state_mutex_, work_mutex_);
  // Between two of them.
  absl::Duration Pause() const;
  void NoteFailure(const absl::Status& status) ABSL_LOCKS_EXCLUDED(state_mutex_);
  bool Sweeps() const;
  absl::Status Tick() ABSL_LOCKS_EXCLUDED(work_mutex_);
  // Does what a move of the clock has made due, and remembers where it stands.
  absl::Status FollowMove() ABSL_LOCKS_EXCLUDED(work_mutex_);
  // Whether `caller` is to stop. What a user has asked for is finished.
  bool MustStop(Caller caller) const ABSL_LOCKS_EXCLUDED(state_mutex_);
  // Makes missing expiry rows, until all are there or a number of steps has been done.
  absl::Status Fill(Caller caller, int steps_max) ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  // Deletes what has expired at `first` or later. Returns how many items.
  absl::StatusOr<int64_t> DeleteExpired(Caller caller, int64_t first)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  absl::Status DeleteExpired(Caller caller, Sweep* sweep)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  // The items of some expiry rows in one commit, or only the rows of items with another expiry.
  // Requires: of one table, no two of one item.
  absl::Status DeleteItems(absl::Span<const ExpiryIndex::Due> rows, Sweep* sweep)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  // What is left of a row once its item has been dealt with.
  absl::Status FinishRow(const TableMeta& meta, const ExpiryIndex::Due& row,
                         const RowOutcome& outcome, Sweep* sweep)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  absl::Status CleanIfDue(Caller caller) ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  absl::Status Clean(Caller caller) ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  std::shared_ptr<Table> TableOf(StorageId id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);

  const MakingProcess process_{};
  const OperationContext* const context_;
  const HousekeeperOptions options_;
  std::optional<int> follower_;  // of options_.clock

  // Held while sweeping: one sweep at a time.
  absl::Mutex work_mutex_;
  // As of the last look at the catalog; ids are never used again.
  std::map<StorageId, std::shared_ptr<Table>> tables_ ABSL_GUARDED_BY(work_mutex_);
  // The tables with time to live at the last cleaning.
  std::set<StorageId> with_time_to_live_ ABSL_GUARDED_BY(work_mutex_);
  absl::Time swept_ ABSL_GUARDED_BY(work_mutex_) = absl::InfinitePast();
  absl::Time cleaned_ ABSL_GUARDED_BY(work_mutex_) = absl::InfinitePast();

  mutable absl::Mutex state_mutex_ ABSL_ACQUIRED_AFTER(work_mutex_);
  bool stopping_ ABSL_GUARDED_BY(state_mutex_) = false;
  absl::Status first_failure_ ABSL_GUARDED_BY(state_mutex_);
  BackgroundWork work_;  // last: it stops before what it uses goes
};

}  // namespace dynolith

#endif  // DYNOLITH_API_DATABASE_HOUSEKEEPER_H_
