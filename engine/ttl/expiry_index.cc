#include "engine/ttl/expiry_index.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/key/key_codec.h"
#include "engine/store/meta_keys.h"
#include "engine/store/row_id.h"
#include "engine/ttl/expiry.h"
#include "engine/ttl/messages.h"

namespace dynolith {
namespace {

// The least key behind all of the second.
std::string EndOfSecond(int64_t seconds) {
  if (seconds == std::numeric_limits<int64_t>::max()) return "";
  return ExpiryKey(seconds + 1, "");
}

}  // namespace

// --- Switching on and off ---

std::string ExpiryIndex::FillKey(StorageId table_id) {
  return Concat(kExpiryFillKeys.begin, RowIdPrefix(table_id));
}

void ExpiryIndex::BeginFilling(StorageId table_id, WriteBatch* batch) {
  batch->Put(Family::kMeta, FillKey(table_id), std::string_view());
}

void ExpiryIndex::StopFilling(StorageId table_id, WriteBatch* batch) {
  batch->Delete(Family::kMeta, FillKey(table_id));
}

std::shared_ptr<Table> ExpiryIndex::FindTableById(StorageId id) const {
  for (std::shared_ptr<Table>& table : catalog_->All()) {
    if (table->meta()->schema.id == id) return std::move(table);
  }
  return nullptr;
}

absl::StatusOr<bool> ExpiryIndex::FillStep(size_t rows_max) {
  Cursor cursor =
      store_->Scan(Family::kMeta, kExpiryFillKeys.begin, kExpiryFillKeys.end, Direction::kForward);
  cursor.SeekToStart();
  if (!cursor.Valid()) {
    DYNOLITH_RETURN_IF_ERROR(cursor.status());
    return true;
  }
  const std::string_view id_bytes = cursor.key().substr(kExpiryFillKeys.begin.size());
  if (id_bytes.size() != kRowIdBytes) return absl::DataLossError(messages::DamagedExpiryFill());
  const StorageId id = RowIdFromKey(id_bytes);
  return FillTableStep(id, std::string(cursor.value()), rows_max);
}

absl::StatusOr<bool> ExpiryIndex::EndFilling(StorageId table_id) {
  WriteBatch batch;
  StopFilling(table_id, &batch);
  DYNOLITH_RETURN_IF_ERROR(store_->Commit(batch));
  return false;  // another table may wait
}

absl::StatusOr<bool> ExpiryIndex::FillTableStep(StorageId table_id, const std::string& position,
                                                size_t rows_max) {
  const std::shared_ptr<Table> table = FindTableById(table_id);
  if (table == nullptr) return EndFilling(table_id);
  const SpreadMutex::ReadScope gate(&table->gate);
  const std::shared_ptr<const TableMeta> meta = table->meta();
  Row row;
  // It may have been switched off, and on again, before the gate was ours.
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, store_->Get(Family::kMeta, FillKey(table_id), &row));
  if (!found || row.value() != position) return false;
  if (!meta->time_to_live.enabled || meta->status == TableStatus::kDeleting) {
    return EndFilling(table_id);
  }

  const KeyRange range = RangeOfId(table_id);
  Cursor cursor = store_->Scan(Family::kTables, range.begin, range.end, Direction::kForward);
  position.empty() ? cursor.SeekToStart() : cursor.SeekAfter(position);
  std::vector<std::string> keys;
  for (; cursor.Valid() && keys.size() < rows_max; cursor.Next()) keys.emplace_back(cursor.key());
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  if (keys.empty()) return EndFilling(table_id);

  const std::vector<std::string_view> borrowed(keys.begin(), keys.end());
  const RowLocks::Guard guard = locks_->Lock(borrowed);
  WriteBatch batch;
  int64_t earliest = std::numeric_limits<int64_t>::max();
  for (const std::string& key : keys) {
    DYNOLITH_ASSIGN_OR_RETURN(const bool exists, store_->Get(Family::kTables, key, &row));
    if (!exists) continue;
    const auto expiry =
        ExpirySeconds(ItemView::Unchecked(row.value()), meta->time_to_live.attribute_name);
    if (!expiry) continue;
    batch.Put(Family::kExpiry, ExpiryKey(*expiry, key), std::string_view());
    earliest = std::min(earliest, *expiry);
  }
  batch.Put(Family::kMeta, FillKey(table_id), keys.back());
  DYNOLITH_RETURN_IF_ERROR(store_->Commit(batch));
  NoteCommitted(earliest);
  return false;
}

