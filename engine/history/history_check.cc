#include "engine/history/history_check.h"

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "engine/base/big_endian.h"
#include "engine/base/hex.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/history/history_rows.h"
#include "engine/history/messages.h"
#include "engine/history/undo_cursor.h"
#include "engine/key/key_codec.h"
#include "engine/store/disagreements.h"
#include "engine/store/messages.h"
#include "engine/store/transaction/shared_store.h"

namespace dynolith {
namespace {

// Methods return only what keeps the check from running.
class HistoryChecker {
 public:
  HistoryChecker(Store* store, const Catalog& catalog,
                 absl::FunctionRef<void(const std::string&)> report, HistoryCheckSummary* summary)
      : store_(store), disagreements_(report, &summary->disagreements), summary_(summary) {
    for (const std::shared_ptr<Table>& table : catalog.All()) {
      std::shared_ptr<const TableMeta> meta = table->meta();
      const StorageId id = meta->schema.id;
      tables_[id] = std::move(meta);
    }
  }

  absl::Status Check() {
    DYNOLITH_RETURN_IF_ERROR(LoadLimit());
    Cursor cursor =
        store_->Scan(Family::kLog, UndoPrefix(), UndoEnd(~StorageId{0}), Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      ++summary_->records;
      CheckRecord(cursor.key(), cursor.value());
    }
    DYNOLITH_RETURN_IF_ERROR(Examine(cursor.status()));
    // In a SharedStore a record may be of several changes in one second, which together may change
    // nothing.
    if (store_->shared() != nullptr) return absl::OkStatus();
    for (const StorageId table : with_records_) {
      if (!damaged_.contains(table)) DYNOLITH_RETURN_IF_ERROR(CompareWithItems(table));
    }
    return absl::OkStatus();
  }

 private:
  void DisagreeOn(std::string_view record_key, const std::string& what) {
    disagreements_.Add(messages::HistoryRecordDisagrees(Hex(record_key), what));
  }

  absl::Status Examine(const absl::Status& status) {
    return disagreements_.Examine(messages::HistoryRecords(), status);
  }

  absl::Status LoadLimit() {
    Row row;
    const auto found = store_->Get(Family::kLog, kStampLimitKey, &row);
    DYNOLITH_RETURN_IF_ERROR(Examine(found.status()));
    if (!found.ok() || !*found) return absl::OkStatus();
    if (row.value().size() == sizeof(uint64_t)) {
      limit_ = ReadBigEndian(row.value());
      return absl::OkStatus();
    }
    return Examine(absl::DataLossError(messages::DamagedHistoryLimit()));
  }

  void CheckRecord(std::string_view key, std::string_view value) {
    const std::optional<UndoKey> record = ParseUndoKey(key);
    if (!record) return DisagreeOn(key, messages::DamagedHistoryRecord());
    const auto table = tables_.find(record->table);
    const bool is_recoverable =
        table != tables_.end() && table->second->point_in_time_recovery.has_value();
    // In a SharedStore Trim deletes those of a table whose recovery was switched off.
    if (table == tables_.end() || (store_->shared() != nullptr && !is_recoverable)) {
      ++summary_->stale_records;
      return;
    }
    with_records_.insert(record->table);
    const std::string what = is_recoverable ? WhatIsWrongWith(*table->second, *record, value)
                                            : messages::HistoryOfNoTable();
    if (what.empty()) return;
    damaged_.insert(record->table);
    DisagreeOn(key, what);
  }

  std::string WhatIsWrongWith(const TableMeta& meta, const UndoKey& record,
                              std::string_view value) const {
    if (record.stamp >= limit_ || record.day != DayOfStamp(record.stamp)) {
      return messages::HistoryOfOtherTime();
    }
    const std::optional<std::string> row_key = RowKeyInTable(record.table, record.item);
    if (!row_key) return messages::DamagedHistoryRecord();
    const KeySchema& schema = meta.schema.key;
    if (!DecodeRowKey(schema, *row_key).ok()) return messages::RecordWithOtherKeys();
    const auto before = DecodeUndo(value);
    if (!before.ok()) return std::string(ToStd(before.status().message()));
    if (!*before) return "";
    std::string key_of_item;
    if (HasKey(schema, **before)) AppendRowKey(record.table, schema, **before, &key_of_item);
    return key_of_item == *row_key ? "" : messages::RecordWithOtherKeys();
  }

  // The states of an item one after the other: those before its changes, then the one of now.
  absl::Status CompareWithItems(StorageId table) {
    const std::shared_ptr<const Snapshot> snapshot = store_->TakeSnapshot();
    UndoCursor cursor(*snapshot, RangeOfId(table), 0);
    while (cursor.Valid()) {
      const std::string key(cursor.key());
      const std::string item(cursor.record().item);
      const std::string before(cursor.undo());
      cursor.Next();
      const std::string row_key = *RowKeyInTable(table, item);
      bool is_same = false;
      if (cursor.Valid() && cursor.record().item == item) {
        is_same = cursor.undo() == before;
      } else {
        Row row;
        const auto found = snapshot->Get(Family::kTables, row_key, &row);
        DYNOLITH_RETURN_IF_ERROR(Examine(found.status()));
        if (!found.ok()) continue;
        is_same = before == std::string(UndoHeader(*found)).append(row.value());
      }
      if (is_same) DisagreeOn(key, messages::HistoryChangesNothing(Hex(row_key)));
    }
    return Examine(cursor.status());
  }

  Store* const store_;
  Disagreements disagreements_;
  HistoryCheckSummary* const summary_;
  std::map<StorageId, std::shared_ptr<const TableMeta>> tables_;
  std::set<StorageId> with_records_;  // that are in the catalog
  std::set<StorageId> damaged_;       // what is wrong with their records has been reported
  // Without the store's: any stamp may be.
  uint64_t limit_ = std::numeric_limits<uint64_t>::max();
};

}  // namespace

absl::Status CheckHistory(Store* store, const Catalog& catalog,
                          absl::FunctionRef<void(const std::string&)> report,
                          HistoryCheckSummary* summary) {
  return HistoryChecker(store, catalog, report, summary).Check();
}

}  // namespace dynolith
