#include "api/table/row_count.h"

#include "engine/base/status_macros.h"
#include "engine/value/value.h"

namespace dynolith {

absl::StatusOr<LiveCounts::Count> CountRows(const Store& store, Family family, StorageId id,
                                            int64_t overhead_bytes) {
  LiveCounts::Count count;
  const KeyRange range = RangeOfId(id);
  Cursor cursor = store.ScanOnce(family, range.begin, range.end);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    const auto item_bytes = BilledBytes(ItemView::Unchecked(cursor.value()));
    count.rows += 1;
    count.bytes += static_cast<int64_t>(item_bytes) + overhead_bytes;
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  return count;
}

absl::StatusOr<LiveCounts::Count> CountTableRows(const Store& store, StorageId id) {
  return CountRows(store, Family::kTables, id, /*overhead_bytes=*/0);
}

}  // namespace dynolith
