#include "index/fill.h"

#include <cstddef>
#include <memory>

#include "absl/strings/escaping.h"
#include "engine/base/messages/index.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/key/key_codec.h"
#include "index/entry.h"

namespace dynolith {
namespace {

constexpr size_t kBytesBetweenLooks = 1 << 20;

absl::Status AddEntries(const TableSchema& schema, std::string_view row_key, std::string_view value,
                        SortedRows* entries) {
  const absl::StatusOr<ItemView> item = ItemView::Parse(value);
  if (!item.ok() || !HasKey(schema.key, *item)) {
    return absl::DataLossError(messages::BackfillRowDamaged(
        schema.name, absl::BytesToHexString(ToAbsl(row_key)),
        item.ok() ? std::string_view() : ToStd(item.status().message())));
  }
  for (const IndexSchema& index : schema.indexes) {
    const std::optional<IndexEntry> entry = EntryOf(index, index.layout(), schema.key, *item);
    if (!entry) continue;
    DYNOLITH_RETURN_IF_ERROR(entries->Put(FamilyOf(index.kind), entry->row_key, entry->value));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status FillIndexes(Store* store, const TableSchema& schema,
                         absl::FunctionRef<absl::Status()> may_go_on) {
  if (schema.indexes.empty()) return absl::OkStatus();
  const KeyRange range = RangeOfId(schema.id);
  Cursor cursor = store->Scan(Family::kTables, range.begin, range.end, Direction::kForward);
  const std::unique_ptr<SortedRows> entries = store->NewSortedRows();
  size_t bytes = 0;
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    bytes += cursor.key().size() + cursor.value().size();
    if (bytes >= kBytesBetweenLooks) {
      bytes = 0;
      DYNOLITH_RETURN_IF_ERROR(may_go_on());
    }
    DYNOLITH_RETURN_IF_ERROR(AddEntries(schema, cursor.key(), cursor.value(), entries.get()));
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  return entries->Commit(may_go_on);
}

}  // namespace dynolith
