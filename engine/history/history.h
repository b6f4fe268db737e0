// The changes of the items of tables with point-in-time recovery (api/facts/operations.md §5.6):
// each effective change leaves, in its own commit, a record of the previous item. past_items.h
// reads past states.
#ifndef DYNOLITH_ENGINE_HISTORY_HISTORY_H_
#define DYNOLITH_ENGINE_HISTORY_HISTORY_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/base/clock.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/row_follower.h"
#include "engine/history/history_rows.h"
#include "engine/store/store.h"
#include "engine/store/transaction/leases.h"
#include "engine/store/transaction/shared_store.h"
#include "engine/store/transaction/transaction.h"
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
//
// In a SharedStore times are whole seconds: a change belongs to the second that ends next, and a
// past state is that of the end of a second (README.md, "In a store of several processes").
class History {
 public:
  // `store` and `clock` must outlive the history. Errors: kDataLoss; the store's.
  static absl::StatusOr<std::unique_ptr<History>> Load(Store* store, const Clock* clock);

  // --- Time ---

  // The clock, except that it does not go back: if the clock is set back, this time stands still
  // until the clock has caught up. Compute the limits of a table's history from this time.
  absl::Time Now() const ABSL_LOCKS_EXCLUDED(mutex_);
  // No record has a later time. In a SharedStore: no change was made later, as far as this process
  // knows.
  absl::Time LatestTime() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits for running commits. A snapshot taken afterwards has all changes that will ever have a
  // time up to `time`, so that later reads at that time give the same result. Requires: `time` is
  // not later than Now(); no row lock is held. Errors, in a SharedStore only: the store's;
  // kDataLoss.
  absl::Status Await(absl::Time time) ABSL_LOCKS_EXCLUDED(mutex_);
  // When the history of a table begins that gets point-in-time recovery now: records that are
  // left of an earlier one have earlier times. Errors: as Await's. Requires: the table has no
  // recovery as long as the commit that gives it one may succeed.
  absl::StatusOr<absl::Time> StartTime() ABSL_LOCKS_EXCLUDED(mutex_);
  // In a SharedStore, before the changes of a transaction are recorded: finds out which second it
  // is in. `is_again`: an attempt was aborted, so that what this process knows may be old. Errors:
  // as Await's.
  absl::Status PrepareChange(bool is_again) ABSL_LOCKS_EXCLUDED(mutex_);

  // --- Age ---

  // The lease under which records are deleted in a SharedStore, asked for before each commit;
  // nullptr: this process does not have it, or has to end.
  using HoldLease = absl::FunctionRef<absl::StatusOr<const Lease*>()>;

  static absl::StatusOr<const Lease*> NoLease() { return nullptr; }

  // Deletes all of a table's records with the commit of `batch`. Requires: the commit switches the
  // table's recovery off, with the table's gate held exclusively; not in a SharedStore, where Trim
  // does it.
  static void Forget(StorageId table, WriteBatch* batch);
  // Deletes the records of dropped tables, and those that are older than their tables' periods,
  // whole days at a time. Call it periodically.
  absl::Status Trim(Catalog* catalog, HoldLease hold = NoLease) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  friend class HistoryRecorder;

  History(Store* store, const Clock* clock)
      : store_(store), shared_(store->shared()), clock_(clock) {}

  absl::Status LoadLast() ABSL_LOCKS_EXCLUDED(mutex_);
  // The greatest stamp of all records of a day or later; 0: there are none.
  absl::StatusOr<uint64_t> FindLast(HistoryDay first_day) const;
  // The first record's key of each table that has records.
  absl::StatusOr<std::vector<UndoKey>> FirstRecords() const;
  absl::Status TrimTable(Catalog* catalog, Table* table) const;
  // Requires: in a LocalStore.
  absl::Status TrimLocal(Catalog* catalog, const std::vector<UndoKey>& first) const;
  // In a SharedStore: deletes the table's first records, as far as nobody needs them. Returns
  // whether there may be more of them.
  absl::StatusOr<bool> TrimSome(Catalog* catalog, StorageId id, const Lease& lease) const;
  // In a SharedStore: all records of a day before it are unneeded; nullopt: all of them are.
  // `table`: nullptr: there is none.
  absl::StatusOr<std::optional<HistoryDay>> FirstNeededDay(Catalog* catalog, Table* table) const;

  // In a SharedStore: the row of the limit, which becomes at least this; this process knows it
  // then.
  absl::Status RaiseLimit(uint64_t limit) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns whether it has been noted before, as far as that is remembered.
  bool NoteTried(std::string_view key);
  bool KnowsLimit(uint64_t limit) const ABSL_LOCKS_EXCLUDED(mutex_);
  // In a SharedStore: the stamp of the transaction's records; its commit is aborted if they are
  // too late for it.
  uint64_t ExpectStamp(const Transaction& transaction) const ABSL_LOCKS_EXCLUDED(mutex_);

  // A stamp greater than all before, at the clock's time if that is not less than theirs. In flight
  // until Finish is called with it. Errors: the store's.
  absl::StatusOr<uint64_t> Begin() ABSL_LOCKS_EXCLUDED(mutex_);
  void Finish(uint64_t stamp) ABSL_LOCKS_EXCLUDED(mutex_);

  Store* const store_;
  SharedStore* const shared_;  // nullptr: another kind of store
  const Clock* const clock_;
  mutable absl::Mutex mutex_;
  // The greatest assigned stamp, or one that later stamps must exceed. Not in a SharedStore.
  uint64_t last_ ABSL_GUARDED_BY(mutex_) = 0;
  // The limit in the store. Raised before it is reached, a second at a time. In a SharedStore: as
  // far as this process knows; 0: there is none.
  uint64_t limit_ ABSL_GUARDED_BY(mutex_) = 0;
  std::set<uint64_t> in_flight_ ABSL_GUARDED_BY(mutex_);
  // In a SharedStore: hashes of the keys of records that this process has tried to write, the last
  // of each place. Such a record probably exists.
  std::array<std::atomic<uint64_t>, 1024> tried_{};
};

// The records of one commit, which all have one stamp; a RowFollower. The row locks are held as
// long as it lives, which keeps the records of an item in order.
class HistoryRecorder {
 public:
  // `history` must outlive the recorder. nullptr: nothing is recorded. `transaction`: that of the
  // commit, and `is_again`: whether an attempt of it was aborted; only a SharedStore needs them.
  explicit HistoryRecorder(History* history, const Transaction* transaction = nullptr,
                           bool is_again = false)
      : history_(history), transaction_(transaction), is_again_(is_again) {}
  HistoryRecorder(const HistoryRecorder&) = delete;
  HistoryRecorder& operator=(const HistoryRecorder&) = delete;
  ~HistoryRecorder();

  static bool Concerns(const TableMeta& meta) { return meta.point_in_time_recovery.has_value(); }
  // Adds the record of the change.
  absl::Status Append(const RowChange& change, WriteBatch* batch);

 private:
  absl::StatusOr<uint64_t> Stamp() const;
  // Whether the record is to be written. In a SharedStore only the first one of an item in a second
  // is, which has the item as it was at the end of the last one.
  absl::StatusOr<bool> IsWanted(std::string_view key) const;

  History* const history_;
  const Transaction* const transaction_;
  const bool is_again_;
  std::optional<uint64_t> stamp_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_HISTORY_HISTORY_H_
