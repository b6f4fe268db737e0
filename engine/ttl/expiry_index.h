// The expiry rows of all tables in the order of time: finding due ones, filling them for a table
// that already has items, and clearing unneeded ones.
//
// Row in Family::kMeta (engine/store/meta_keys.h), while a table's expiry rows are being filled:
//   kExpiryFillKeys id:u32be -> row-key     ; the last row of the table that has been processed
#ifndef DYNOLITH_ENGINE_TTL_EXPIRY_INDEX_H_
#define DYNOLITH_ENGINE_TTL_EXPIRY_INDEX_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/row_follower.h"
#include "engine/store/row_locks.h"
#include "engine/store/store.h"
#include "engine/store/transaction/leases.h"

namespace dynolith {

// Thread-safe, except that only one thread at a time sweeps, fills or clears.
class ExpiryIndex {
 public:
  // All must outlive the index.
  ExpiryIndex(Store* store, Catalog* catalog, RowLocks* locks)
      : store_(store), catalog_(catalog), locks_(locks) {}

  // The lease under which the thread that sweeps, fills or clears commits from now on; nullptr:
  // none.
  void WorkUnder(std::shared_ptr<const Lease> lease) { lease_ = std::move(lease); }

  // --- Switching on and off ---

  // Adds to the batch that switches a table's time to live on (off) that its rows must (no longer)
  // be filled.
  static void BeginFilling(StorageId table_id, WriteBatch* batch);
  static void StopFilling(StorageId table_id, WriteBatch* batch);

  // The key of the row that exists while the table's rows are being filled.
  static std::string FillKey(StorageId table_id);

  // Makes the expiry rows of the next `rows_max` items, and stores the new position in the same
  // commit. Rows are locked and read again. Returns whether nothing is left to fill.
  absl::StatusOr<bool> FillStep(size_t rows_max);

  // --- Sweeping ---

  // A writer has committed an expiry row. Call it after the commit: if the commit is later than a
  // sweep's read of its second, the next sweep looks there again.
  void NoteCommitted(int64_t seconds);

  // The second from which on expired rows may be found: a sweep begins here, and so skips the
  // tombstones of earlier sweeps. Resets the mark; EndSweep sets it again.
  int64_t BeginSweep();
  // Nothing is left before `seconds`.
  void EndSweep(int64_t seconds) { NoteCommitted(seconds); }

  struct DueRow {
    int64_t seconds = 0;
    std::string row_key;
  };
  // The rows with first <= seconds <= last, in order, after `after` (nullptr: from the first on),
  // at most `rows_max`.
  absl::StatusOr<std::vector<DueRow>> FindDue(int64_t first, int64_t last, const DueRow* after,
                                              size_t rows_max) const;

  // Deletes an expiry row unless the item has that expiry: also if the table has no time to live.
  // Requires: `table` is the row's, its gate is held and `meta` its metadata.
  absl::Status DropIfStale(const TableMeta& meta, const DueRow& row);
  // Deletes expiry rows of a dropped table.
  absl::Status Drop(absl::Span<const DueRow> rows);

  // --- Clearing ---

  // Of the next `rows_max` rows after `*position` ("": from the first on), deletes those whose
  // table is dropped or has no time to live, and moves the position. Returns whether the last row
  // has been passed.
  absl::StatusOr<bool> ClearStep(size_t rows_max, std::string* position);

 private:
  std::shared_ptr<Table> FindTableById(StorageId id) const;
  // Those of the table after `position`.
  absl::StatusOr<bool> FillTableStep(StorageId table_id, const std::string& position,
                                     size_t rows_max);
  // One attempt.
  absl::Status FillRows(const TableMeta& meta, const std::vector<std::string>& keys);
  absl::Status TryDropIfStale(const TableMeta& meta, const DueRow& row);
  // Only as long as the tables are as this process knows them, and the lease is its own.
  absl::Status ExpectCatalog(Transaction* transaction) const;
  absl::Status Commit(const WriteBatch& batch);
  absl::StatusOr<bool> EndFilling(StorageId table_id);
  absl::Status Delete(absl::Span<const std::string> keys);

  Store* const store_;
  Catalog* const catalog_;
  RowLocks* const locks_;
  std::shared_ptr<const Lease> lease_;
  std::atomic<int64_t> first_unswept_ = std::numeric_limits<int64_t>::min();
};

// The expiry rows of one commit, a RowFollower.
class ExpiryMaintainer {
 public:
  // `index` must outlive the maintainer. nullptr: no sweeps.
  explicit ExpiryMaintainer(ExpiryIndex* index) : index_(index) {}
  ExpiryMaintainer(const ExpiryMaintainer&) = delete;
  ExpiryMaintainer& operator=(const ExpiryMaintainer&) = delete;
  // Makes the next sweep find the committed rows. Harmless after a failed commit.
  ~ExpiryMaintainer() {
    if (index_ != nullptr && earliest_) index_->NoteCommitted(*earliest_);
  }

  static bool Concerns(const TableMeta& meta) { return meta.time_to_live.enabled; }
  absl::Status Append(const RowChange& change, WriteBatch* batch);

 private:
  ExpiryIndex* const index_;
  // The least expiry for which a row was added.
  std::optional<int64_t> earliest_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_TTL_EXPIRY_INDEX_H_
