#include "engine/history/history.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "absl/base/attributes.h"
#include "engine/base/big_endian.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/history/messages.h"
#include "engine/store/row_locks.h"

namespace dynolith {
namespace {

// How far the limit of all stamps is raised at once.
uint64_t ReservedStamps() { return FirstStampAt(absl::UnixEpoch() + absl::Seconds(1)); }

absl::Time EarliestRestorableTime(const PointInTimeRecovery& recovery, absl::Time now) {
  return std::max(recovery.enabled, now - absl::Hours(24 * recovery.recovery_period_in_days));
}

// --- The row of the limit ---

// 0: there is none.
absl::StatusOr<uint64_t> ReadLimit(const ReadView& rows) {
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, rows.Get(Family::kLog, kStampLimitKey, &row));
  if (!found) return 0;
  if (row.value().size() != sizeof(uint64_t)) {
    return absl::DataLossError(messages::DamagedHistoryLimit());
  }
  return ReadBigEndian(row.value());
}

std::string LimitBytes(uint64_t limit) {
  std::string bytes;
  AppendBigEndian(limit, &bytes);
  return bytes;
}

// --- The seconds of a SharedStore ---

constexpr absl::Duration kOneSecond = absl::Seconds(1);

absl::Time SecondBegin(absl::Time time) {
  return absl::UnixEpoch() + absl::Floor(time - absl::UnixEpoch(), kOneSecond);
}
// The second that ends with a time has it as the time of its changes, which all have one stamp.
absl::Time SecondEnd(absl::Time time) {
  return absl::UnixEpoch() + absl::Ceil(time - absl::UnixEpoch(), kOneSecond);
}
uint64_t StampOfLimit(uint64_t limit) { return std::max<uint64_t>(limit, 1) - 1; }
uint64_t LimitOfSecond(absl::Time end) { return FirstStampAt(end) + 1; }

// --- Age ---

using TablesById = std::map<StorageId, std::shared_ptr<Table>>;

TablesById ById(const Catalog& catalog) {
  TablesById tables;
  for (std::shared_ptr<Table>& table : catalog.All()) {
    const StorageId id = table->meta()->schema.id;
    tables[id] = std::move(table);
  }
  return tables;
}

// Of one commit.
constexpr size_t kRecordsAtOnce = 256;
constexpr ScanHints kRecordsRead = {.rows = kRecordsAtOnce, .bytes = 1 << 20};

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
  DYNOLITH_ASSIGN_OR_RETURN(const uint64_t limit, ReadLimit(*store_));
  absl::MutexLock lock(&mutex_);
  limit_ = limit;
  if (limit == 0 || shared_ != nullptr) return absl::OkStatus();
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
  if (shared_ == nullptr) return TimeOfStamp(last_);
  // Whoever has begun a second has done so before its end.
  return std::max(TimeOfStamp(StampOfLimit(limit_)) - kOneSecond, absl::UnixEpoch());
}

absl::Status History::Await(absl::Time time) {
  const absl::Time awaited = std::min(time, Now());
  if (shared_ != nullptr) {
    const uint64_t limit = LimitOfSecond(SecondBegin(awaited) + kOneSecond);
    // A commit of a second that has ended finds another limit than it expects.
    return KnowsLimit(limit) ? absl::OkStatus() : RaiseLimit(limit);
  }
  const uint64_t through = LastStampAt(awaited);
  absl::MutexLock lock(&mutex_);
  last_ = std::max(last_, through);
  const auto all_are_done = [this, through]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return in_flight_.empty() || *in_flight_.begin() > through;
  };
  mutex_.Await(absl::Condition(&all_are_done));
  return absl::OkStatus();
}

absl::StatusOr<absl::Time> History::StartTime() {
  if (shared_ == nullptr) return Now();
  // Records of others have the stamps of their limits.
  DYNOLITH_RETURN_IF_ERROR(RaiseLimit(0));
  const absl::Time now = Now();
  absl::MutexLock lock(&mutex_);
  if (limit_ == 0) return now;
  return std::max(now, TimeOfStamp(StampOfLimit(limit_)) + absl::Milliseconds(1));
}

// --- The seconds of a SharedStore ---

bool History::KnowsLimit(uint64_t limit) const {
  absl::MutexLock lock(&mutex_);
  return limit_ >= limit;
}

absl::Status History::RaiseLimit(uint64_t limit) {
  RowLocks none(1);
  uint64_t found = 0;
  DYNOLITH_RETURN_IF_ERROR(RunTransaction([&]() -> absl::Status {
    Transaction own(store_, &none, {});
    DYNOLITH_ASSIGN_OR_RETURN(found, ReadLimit(own.reads()));
    if (found >= limit) return absl::OkStatus();
    found = limit;
    WriteBatch batch;
    batch.Put(Family::kLog, kStampLimitKey, LimitBytes(limit));
    return own.Commit(batch);
  }));
  absl::MutexLock lock(&mutex_);
  limit_ = std::max(limit_, found);
  return absl::OkStatus();
}

absl::Status History::PrepareChange(bool is_again) {
  const uint64_t limit = LimitOfSecond(SecondEnd(clock_->Now()));
  return is_again || !KnowsLimit(limit) ? RaiseLimit(limit) : absl::OkStatus();
}

bool History::NoteTried(std::string_view key) {
  const uint64_t hash = std::hash<std::string_view>()(key);
  return tried_[hash % tried_.size()].exchange(hash, std::memory_order_relaxed) == hash;
}

uint64_t History::ExpectStamp(const Transaction& transaction) const {
  absl::MutexLock lock(&mutex_);
  transaction.Expect(Family::kLog, kStampLimitKey, LimitBytes(limit_));
  return StampOfLimit(limit_);
}

