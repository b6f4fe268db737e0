// Fills a new global index, or the new layout of one that moves, from the rows that were there
// before, beside ongoing writes.
#ifndef DYNOLITH_INDEX_BACKFILL_H_
#define DYNOLITH_INDEX_BACKFILL_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/catalog/catalog.h"
#include "engine/store/row_locks.h"
#include "engine/store/store.h"

namespace dynolith {

// May be nullptr. Told that an index is about to be read in another layout, which holds all of its
// entries by now: what of it was kept from before cannot be read any more.
using BeforeMove = std::function<void(std::string_view table, std::string_view index)>;

// Indexes the next `rows_max` base rows behind the position stored in the index's state and stores
// the new position in the same commit, so that a crash repeats at most one step. Holds the table's
// gate shared and the locks of the step's rows meanwhile; each row is read again under its lock.
// Items that have no entry (HasEntry) are left out. Returns true when the last row has been passed:
// the index is then ACTIVE in the catalog, and read as it was filled; also when there is nothing to
// fill (any more).
// Requires: rows_max > 0; one thread at a time per index. Errors: kNotFound if the table was
// dropped meanwhile; kDataLoss naming the row whose item cannot be understood.
absl::StatusOr<bool> BackfillStep(Store* store, RowLocks* locks, Catalog* catalog, Table* table,
                                  const std::string& index_name, size_t rows_max,
                                  const BeforeMove& before_move = nullptr);

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_BACKFILL_H_
