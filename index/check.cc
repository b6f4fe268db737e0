#include "index/check.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/hex.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/index_layouts.h"
#include "engine/key/key_codec.h"
#include "engine/store/disagreements.h"
#include "engine/store/local_store.h"
#include "engine/store/messages.h"
#include "engine/ttl/messages.h"
#include "engine/value/dissect.h"
#include "index/entry.h"
#include "index/messages.h"

namespace dynolith {
namespace {

// The key attributes of an item, as text.
std::string KeyText(const KeySchema& key, ItemView item) {
  ItemBuilder builder;
  builder.BeginMap();
  for (size_t i = 0; i < item.size(); ++i) {
    if (!key.Contains(item.name(i))) continue;
    builder.Key(item.name(i));
    builder.Copy(item.value(i));
  }
  builder.EndMap();
  const Item only_key = builder.FinishItem();
  return DebugString(only_key.view());
}

// Checks one table, or the rows of one backup as if they were a table's, in one snapshot. Methods
// return only what keeps the check from running.
class TableChecker {
 public:
  TableChecker(const Snapshot& snapshot, const TableMeta& meta, std::string place,
               absl::FunctionRef<void(const std::string&)> report, CheckSummary* summary)
      : snapshot_(snapshot),
        meta_(meta),
        disagreements_(report, &summary->disagreements),
        summary_(summary),
        place_(std::move(place)) {}

  absl::Status Check() {
    DYNOLITH_RETURN_IF_ERROR(CheckBaseRows(&summary_->base_rows));
    for (const IndexSchema& index : meta_.schema.indexes) {
      // What is not made up for yet is in the layout that is being filled.
      const bool reads_first = index.next || !index.notes;
      if (reads_first) DYNOLITH_RETURN_IF_ERROR(CheckIndexRows(index, index.layout()));
      if (index.next && !index.notes) DYNOLITH_RETURN_IF_ERROR(CheckIndexRows(index, *index.next));
    }
    return absl::OkStatus();
  }

  absl::Status CheckBackup(int64_t rows_wanted) {
    uint64_t rows = 0;
    DYNOLITH_RETURN_IF_ERROR(CheckBaseRows(&rows));
    summary_->backup_rows += rows;
    if (static_cast<int64_t>(rows) == rows_wanted) return absl::OkStatus();
    disagreements_.Add(messages::CheckBackupRows(place_, rows, rows_wanted));
    return absl::OkStatus();
  }

 private:
  absl::Status CheckBaseRows(uint64_t* rows) {
    const KeyRange range = RangeOfId(meta_.schema.id);
    Cursor cursor = snapshot_.ScanOnce(Family::kTables, range.begin, range.end);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      ++*rows;
      const std::optional<ItemView> item = ParseBaseRow(cursor.key(), cursor.value());
      if (!item) continue;
      DYNOLITH_RETURN_IF_ERROR(FindEntries(*item));
    }
    return disagreements_.Examine(place_, cursor.status());
  }

  // The item if it is whole and belongs to the key; reports otherwise.
  std::optional<ItemView> ParseBaseRow(std::string_view row_key, std::string_view value) {
    const absl::StatusOr<ItemView> item = ItemView::Parse(value);
    if (!item.ok()) {
      disagreements_.Add(
          messages::CheckItemDamaged(place_, Hex(row_key), ToStd(item.status().message())));
      return std::nullopt;
    }
    if (HasKey(meta_.schema.key, *item)) {
      std::string expected;
      AppendRowKey(meta_.schema.id, meta_.schema.key, *item, &expected);
      if (expected == row_key) return *item;
    }
    disagreements_.Add(messages::CheckKeyDiffers(place_, Hex(row_key), DebugString(*item)));
    return std::nullopt;
  }

