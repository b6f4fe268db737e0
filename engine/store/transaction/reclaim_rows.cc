#include "engine/store/transaction/reclaim_rows.h"

#include <string>

#include "absl/status/status.h"
#include "engine/store/local_store.h"
#include "engine/store/row_id.h"

namespace dynolith {
namespace {

constexpr size_t kRowsAtOnce = 256;
constexpr size_t kBytesAtOnce = 256 << 10;

// Deletes some rows from `begin` on. Returns whether there may be more.
bool DeleteSome(Store* store, Family family, const std::string& begin, const std::string& end) {
  WriteBatch batch;
  Cursor cursor = store->ScanOnce(family, begin, end);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    batch.Delete(family, cursor.key());
    if (batch.count() >= kRowsAtOnce || batch.bytes() >= kBytesAtOnce) break;
  }
  return cursor.status().ok() && !batch.empty() && store->Commit(batch).ok();
}

}  // namespace

void ReclaimRows(Store* store, Family family, uint32_t id) {
  if (LocalStore* const local = store->local()) return local->ReclaimId(family, id);
  while (DeleteSome(store, family, RowIdPrefix(id), RowIdPrefix(id + 1))) {
  }
}

}  // namespace dynolith