// --- Sweeping ---

void ExpiryIndex::NoteCommitted(int64_t seconds) {
  int64_t mark = first_unswept_.load();
  while (seconds < mark && !first_unswept_.compare_exchange_weak(mark, seconds)) {
  }
}

int64_t ExpiryIndex::BeginSweep() {
  return first_unswept_.exchange(std::numeric_limits<int64_t>::max());
}

absl::StatusOr<std::vector<ExpiryIndex::DueRow>> ExpiryIndex::FindDue(int64_t first, int64_t last,
                                                                      const DueRow* after,
                                                                      size_t rows_max) const {
  std::vector<DueRow> due;
  if (first > last) return due;
  Cursor cursor =
      store_->Scan(Family::kExpiry, ExpiryKey(first, ""), EndOfSecond(last), Direction::kForward);
  after == nullptr ? cursor.SeekToStart()
                   : cursor.SeekAfter(ExpiryKey(after->seconds, after->row_key));
  for (; cursor.Valid() && due.size() < rows_max; cursor.Next()) {
    const auto parts = ParseExpiryKey(cursor.key());
    if (parts) due.push_back({parts->seconds, std::string(parts->row_key)});
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  return due;
}

absl::Status ExpiryIndex::DropIfStale(const TableMeta& meta, const DueRow& row) {
  const RowLocks::Guard guard = locks_->Lock(row.row_key);
  if (meta.time_to_live.enabled) {
    Row item;
    DYNOLITH_ASSIGN_OR_RETURN(const bool found, store_->Get(Family::kTables, row.row_key, &item));
    if (found && ExpirySeconds(ItemView::Unchecked(item.value()),
                               meta.time_to_live.attribute_name) == row.seconds) {
      return absl::OkStatus();
    }
  }
  return Drop(absl::MakeConstSpan(&row, 1));
}

absl::Status ExpiryIndex::Drop(absl::Span<const DueRow> rows) {
  std::vector<std::string> keys;
  for (const DueRow& row : rows) keys.push_back(ExpiryKey(row.seconds, row.row_key));
  return Delete(keys);
}

absl::Status ExpiryIndex::Delete(absl::Span<const std::string> keys) {
  WriteBatch batch;
  for (const std::string& key : keys) batch.Delete(Family::kExpiry, key);
  return store_->Commit(batch);
}

// --- Clearing ---

absl::StatusOr<bool> ExpiryIndex::ClearStep(size_t rows_max, std::string* position) {
  std::map<StorageId, std::vector<std::string>> keys_of;
  size_t rows = 0;
  {
    Cursor cursor = store_->Scan(Family::kExpiry, "", "", Direction::kForward);
    position->empty() ? cursor.SeekToStart() : cursor.SeekAfter(*position);
    for (; cursor.Valid() && rows < rows_max; cursor.Next(), ++rows) {
      *position = cursor.key();
      if (const auto parts = ParseExpiryKey(cursor.key())) {
        keys_of[RowIdFromKey(parts->row_key)].push_back(*position);
      }
    }
    DYNOLITH_RETURN_IF_ERROR(cursor.status());
  }
  // Looked up after the rows were read: a table that has rows and is not there is gone for good.
  for (const auto& [table_id, keys] : keys_of) {
    const std::shared_ptr<Table> table = FindTableById(table_id);
    if (table == nullptr) {
      DYNOLITH_RETURN_IF_ERROR(Delete(keys));
      continue;
    }
    // While the gate is held, time to live stays off and nobody writes rows.
    const SpreadMutex::ReadScope lock(&table->gate);
    if (table->meta()->time_to_live.enabled) continue;
    DYNOLITH_RETURN_IF_ERROR(Delete(keys));
  }
  return rows < rows_max;
}

absl::Status ExpiryMaintainer::Append(const RowChange& change, WriteBatch* batch) {
  const std::optional<int64_t> expiry =
      MaintainExpiry(change.meta, change.row_key, change.before, change.after, batch);
  if (expiry) earliest_ = std::min(*expiry, earliest_.value_or(*expiry));
  return absl::OkStatus();
}

}  // namespace dynolith
