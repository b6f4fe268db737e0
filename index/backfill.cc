#include "index/backfill.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "engine/base/messages/index.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/index_layouts.h"
#include "engine/key/key_codec.h"
#include "index/entry.h"

namespace dynolith {
namespace {

// The layout that is being filled, with the place of its index.
struct Unfinished {
  size_t position = 0;
  IndexLayout layout;
};
std::optional<Unfinished> FindUnfinished(const TableMeta& meta, const std::string& index_name) {
  for (size_t i = 0; i < meta.schema.indexes.size(); ++i) {
    if (meta.schema.indexes[i].name != index_name) continue;
    const auto layout = LayoutToFill(meta.schema.indexes[i], meta.index_states[i]);
    if (!layout) return std::nullopt;
    return Unfinished{i, *layout};
  }
  return std::nullopt;
}

// The next keys of the table's rows, at most `rows_max`.
absl::StatusOr<std::vector<std::string>> KeysBehind(const Store& store, StorageId table,
                                                    const std::string& position, size_t rows_max) {
  std::vector<std::string> keys;
  const KeyRange range = RangeOfId(table);
  Cursor cursor = store.Scan(Family::kTables, range.begin, range.end, Direction::kForward);
  position.empty() ? cursor.SeekToStart() : cursor.SeekAfter(position);
  for (; cursor.Valid() && keys.size() < rows_max; cursor.Next()) {
    keys.emplace_back(cursor.key());
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  return keys;
}

absl::Status AddEntry(const TableMeta& meta, const Unfinished& unfinished, std::string_view row_key,
                      std::string_view value, WriteBatch* batch) {
  const absl::StatusOr<ItemView> item = ItemView::Parse(value);
  if (!item.ok() || !HasKey(meta.schema.key, *item)) {
    return absl::DataLossError(messages::BackfillRowDamaged(
        meta.schema.name, absl::BytesToHexString(ToAbsl(row_key)),
        item.ok() ? std::string_view() : ToStd(item.status().message())));
  }
  const IndexSchema& index = meta.schema.indexes[unfinished.position];
  const std::optional<IndexEntry> entry = EntryOf(index, unfinished.layout, meta.schema.key, *item);
  if (entry) batch->Put(FamilyOf(index.kind), entry->row_key, entry->value);
  return absl::OkStatus();
}

// Appends the entries of those rows of `keys` that are still there. Requires: the rows are locked,
// `keys` ascending. Rows that have come between them belong to writers that know the index.
absl::Status AddEntries(const Store& store, const TableMeta& meta, const Unfinished& unfinished,
                        const std::vector<std::string>& keys, WriteBatch* batch) {
  const KeyRange range = {keys.front(), RangeOfId(meta.schema.id).end};
  Cursor cursor = store.Scan(Family::kTables, range.begin, range.end, Direction::kForward);
  cursor.SeekToStart();
  for (const std::string& key : keys) {
    while (cursor.Valid() && cursor.key() < key) cursor.Next();
    if (!cursor.Valid()) break;
    if (cursor.key() != key) continue;
    DYNOLITH_RETURN_IF_ERROR(AddEntry(meta, unfinished, key, cursor.value(), batch));
  }
  return cursor.status();
}

// Fills one stretch of rows. Returns whether it was the last.
absl::StatusOr<bool> FillStretch(Store* store, RowLocks* locks, Catalog* catalog, Table* table,
                                 const TableMeta& meta, const Unfinished& unfinished,
                                 size_t rows_max) ABSL_SHARED_LOCKS_REQUIRED(table->gate) {
  const std::string& position = meta.index_states[unfinished.position].backfill_position;
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> keys,
                            KeysBehind(*store, meta.schema.id, position, rows_max));
  if (keys.empty()) return true;

  const std::vector<std::string_view> row_keys(keys.begin(), keys.end());
  const RowLocks::Guard guard = locks->Lock(row_keys);
  WriteBatch batch;
  DYNOLITH_RETURN_IF_ERROR(AddEntries(*store, meta, unfinished, keys, &batch));
  DYNOLITH_RETURN_IF_ERROR(
      catalog->RecordBackfill(table, unfinished.layout.id, keys.back(), &batch));
  return keys.size() < rows_max;
}

// What is filled is what is read from now on.
absl::Status Activate(StorageId filled, const BeforeMove& before_move, TableMeta* meta) {
  for (size_t i = 0; i < meta->schema.indexes.size(); ++i) {
    IndexSchema& index = meta->schema.indexes[i];
    IndexState& state = meta->index_states[i];
    if (index.next && index.next->id == filled) {
      if (before_move) before_move(meta->schema.name, index.name);
      FinishMove(&index, &state);
    }
    if (index.id != filled) continue;
    state.backfill_position.clear();
    // It may have begun to be deleted since.
    if (state.status != IndexStatus::kCreating) continue;
    state.filled = state.status_until.has_value();
    if (state.filled) continue;
    state.status = IndexStatus::kActive;
    state.backfilling = false;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> BackfillStep(Store* store, RowLocks* locks, Catalog* catalog, Table* table,
                                  const std::string& index_name, size_t rows_max,
                                  const BeforeMove& before_move) {
  StorageId filled = 0;
  {
    const SpreadMutex::ReadScope gate(&table->gate);
    const std::shared_ptr<const TableMeta> meta = table->meta();
    const std::optional<Unfinished> unfinished = FindUnfinished(*meta, index_name);
    if (!unfinished) return true;
    filled = unfinished->layout.id;
    DYNOLITH_ASSIGN_OR_RETURN(const bool was_last, FillStretch(store, locks, catalog, table, *meta,
                                                               *unfinished, rows_max));
    if (!was_last) return false;
  }
  const auto activated =
      catalog->Modify(table, [&](TableMeta* meta) { return Activate(filled, before_move, meta); });
  if (!activated.ok()) return activated.status();
  return true;
}

}  // namespace dynolith
