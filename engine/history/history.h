// The changes of the items of tables with point-in-time recovery (api/facts/operations.md §5.6):
// each effective change leaves, in its own commit, a record of the previous item. past_items.h
// reads past states.
#ifndef DYNOLITH_ENGINE_HISTORY_HISTORY_H_
#define DYNOLITH_ENGINE_HISTORY_HISTORY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/base/clock.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/row_follower.h"
#include "engine/history/history_rows.h"
#include "engine/store/store.h"
#include "engine/value/item.h"

namespace dynolith {

// The restorable period of a table, while its point-in-time recovery is on, both ends in whole
// milliseconds.
struct RestorableTimes {
  absl::Time earliest;
  absl::Time latest;
};
RestorableTimes FindRestorableTimes(const PointInTimeRecovery& recovery, absl::Time now);

// Thread-safe. Lock order: Table::gate, row locks, mutex_.
class History {
 public:
  // `store` and `clock` must outlive the history. Errors: kDataLoss; the store's.
  static absl::StatusOr<std::unique_ptr<History>> Load(Store* store, const Clock* clock);

  // --- Time ---

  // The clock, except that it does not go back: if the clock is set back, this time stands still
  // until the clock has caught up. Compute the limits of a table's history from this time.
  absl::Time Now() const ABSL_LOCKS_EXCLUDED(mutex_);
  // No record has a later time.
  absl::Time LatestTime() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits for running commits. A snapshot taken afterwards has all changes that will ever have a
  // time up to `time`, so that later reads at that time give the same result. Requires: `time` is
  // not later than Now(); no row lock is held.
  void Await(absl::Time time) ABSL_LOCKS_EXCLUDED(mutex_);

  // --- Age ---

  // Deletes all of a table's records with the commit of `batch`. Requires: the commit switches the
  // table's recovery off, with the table's gate held exclusively.
  static void Forget(StorageId table, WriteBatch* batch);
  // Deletes the records of dropped tables, and those that are older than their tables' periods,
  // whole days at a time. Call it periodically.
  absl::Status Trim(Catalog* catalog) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  friend class HistoryRecorder;

  History(Store* store, const Clock* clock) : store_(store), clock_(clock) {}

  absl::Status LoadLast() ABSL_LOCKS_EXCLUDED(mutex_);
  // The greatest stamp of all records of a day or later; 0: there are none.
  absl::StatusOr<uint64_t> FindLast(HistoryDay first_day) const;
  // The first record's key of each table that has records.
  absl::StatusOr<std::vector<UndoKey>> FirstRecords() const;
  absl::Status TrimTable(Catalog* catalog, Table* table) const;
  // A stamp greater than all before, at the clock's time if that is not less than theirs. In flight
  // until Finish is called with it. Errors: the store's.
  absl::StatusOr<uint64_t> Begin() ABSL_LOCKS_EXCLUDED(mutex_);
  void Finish(uint64_t stamp) ABSL_LOCKS_EXCLUDED(mutex_);

  Store* const store_;
  const Clock* const clock_;
  mutable absl::Mutex mutex_;
  // The greatest assigned stamp, or one that later stamps must exceed.
  uint64_t last_ ABSL_GUARDED_BY(mutex_) = 0;
  // The limit in the store. Raised before it is reached, a second at a time.
  uint64_t limit_ ABSL_GUARDED_BY(mutex_) = 0;
  std::set<uint64_t> in_flight_ ABSL_GUARDED_BY(mutex_);
};

// The records of one commit, which all have one stamp; a RowFollower. The row locks are held as
// long as it lives, which keeps the records of an item in order.
class HistoryRecorder {
 public:
  // `history` must outlive the recorder. nullptr: nothing is recorded.
  explicit HistoryRecorder(History* history) : history_(history) {}
  HistoryRecorder(const HistoryRecorder&) = delete;
  HistoryRecorder& operator=(const HistoryRecorder&) = delete;
  ~HistoryRecorder();

  static bool Concerns(const TableMeta& meta) { return meta.point_in_time_recovery.has_value(); }
  // Adds the record of the change.
  absl::Status Append(const RowChange& change, WriteBatch* batch);

 private:
  History* const history_;
  std::optional<uint64_t> stamp_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_HISTORY_HISTORY_H_
