#include "engine/history/history.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/base/attributes.h"
#include "engine/base/big_endian.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/history/messages.h"

namespace dynolith {
namespace {

// How far the limit of all stamps is raised at once.
uint64_t ReservedStamps() { return FirstStampAt(absl::UnixEpoch() + absl::Seconds(1)); }

absl::Time EarliestRestorableTime(const PointInTimeRecovery& recovery, absl::Time now) {
  return std::max(recovery.enabled, now - absl::Hours(24 * recovery.recovery_period_in_days));
}

}  // namespace

RestorableTimes FindRestorableTimes(const PointInTimeRecovery& recovery, absl::Time now) {
  const absl::Time latest = std::max(recovery.enabled, now - absl::Seconds(kRecoveryLagSeconds));
  return {TimeOfStamp(FirstStampAt(EarliestRestorableTime(recovery, now))),
          TimeOfStamp(FirstStampAt(latest))};
}

// --- Loading ---

absl::StatusOr<std::unique_ptr<History>> History::Load(Store* store, const Clock* clock) {
  std::unique_ptr<History> history(new History(store, clock));
  DYNOLITH_RETURN_IF_ERROR(history->LoadLast());
  return history;
}

absl::Status History::LoadLast() {
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, store_->Get(Family::kLog, kStampLimitKey, &row));
  if (!found) return absl::OkStatus();
  if (row.value().size() != sizeof(uint64_t)) {
    return absl::DataLossError(messages::DamagedHistoryLimit());
  }
  absl::MutexLock lock(&mutex_);
  limit_ = ReadBigEndian(row.value());
  if (FirstStampAt(clock_->Now()) >= limit_) {
    last_ = std::max<uint64_t>(limit_, 1) - 1;
    return absl::OkStatus();
  }
  // Opened again within a second, or the clock has been set back.
  const uint64_t reserved = std::min(limit_, ReservedStamps());
  DYNOLITH_ASSIGN_OR_RETURN(const uint64_t last, FindLast(DayOfStamp(limit_ - reserved)));
  last_ = std::max(last, limit_ - reserved);
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> History::FindLast(HistoryDay first_day) const {
  uint64_t last = 0;
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<UndoKey> tables, FirstRecords());
  for (const UndoKey& table : tables) {
    Cursor cursor = store_->Scan(Family::kLog, UndoPrefix(table.table, first_day),
                                 UndoEnd(table.table), Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      const std::optional<UndoKey> key = ParseUndoKey(cursor.key());
      if (!key) return absl::DataLossError(messages::DamagedHistoryRecord());
      last = std::max(last, key->stamp);
    }
    DYNOLITH_RETURN_IF_ERROR(cursor.status());
  }
  return last;
}

absl::StatusOr<std::vector<UndoKey>> History::FirstRecords() const {
  std::vector<UndoKey> first;
  Cursor cursor =
      store_->Scan(Family::kLog, UndoPrefix(), UndoEnd(~StorageId{0}), Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid();) {
    const std::optional<UndoKey> key = ParseUndoKey(cursor.key());
    if (!key) return absl::DataLossError(messages::DamagedHistoryRecord());
    first.push_back(*key);
    first.back().item = {};
    // Every key is longer than its table's prefix.
    cursor.SeekAfter(UndoEnd(key->table));
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  return first;
}

// --- Time ---

absl::Time History::Now() const { return std::max(clock_->Now(), LatestTime()); }

absl::Time History::LatestTime() const {
  absl::MutexLock lock(&mutex_);
  return TimeOfStamp(last_);
}

void History::Await(absl::Time time) {
  const uint64_t through = LastStampAt(std::min(time, Now()));
  absl::MutexLock lock(&mutex_);
  last_ = std::max(last_, through);
  const auto all_are_done = [this, through]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return in_flight_.empty() || *in_flight_.begin() > through;
  };
  mutex_.Await(absl::Condition(&all_are_done));
}

