#include "index/backfill.h"

#include <optional>
#include <utility>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/catalog/index_layouts.h"
#include "engine/key/key_codec.h"
#include "engine/store/row_id.h"
#include "engine/store/transaction/transaction.h"
#include "index/entry.h"
#include "index/fill.h"

namespace dynolith {
namespace {

// The layout that is being filled, and the position of its index in the schema.
struct UnfinishedLayout {
  size_t position = 0;
  IndexLayout layout;
};
std::optional<UnfinishedLayout> FindUnfinished(const TableMeta& meta,
                                               const std::string& index_name) {
  for (size_t i = 0; i < meta.schema.indexes.size(); ++i) {
    if (meta.schema.indexes[i].name != index_name) continue;
    const auto layout = LayoutToFill(meta.schema.indexes[i], meta.index_states[i]);
    if (!layout) return std::nullopt;
    return UnfinishedLayout{i, *layout};
  }
  return std::nullopt;
}

// The bytes of one commit. On a nearly full disk a commit of this size is refused in time, where
// one of many large rows would take the space that is reserved for deletions.
constexpr size_t kBytesPerCommit = 1 << 20;

// Keys of consecutive rows.
struct RowKeyBatch {
  std::vector<std::string> keys;
  bool is_last = false;
};

// The next rows of the table, at most `rows_max`.
absl::StatusOr<RowKeyBatch> NextRowKeys(const Store& store, StorageId table,
                                        const std::string& position, size_t rows_max) {
  RowKeyBatch next_keys;
  size_t bytes = 0;
  const KeyRange range = RangeOfId(table);
  Cursor cursor = store.Scan(Family::kTables, range.begin, range.end, Direction::kForward);
  position.empty() ? cursor.SeekToStart() : cursor.SeekAfter(position);
  for (; cursor.Valid() && next_keys.keys.size() < rows_max && bytes < kBytesPerCommit;
       cursor.Next()) {
    next_keys.keys.emplace_back(cursor.key());
    bytes += cursor.key().size() + cursor.value().size();
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  next_keys.is_last = !cursor.Valid() && next_keys.keys.size() < rows_max;
  return next_keys;
}

absl::Status AddEntry(const TableMeta& meta, const UnfinishedLayout& unfinished,
                      std::string_view row_key, std::string_view value, WriteBatch* batch) {
  DYNOLITH_ASSIGN_OR_RETURN(const ItemView item, ItemOfRow(meta.schema, row_key, value));
  const IndexSchema& index = meta.schema.indexes[unfinished.position];
  const std::optional<IndexEntry> entry =
      MakeIndexEntry(index, unfinished.layout, meta.schema.key, item);
  if (entry) batch->Put(IndexFamily(index.kind), entry->row_key, entry->value);
  return absl::OkStatus();
}

// Appends the entries of those rows of `keys` that are still there. Requires: the rows are locked,
// `keys` ascending. Rows that were added between them have got their entries from their writers.
absl::Status AddEntries(const ReadView& rows, const TableMeta& meta,
                        const UnfinishedLayout& unfinished, const std::vector<std::string>& keys,
                        WriteBatch* batch) {
  const std::string end = keys.back() + '\0';
  Cursor cursor = rows.Scan(Family::kTables, keys.front(), end, Direction::kForward);
  cursor.SeekToStart();
  for (const std::string& key : keys) {
    while (cursor.Valid() && cursor.key() < key) cursor.Next();
    if (!cursor.Valid()) break;
    if (cursor.key() != key) continue;
    DYNOLITH_RETURN_IF_ERROR(AddEntry(meta, unfinished, key, cursor.value(), batch));
  }
  return cursor.status();
}

absl::Status Guard(const Transaction& transaction, const BackfillOptions& options) {
  if (options.lease == nullptr) return absl::OkStatus();
  return options.lease->Guard(transaction, /*is_again=*/true);
}

// Fills one next_keys of rows. Returns whether it was the last.
absl::StatusOr<bool> FillStretch(Store* store, RowLocks* locks, Catalog* catalog, Table* table,
                                 const TableMeta& meta, const UnfinishedLayout& unfinished,
                                 const BackfillOptions& options)
    ABSL_SHARED_LOCKS_REQUIRED(table->gate) {
  const std::string& position = meta.index_states[unfinished.position].backfill_position;
  DYNOLITH_ASSIGN_OR_RETURN(const RowKeyBatch next_keys,
                            NextRowKeys(*store, meta.schema.id, position, options.rows_max));
  const std::vector<std::string>& keys = next_keys.keys;
  if (keys.empty()) return true;

  const std::vector<std::string_view> row_keys(keys.begin(), keys.end());
  DYNOLITH_RETURN_IF_ERROR(RunTransaction([&]() ABSL_SHARED_LOCKS_REQUIRED(table->gate) {
    Transaction transaction(store, locks, row_keys);
    DYNOLITH_RETURN_IF_ERROR(Guard(transaction, options));
    WriteBatch batch;
    DYNOLITH_RETURN_IF_ERROR(AddEntries(transaction.reads(), meta, unfinished, keys, &batch));
    return catalog->RecordBackfill(table, unfinished.layout.id, keys.back(), &batch, &transaction);
  }));
  return next_keys.is_last;
}

// Fills all entries as sorted files, from rows as they are when read. Writers have begun to take
// notes before.
absl::Status FillSorted(Store* store, const TableMeta& meta, const UnfinishedLayout& unfinished,
                        const std::function<absl::Status()>& may_go_on) {
  TableSchema schema = meta.schema;
  IndexSchema index = meta.schema.indexes[unfinished.position];
  index.id = unfinished.layout.id;
  index.shards = unfinished.layout.shards;
  index.next.reset();
  schema.indexes = {std::move(index)};
  return FillIndexes(store, schema, [&] { return may_go_on ? may_go_on() : absl::OkStatus(); });
}

// A writer's note that an entry may be outdated: the entry's key, and the key of its item.
struct EntryNote {
  std::string note_key;
  std::string item_row_key;
};

absl::StatusOr<std::vector<EntryNote>> NextNotes(const Store& store, Family family, StorageId notes,
                                                 size_t rows_max) {
  std::vector<EntryNote> found;
  const KeyRange range = RangeOfId(notes);
  Cursor cursor = store.Scan(family, range.begin, range.end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid() && found.size() < rows_max; cursor.Next()) {
    found.push_back({std::string(cursor.key()), std::string(cursor.value())});
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  return found;
}

// Appends the changes that make the noted entry agree with its item. Requires: its row is locked.
absl::Status MakeUpFor(const ReadView& rows, const TableMeta& meta,
                       const UnfinishedLayout& unfinished, const EntryNote& note,
                       WriteBatch* batch) {
  const IndexSchema& index = meta.schema.indexes[unfinished.position];
  const Family family = IndexFamily(index.kind);
  std::string row_key = RowIdPrefix(unfinished.layout.id);
  row_key += std::string_view(note.note_key).substr(row_key.size());
  batch->Delete(family, note.note_key);
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool is_there,
                            rows.Get(Family::kTables, note.item_row_key, &row));
  std::optional<IndexEntry> entry;
  if (is_there) {
    DYNOLITH_ASSIGN_OR_RETURN(const ItemView item,
                              ItemOfRow(meta.schema, note.item_row_key, row.value()));
    entry = MakeIndexEntry(index, unfinished.layout, meta.schema.key, item);
    if (entry && entry->row_key == row_key) {
      batch->Put(family, row_key, entry->value);
      return absl::OkStatus();
    }
  }
  batch->Delete(family, row_key);
  return absl::OkStatus();
}

// Returns whether no notes are left. Requires: the table's gate is held shared, and the notes are
// closed.
absl::StatusOr<bool> MakeUpForNotes(Store* store, RowLocks* locks, Catalog* catalog,
                                    const TableMeta& meta, const UnfinishedLayout& unfinished,
                                    const BackfillOptions& options) {
  const IndexSchema& index = meta.schema.indexes[unfinished.position];
  DYNOLITH_ASSIGN_OR_RETURN(
      const std::vector<EntryNote> notes,
      NextNotes(*store, IndexFamily(index.kind), index.notes->id, options.rows_max));
  if (notes.empty()) return true;
  std::vector<std::string_view> row_keys;
  row_keys.reserve(notes.size());
  for (const EntryNote& note : notes) row_keys.push_back(note.item_row_key);
  size_t made_up = 0;
  DYNOLITH_RETURN_IF_ERROR(RunTransaction([&] {
    Transaction transaction(store, locks, row_keys);
    if (transaction.local() == nullptr) {
      catalog->ExpectUnchanged(&transaction);
      DYNOLITH_RETURN_IF_ERROR(catalog->CheckUnchanged(transaction.reads()));
    }
    DYNOLITH_RETURN_IF_ERROR(Guard(transaction, options));
    WriteBatch batch;
    for (made_up = 0; made_up < notes.size() && batch.bytes() < kBytesPerCommit; ++made_up) {
      DYNOLITH_RETURN_IF_ERROR(
          MakeUpFor(transaction.reads(), meta, unfinished, notes[made_up], &batch));
    }
    return transaction.Commit(batch);
  }));
  return made_up == notes.size() && notes.size() < options.rows_max;
}

bool IsAlive(const Catalog& catalog, const Table& table, StorageId layout) {
  const std::shared_ptr<const TableMeta> meta = table.meta();
  return catalog.Find(meta->schema.name).get() == &table && HasId(meta->schema, layout);
}

absl::Status CloseNotes(Catalog* catalog, Table* table, const std::string& index_name,
                        StorageId notes) {
  const auto close = [&](TableMeta* meta) {
    for (IndexSchema& index : meta->schema.indexes) {
      if (index.name == index_name && index.notes && index.notes->id == notes) {
        index.notes->is_open = false;
      }
    }
    return absl::OkStatus();
  };
  return catalog->Modify(table, close).status();
}

// Marks the filled layout as the one that is read from now on.
absl::Status Activate(StorageId filled, const BeforeReshard& before_reshard, TableMeta* meta) {
  for (size_t i = 0; i < meta->schema.indexes.size(); ++i) {
    IndexSchema& index = meta->schema.indexes[i];
    IndexState& state = meta->index_states[i];
    if (index.next && index.next->id == filled) {
      if (before_reshard) before_reshard(meta->schema.name, index.name);
      FinishReshard(&index, &state);
    }
    if (index.id != filled) continue;
    index.notes.reset();
    state.backfill_position.clear();
    // The index may be under deletion by now.
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
                                  const std::string& index_name, const BackfillOptions& options) {
  std::shared_ptr<const TableMeta> meta;
  std::optional<UnfinishedLayout> unfinished;
  std::optional<WriteNotes> notes;
  {
    const SpreadMutex::ReadScope gate(&table->gate);
    meta = table->meta();
    unfinished = FindUnfinished(*meta, index_name);
    if (!unfinished) return true;
    notes = meta->schema.indexes[unfinished->position].notes;
    if (!notes || !notes->is_open) {
      DYNOLITH_ASSIGN_OR_RETURN(
          const bool was_last,
          notes ? MakeUpForNotes(store, locks, catalog, *meta, *unfinished, options)
                : FillStretch(store, locks, catalog, table, *meta, *unfinished, options));
      if (!was_last) return false;
    }
  }
  if (notes && notes->is_open) {
    const absl::Status filled = FillSorted(store, *meta, *unfinished, options.may_go_on);
    // The layout was dropped during the fill: the entries written since then have to go, too.
    DYNOLITH_RETURN_IF_ERROR(catalog->CatchUp());
    if (!IsAlive(*catalog, *table, unfinished->layout.id)) {
      DYNOLITH_RETURN_IF_ERROR(catalog->ReclaimLate(
          IndexFamily(meta->schema.indexes[unfinished->position].kind), unfinished->layout.id));
    }
    DYNOLITH_RETURN_IF_ERROR(filled);
    DYNOLITH_RETURN_IF_ERROR(CloseNotes(catalog, table, index_name, notes->id));
    return false;
  }
  const auto activate = [&](TableMeta* changed) {
    return Activate(unfinished->layout.id, options.before_reshard, changed);
  };
  DYNOLITH_RETURN_IF_ERROR(catalog->Modify(table, activate).status());
  return true;
}

absl::Status BackfillAnew(Catalog* catalog, Table* table, const std::string& index_name) {
  const auto forget = [&](TableMeta* meta) {
    const auto unfinished = FindUnfinished(*meta, index_name);
    if (!unfinished) return absl::OkStatus();
    IndexSchema& index = meta->schema.indexes[unfinished->position];
    if (index.notes && index.notes->is_open) {
      ForgetFilled(&index, &meta->index_states[unfinished->position]);
    }
    return absl::OkStatus();
  };
  return catalog->Modify(table, forget).status();
}

}  // namespace dynolith
