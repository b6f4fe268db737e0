// What a write needs of the item that it replaces.
#ifndef DYNOLITH_API_WRITE_OLD_ITEMS_H_
#define DYNOLITH_API_WRITE_OLD_ITEMS_H_

#include <string_view>

#include "absl/status/status.h"
#include "api/write/derived_writes.h"
#include "api/write/planned_write.h"
#include "engine/base/status_macros.h"
#include "engine/store/store.h"
#include "index/entry.h"

namespace dynolith {

// An unconditional put or delete needs no old item unless derived writes do; nor does a check.
inline bool NeedsOldItem(const RowWrite& write) {
  if (write.condition != nullptr || write.wants_old) return true;
  if (write.kind == RowWrite::Kind::kCheck) return false;
  const bool blind = write.kind == RowWrite::Kind::kPut || write.kind == RowWrite::Kind::kDelete;
  return !blind || write.inserts || write.expired_at || DerivedWrites::Concern(*write.meta);
}

// The cost of a write depends on the size of the old item, even if nothing else needs it.
inline bool NeedsOldSize(const RowWrite& write) {
  return !NeedsOldItem(write) && write.table->throughput.is_enforced();
}

inline bool NeedsOld(const RowWrite& write) { return NeedsOldItem(write) || NeedsOldSize(write); }

inline void SetBefore(const RowWrite& write, std::string_view row, RowOutcome* outcome) {
  outcome->bytes_before = TableBilledBytes(write.meta->schema, ItemView::Unchecked(row));
}

// Requires: `outcome->old_row` is the row.
inline void TakeOld(const RowWrite& write, bool needs_item, RowOutcome* outcome) {
  SetBefore(write, outcome->old_row.value(), outcome);
  if (needs_item) outcome->old_item = ItemView::Unchecked(outcome->old_row.value());
}

inline absl::Status ReadOld(const ReadView& rows, const RowWrite& write, RowOutcome* outcome) {
  const bool needs_item = NeedsOldItem(write);
  if (!needs_item && !NeedsOldSize(write)) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const bool found,
                            rows.Get(Family::kTables, write.row_key, &outcome->old_row));
  if (found) TakeOld(write, needs_item, outcome);
  return absl::OkStatus();
}

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_OLD_ITEMS_H_