// --- Writing ---

absl::StatusOr<uint64_t> History::Begin() {
  absl::MutexLock lock(&mutex_);
  const uint64_t stamp = std::max(FirstStampAt(clock_->Now()), last_ + 1);
  if (stamp >= limit_) {
    const uint64_t limit = stamp + ReservedStamps();
    WriteBatch batch;
    batch.Put(Family::kLog, kStampLimitKey, LimitBytes(limit));
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
  if (stamp_ && transaction_ == nullptr) history_->Finish(*stamp_);
}

absl::StatusOr<uint64_t> HistoryRecorder::Stamp() const {
  if (transaction_ == nullptr) return history_->Begin();
  return history_->ExpectStamp(*transaction_);
}

absl::StatusOr<bool> HistoryRecorder::IsWanted(std::string_view key) const {
  if (transaction_ == nullptr) return true;
  if (!history_->NoteTried(key) && !is_again_) {
    // Mostly there is none. Costs no round trip.
    transaction_->Expect(Family::kLog, key, std::nullopt);
    return true;
  }
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, transaction_->Get(Family::kLog, key, &row));
  return !found;
}

absl::Status HistoryRecorder::Append(const RowChange& change, WriteBatch* batch) {
  if (history_ == nullptr) return absl::OkStatus();
  if (!stamp_) {
    DYNOLITH_ASSIGN_OR_RETURN(stamp_, Stamp());
  }
  static thread_local std::string key;
  key.clear();
  AppendUndoKey(change.row_key, *stamp_, &key);
  DYNOLITH_ASSIGN_OR_RETURN(const bool is_wanted, IsWanted(key));
  if (!is_wanted) return absl::OkStatus();
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

absl::Status History::Trim(Catalog* catalog, HoldLease hold) {
  // Before the look at the catalog: a table that has records and is not there is gone for good.
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<UndoKey> first, FirstRecords());
  if (first.empty()) return absl::OkStatus();
  if (shared_ == nullptr) return TrimLocal(catalog, first);
  DYNOLITH_RETURN_IF_ERROR(catalog->CatchUp());
  const TablesById tables = ById(*catalog);
  for (const UndoKey& record : first) {
    const auto table = tables.find(record.table);
    DYNOLITH_ASSIGN_OR_RETURN(
        const std::optional<HistoryDay> needed,
        FirstNeededDay(catalog, table == tables.end() ? nullptr : table->second.get()));
    for (bool has_more = !needed || record.day < *needed; has_more;) {
      DYNOLITH_ASSIGN_OR_RETURN(const Lease* const lease, hold());
      if (lease == nullptr) return absl::OkStatus();
      DYNOLITH_ASSIGN_OR_RETURN(has_more, TrimSome(catalog, record.table, *lease));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> History::TrimSome(Catalog* catalog, StorageId id, const Lease& lease) const {
  // Before the look at the catalog: if the table is not there, or has no recovery, its records of
  // before that are needed by nobody, also if it gets a recovery meanwhile (StartTime).
  std::vector<std::pair<HistoryDay, std::string>> records;
  Cursor cursor = store_->ScanPage(Family::kLog, UndoPrefix(id), UndoEnd(id), Direction::kForward,
                                   kRecordsRead);
  for (cursor.SeekToStart(); cursor.Valid() && records.size() < kRecordsAtOnce; cursor.Next()) {
    const std::optional<UndoKey> key = ParseUndoKey(cursor.key());
    if (!key) return absl::DataLossError(messages::DamagedHistoryRecord());
    records.emplace_back(key->day, cursor.key());
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  DYNOLITH_RETURN_IF_ERROR(catalog->CatchUp());
  const TablesById tables = ById(*catalog);
  const auto table = tables.find(id);
  DYNOLITH_ASSIGN_OR_RETURN(
      const std::optional<HistoryDay> needed,
      FirstNeededDay(catalog, table == tables.end() ? nullptr : table->second.get()));
  WriteBatch batch;
  for (const auto& [day, key] : records) {
    if (!needed || day < *needed) batch.Delete(Family::kLog, key);
  }
  if (batch.empty()) return false;
  DYNOLITH_RETURN_IF_ERROR(lease.Commit(store_, batch));
  return batch.count() == kRecordsAtOnce;
}

absl::StatusOr<std::optional<HistoryDay>> History::FirstNeededDay(Catalog* catalog,
                                                                  Table* table) const {
  if (table == nullptr) return std::optional<HistoryDay>();
  const std::optional<PointInTimeRecovery> recovery = table->meta()->point_in_time_recovery;
  if (!recovery) return std::optional<HistoryDay>();
  const HistoryDay needed = DayOfStamp(FirstStampAt(EarliestRestorableTime(*recovery, Now())));
  if (recovery->enabled >= StartOfDay(needed)) return std::make_optional(needed);
  // First the times before that day are not offered any more, then their records go.
  const auto narrow = [&](TableMeta* meta) {
    if (!meta->point_in_time_recovery) return absl::OkStatus();
    absl::Time* const enabled = &meta->point_in_time_recovery->enabled;
    *enabled = std::max(*enabled, StartOfDay(needed));
    return absl::OkStatus();
  };
  const absl::Status status = catalog->Modify(table, narrow).status();
  if (!status.ok() && !absl::IsNotFound(status)) return status;
  return std::make_optional(needed);
}

absl::Status History::TrimLocal(Catalog* catalog, const std::vector<UndoKey>& first) const {
  const TablesById tables = ById(*catalog);
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