  // Only whether each entry is there: what it says is compared from the index's side.
  absl::Status FindEntries(ItemView item) {
    for (size_t i = 0; i < meta_.schema.indexes.size(); ++i) {
      const IndexSchema& index = meta_.schema.indexes[i];
      if (meta_.index_states[i].status == IndexStatus::kCreating) continue;
      if (!HasEntry(index, item)) continue;
      std::string row_key;
      AppendIndexRowKey(index.layout(), index.key, meta_.schema.key, item, &row_key);
      Row row;
      const auto found = snapshot_.Get(IndexFamily(index.kind), row_key, &row);
      const std::string place = messages::CheckIndex(meta_.schema.name, index.name);
      if (!found.ok()) {
        DYNOLITH_RETURN_IF_ERROR(disagreements_.Examine(place, found.status()));
      } else if (!*found) {
        disagreements_.Add(
            messages::CheckEntryMissing(place, Hex(row_key), KeyText(meta_.schema.key, item)));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckIndexRows(const IndexSchema& index, const IndexLayout& layout) {
    const std::string place = messages::CheckIndex(meta_.schema.name, index.name);
    const KeyRange range = RangeOfId(layout.id);
    Cursor cursor = snapshot_.ScanOnce(IndexFamily(index.kind), range.begin, range.end);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      ++summary_->index_rows;
      DYNOLITH_RETURN_IF_ERROR(CheckIndexRow(index, layout, place, cursor.key(), cursor.value()));
    }
    return disagreements_.Examine(place, cursor.status());
  }

  absl::Status CheckIndexRow(const IndexSchema& index, const IndexLayout& layout,
                             const std::string& place, std::string_view row_key,
                             std::string_view value) {
    const absl::StatusOr<ItemView> found = ItemView::Parse(value);
    if (!found.ok()) {
      disagreements_.Add(
          messages::CheckItemDamaged(place, Hex(row_key), ToStd(found.status().message())));
      return absl::OkStatus();
    }
    const absl::StatusOr<Item> keys =
        DecodeIndexRowKey(index.key, meta_.schema.key, layout.shards, row_key);
    if (!keys.ok() || !HasKey(meta_.schema.key, keys->view())) {
      disagreements_.Add(
          messages::CheckKeyDamaged(place, Hex(row_key), ToStd(keys.status().message())));
      return absl::OkStatus();
    }
    std::string base_row_key;
    AppendRowKey(meta_.schema.id, meta_.schema.key, keys->view(), &base_row_key);
    Row row;
    const auto has_base = snapshot_.Get(Family::kTables, base_row_key, &row);
    if (!has_base.ok()) return disagreements_.Examine(place_, has_base.status());
    if (!*has_base) {
      disagreements_.Add(messages::CheckEntryOrphaned(place, Hex(row_key),
                                                      KeyText(meta_.schema.key, keys->view())));
      return absl::OkStatus();
    }
    CompareEntry(index, layout, place, row_key, *found, row.value());
    return absl::OkStatus();
  }

  void CompareEntry(const IndexSchema& index, const IndexLayout& layout, const std::string& place,
                    std::string_view row_key, ItemView found, std::string_view base_value) {
    const absl::StatusOr<ItemView> item = ItemView::Parse(base_value);
    // Reported with the base row.
    if (!item.ok() || !HasKey(meta_.schema.key, *item)) return;
    const std::optional<IndexEntry> entry = MakeIndexEntry(index, layout, meta_.schema.key, *item);
    if (!entry || entry->row_key != row_key) {
      disagreements_.Add(
          messages::CheckEntryMisplaced(place, Hex(row_key), KeyText(meta_.schema.key, *item)));
    } else if (entry->value != found.bytes()) {
      disagreements_.Add(messages::CheckProjectionDiffers(
          place, Hex(row_key), DebugString(found), DebugString(ItemView::Unchecked(entry->value))));
    }
  }

  const Snapshot& snapshot_;
  const TableMeta& meta_;
  Disagreements disagreements_;
  CheckSummary* const summary_;
  const std::string place_;
};

absl::Status CheckBackups(Store* store, const Catalog& catalog,
                          absl::FunctionRef<void(const std::string&)> report,
                          CheckSummary* summary) {
  // The rows of a backup do not change.
  const std::shared_ptr<const Snapshot> snapshot = store->TakeSnapshot();
  for (const std::shared_ptr<const BackupMeta>& backup : catalog.Backups()) {
    TableMeta table = backup->table;
    table.schema.id = backup->rows_id;
    table.schema.indexes.clear();
    const std::string place = messages::CheckBackup(table.schema.name, backup->id);
    ++summary->backups;
    DYNOLITH_RETURN_IF_ERROR(
        TableChecker(*snapshot, table, place, report, summary).CheckBackup(backup->item_count));
  }
  return absl::OkStatus();
}

// Whether rows of `checked` may have been reclaimed meanwhile, which no snapshot holds up.
bool IsPartlyGone(const Catalog& catalog, const Table* table, const TableMeta& checked) {
  if (catalog.Find(checked.schema.name).get() != table) return true;
  const std::shared_ptr<const TableMeta> now = table->meta();
  return std::any_of(checked.schema.indexes.begin(), checked.schema.indexes.end(),
                     [&](const IndexSchema& index) {
                       bool is_gone = false;
                       ForEachId(index, [&](StorageId id) { is_gone |= !HasId(now->schema, id); });
                       return is_gone;
                     });
}

// What is said of a table that has changed meanwhile is forgotten, and it is checked again.
absl::Status CheckTable(Store* store, const Catalog& catalog, Table* table,
                        absl::FunctionRef<void(const std::string&)> report, CheckSummary* summary) {
  for (;;) {
    std::shared_ptr<const TableMeta> meta;
    std::shared_ptr<const Snapshot> snapshot;
    {
      // Without the gate a schema change could fall between the two.
      const SpreadMutex::ReadScope gate(&table->gate);
      meta = table->meta();
      snapshot = store->TakeSnapshot();
    }
    if (catalog.Find(meta->schema.name).get() != table) return absl::OkStatus();
    CheckSummary found = *summary;
    ++found.tables;
    std::vector<std::string> texts;
    const std::string place = messages::CheckTable(meta->schema.name);
    const auto keep = [&texts](const std::string& text) { texts.push_back(text); };
    DYNOLITH_RETURN_IF_ERROR(TableChecker(*snapshot, *meta, place, keep, &found).Check());
    if (!texts.empty() && IsPartlyGone(catalog, table, *meta)) continue;
    for (const std::string& text : texts) report(text);
    *summary = found;
    return absl::OkStatus();
  }
}

}  // namespace

absl::Status CheckStore(Store* store, const Catalog& catalog,
                        absl::FunctionRef<void(const std::string&)> report, CheckSummary* summary) {
  LocalStore* const local = store->local();
  const absl::Status checksums = local == nullptr ? absl::OkStatus() : local->VerifyChecksums();
  if (absl::IsDataLoss(checksums)) {
    ++summary->disagreements;
    report(messages::CheckUnreadable(messages::CheckFiles(), ToStd(checksums.message())));
  } else {
    DYNOLITH_RETURN_IF_ERROR(checksums);
  }
  for (const std::shared_ptr<Table>& table : catalog.All()) {
    DYNOLITH_RETURN_IF_ERROR(CheckTable(store, catalog, table.get(), report, summary));
  }
  return CheckBackups(store, catalog, report, summary);
}

}  // namespace dynolith