// --- Writing ---

absl::StatusOr<uint64_t> History::Begin() {
  absl::MutexLock lock(&mutex_);
  const uint64_t stamp = std::max(FirstStampAt(clock_->Now()), last_ + 1);
  if (stamp >= limit_) {
    const uint64_t limit = stamp + ReservedStamps();
    std::string bytes;
    AppendBigEndian(limit, &bytes);
    WriteBatch batch;
    batch.Put(Family::kLog, kStampLimitKey, bytes);
    DYNOLITH_RETURN_IF_ERROR(store_->Commit(batch));
    limit_ = limit;
  }
  last_ = stamp;
  in_flight_.insert(in_flight_.end(), stamp);
  return stamp;
}

void History::Finish(uint64_t stamp) {
  absl::MutexLock lock(&mutex_);
  in_flight_.erase(stamp);
}

HistoryRecorder::~HistoryRecorder() {
  if (stamp_) history_->Finish(*stamp_);
}

absl::Status HistoryRecorder::Append(const RowChange& change, WriteBatch* batch) {
  if (history_ == nullptr) return absl::OkStatus();
  if (!stamp_) {
    DYNOLITH_ASSIGN_OR_RETURN(stamp_, history_->Begin());
  }
  static thread_local std::string key;
  key.clear();
  AppendUndoKey(change.row_key, *stamp_, &key);
  const std::string_view parts[] = {
      UndoHeader(change.before != nullptr),
      change.before != nullptr ? change.before->bytes() : std::string_view()};
  batch->Put(Family::kLog, key, parts);
  return absl::OkStatus();
}

// --- Age ---

void History::Forget(StorageId table, WriteBatch* batch) {
  batch->DeleteRange(Family::kLog, UndoPrefix(table), UndoEnd(table));
}

absl::Status History::Trim(Catalog* catalog) {
  // Before the look at the catalog: a table that has records and is not there is gone for good.
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<UndoKey> first, FirstRecords());
  if (first.empty()) return absl::OkStatus();
  std::map<StorageId, std::shared_ptr<Table>> tables;
  for (std::shared_ptr<Table>& table : catalog->All()) {
    const StorageId id = table->meta()->schema.id;
    tables[id] = std::move(table);
  }
  for (const UndoKey& record : first) {
    const auto table = tables.find(record.table);
    if (table == tables.end()) {
      WriteBatch batch;
      Forget(record.table, &batch);
      DYNOLITH_RETURN_IF_ERROR(store_->Commit(batch));
      continue;
    }
    const std::shared_ptr<const TableMeta> meta = table->second->meta();
    if (!meta->point_in_time_recovery) continue;
    const absl::Time earliest = EarliestRestorableTime(*meta->point_in_time_recovery, Now());
    if (record.day >= DayOfStamp(FirstStampAt(earliest))) continue;
    DYNOLITH_RETURN_IF_ERROR(TrimTable(catalog, table->second.get()));
  }
  return absl::OkStatus();
}

absl::Status History::TrimTable(Catalog* catalog, Table* table) const {
  WriteBatch batch;
  const auto trim = [&](TableMeta* meta) {
    if (!meta->point_in_time_recovery) return absl::OkStatus();
    absl::Time* const enabled = &meta->point_in_time_recovery->enabled;
    const StorageId id = meta->schema.id;
    const HistoryDay day =
        DayOfStamp(FirstStampAt(EarliestRestorableTime(*meta->point_in_time_recovery, Now())));
    batch.DeleteRange(Family::kLog, UndoPrefix(id), UndoPrefix(id, day));
    // Even if the clock is set back or the period grows: nothing is known of the time before.
    *enabled = std::max(*enabled, StartOfDay(day));
    return absl::OkStatus();
  };
  const absl::Status status = catalog->Modify(table, trim, &batch).status();
  // The table has been dropped: its records go next time.
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

}  // namespace dynolith
