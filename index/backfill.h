// Fills a new global index, or the new layout of one that is resharded, from the existing rows,
// beside ongoing writes.
#ifndef DYNOLITH_INDEX_BACKFILL_H_
#define DYNOLITH_INDEX_BACKFILL_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/catalog/catalog.h"
#include "engine/store/row_locks.h"
#include "engine/store/store.h"
#include "engine/store/transaction/leases.h"

namespace dynolith {

// May be nullptr. Called when an index is about to be read in another layout, which holds all of
// its entries by now: older states of it cannot be read any more.
using BeforeReshard = std::function<void(std::string_view table, std::string_view index)>;

struct BackfillOptions {
  size_t rows_max = 1;  // for a step beside writes: the number of rows that it locks
  BeforeReshard before_reshard;
  // Asked from time to time by a long step, which ends with its error. May be nullptr.
  std::function<absl::Status()> may_go_on;
  // The lease under which the step commits; nullptr: none.
  const Lease* lease = nullptr;
};

// One of the following, as the index's state in the catalog says:
//
// * Its writes are noted (WriteNotes): fills the layout with the entries of all rows, through
//   sorted files, and closes the notes. This takes as long as it takes. After an interruption or
//   the end of the process, call BackfillAnew.
// * There are closed notes: processes the next `rows_max`, each by the present item under its row
//   lock, and removes them in the same commit.
// * Otherwise: indexes the next `rows_max` base rows after the position stored in the index's state
//   and stores the new position in the same commit. Each row is read again under its lock.
//
// So a crash repeats at most one step. Holds the table's gate shared, except for the first kind,
// and the locks of the step's rows. Items that have no entry (HasEntry) are left out. Returns true
// when nothing is left to fill: the index is then ACTIVE in the catalog, and read in the filled
// layout. Requires: rows_max > 0; one thread at a time per index. Errors: kNotFound if the table
// was dropped meanwhile; kDataLoss naming the row whose item cannot be decoded; may_go_on's;
// kCancelled: the lease is lost.
absl::StatusOr<bool> BackfillStep(Store* store, RowLocks* locks, Catalog* catalog, Table* table,
                                  const std::string& index_name, const BackfillOptions& options);

// Restarts the fill of an index whose writes are noted from the first row on, in steps beside
// writes: the filled part and the notes are dropped. Does nothing to others. Requires: no step is
// running. Errors: Catalog::Modify's.
absl::Status BackfillAnew(Catalog* catalog, Table* table, const std::string& index_name);

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_BACKFILL_H_
