#include "engine/ttl/expiry_index.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/key/key_codec.h"
#include "engine/store/meta_keys.h"
#include "engine/store/row_id.h"
#include "engine/store/transaction/transaction.h"
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
  DYNOLITH_RETURN_IF_ERROR(Commit(batch));
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

  DYNOLITH_RETURN_IF_ERROR(RunTransaction([&] { return FillRows(*meta, keys); }));
  return false;
}

absl::Status ExpiryIndex::FillRows(const TableMeta& meta, const std::vector<std::string>& keys) {
  const std::vector<std::string_view> borrowed(keys.begin(), keys.end());
  Transaction transaction(store_, locks_, borrowed);
  DYNOLITH_RETURN_IF_ERROR(ExpectCatalog(&transaction));
  WriteBatch batch;
  int64_t earliest = std::numeric_limits<int64_t>::max();
  for (const std::string& key : keys) {
    Row row;
    DYNOLITH_ASSIGN_OR_RETURN(const bool exists, transaction.Get(Family::kTables, key, &row));
    if (!exists) continue;
    const auto expiry =
        ExpirySeconds(ItemView::Unchecked(row.value()), meta.time_to_live.attribute_name);
    if (!expiry) continue;
    batch.Put(Family::kExpiry, ExpiryKey(*expiry, key), std::string_view());
    earliest = std::min(earliest, *expiry);
  }
  batch.Put(Family::kMeta, FillKey(meta.schema.id), keys.back());
  DYNOLITH_RETURN_IF_ERROR(transaction.Commit(batch));
  NoteCommitted(earliest);
  return absl::OkStatus();
}

absl::Status ExpiryIndex::ExpectCatalog(Transaction* transaction) const {
  if (transaction->local() != nullptr) return absl::OkStatus();
  catalog_->ExpectUnchanged(transaction);
  DYNOLITH_RETURN_IF_ERROR(catalog_->CheckUnchanged(transaction->reads()));
  return lease_ == nullptr ? absl::OkStatus() : lease_->Guard(*transaction, /*is_again=*/true);
}

absl::Status ExpiryIndex::Commit(const WriteBatch& batch) {
  return lease_ == nullptr ? store_->Commit(batch) : lease_->Commit(store_, batch);
}

// --- Sweeping ---

void ExpiryIndex::NoteCommitted(int64_t seconds) {
  int64_t mark = first_unswept_.load();
  while (seconds < mark && !first_unswept_.compare_exchange_weak(mark, seconds)) {
  }
}

int64_t ExpiryIndex::BeginSweep() {
  // Others write expiry rows as well.
  if (store_->local() == nullptr) return std::numeric_limits<int64_t>::min();
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
  return RunTransaction([&] { return TryDropIfStale(meta, row); });
}

absl::Status ExpiryIndex::TryDropIfStale(const TableMeta& meta, const DueRow& row) {
  const std::string_view row_key = row.row_key;
  Transaction transaction(store_, locks_, absl::MakeConstSpan(&row_key, 1));
  DYNOLITH_RETURN_IF_ERROR(ExpectCatalog(&transaction));
  if (meta.time_to_live.enabled) {
    Row item;
    DYNOLITH_ASSIGN_OR_RETURN(const bool found, transaction.Get(Family::kTables, row_key, &item));
    if (found && ExpirySeconds(ItemView::Unchecked(item.value()),
                               meta.time_to_live.attribute_name) == row.seconds) {
      return absl::OkStatus();
    }
  }
  WriteBatch batch;
  batch.Delete(Family::kExpiry, ExpiryKey(row.seconds, row_key));
  return transaction.Commit(batch);
}

absl::Status ExpiryIndex::Drop(absl::Span<const DueRow> rows) {
  std::vector<std::string> keys;
  for (const DueRow& row : rows) keys.push_back(ExpiryKey(row.seconds, row.row_key));
  return Delete(keys);
}

absl::Status ExpiryIndex::Delete(absl::Span<const std::string> keys) {
  WriteBatch batch;
  for (const std::string& key : keys) batch.Delete(Family::kExpiry, key);
  return Commit(batch);
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
