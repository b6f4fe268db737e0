#include "index/mend_store.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/big_endian.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/index_layouts.h"
#include "engine/history/history_check.h"
#include "engine/history/history_rows.h"
#include "engine/replica/replica_check.h"
#include "engine/replica/replica_rows.h"
#include "engine/store/meta_keys.h"
#include "engine/store/row_locks.h"
#include "engine/stream/sequence_numbers.h"
#include "engine/stream/stream_check.h"
#include "engine/stream/stream_rows.h"
#include "engine/ttl/expiry_check.h"
#include "engine/ttl/expiry_index.h"
#include "engine/value/number.h"
#include "index/check_all.h"
#include "index/fill.h"
#include "index/mend_catalog.h"
#include "index/messages.h"

namespace dynolith {
namespace {

constexpr size_t kRowsPerCommit = 1'000;

absl::StatusOr<uint64_t> DeleteRows(Store* store, Family family, std::string_view begin,
                                    std::string_view end) {
  uint64_t rows = 0;
  WriteBatch batch;
  Cursor cursor = store->Scan(family, begin, end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    ++rows;
    batch.Delete(family, cursor.key());
    if (batch.count() < kRowsPerCommit) continue;
    DYNOLITH_RETURN_IF_ERROR(store->Commit(batch));
    batch.Clear();
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  DYNOLITH_RETURN_IF_ERROR(store->Commit(batch));
  return rows;
}

// Returns whether a check finds nothing. The reports do not matter, since the rows are written
// again.
template <typename Check, typename Summary>
absl::StatusOr<bool> IsSound(Check check, Store* store, Summary* summary) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, Catalog::Load(store));
  const absl::Status checked = check(
      store, *catalog, [](const std::string&) {}, summary);
  if (absl::IsDataLoss(checked)) return false;
  DYNOLITH_RETURN_IF_ERROR(checked);
  return summary->disagreements == 0;
}

class StoreMender {
 public:
  StoreMender(Store* store, const MendOptions& options,
              absl::FunctionRef<void(const std::string&)> report)
      : store_(store), options_(options), report_(report) {}

  absl::Status MendIndexes() {
    CheckSummary summary;
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_sound, IsSound(CheckStore, store_, &summary));
    if (is_sound) return absl::OkStatus();
    DYNOLITH_ASSIGN_OR_RETURN(std::vector<TableMeta> tables, Tables());
    for (TableMeta& meta : tables) {
      if (meta.schema.indexes.empty()) continue;
      DYNOLITH_RETURN_IF_ERROR(GiveNewIds(&meta));
      DYNOLITH_RETURN_IF_ERROR(FillIndexes(store_, meta.schema, [] { return absl::OkStatus(); }));
      DYNOLITH_RETURN_IF_ERROR(Put(meta));
      report_(messages::RepairIndexesFilled(meta.schema.name));
    }
    return absl::OkStatus();
  }

  absl::Status MendStreams() {
    StreamCheckSummary summary;
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_sound, IsSound(CheckStreams, store_, &summary));
    const bool has_numbers = SequenceNumbers::Load(store_).ok();
    if (is_sound && has_numbers) return absl::OkStatus();
    DYNOLITH_ASSIGN_OR_RETURN(const uint64_t last, LastSequence());
    uint64_t rows = 0;
    for (const auto& [begin, end] : {AllStreamKeys(), AllShardKeys(), AllRecordKeys()}) {
      DYNOLITH_ASSIGN_OR_RETURN(const uint64_t deleted,
                                DeleteRows(store_, Family::kLog, begin, end));
      rows += deleted;
    }
    // Readers that know an older number never meet it again.
    DYNOLITH_RETURN_IF_ERROR(SequenceNumbers::BeginBehind(store_, last));
    report_(messages::RepairStreamsDropped(rows));
    return absl::OkStatus();
  }

  absl::Status MendExpiry() {
    ExpiryCheckSummary summary;
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_sound, IsSound(CheckExpiry, store_, &summary));
    if (is_sound) return absl::OkStatus();
    DYNOLITH_RETURN_IF_ERROR(DeleteRows(store_, Family::kExpiry, "", "").status());
    DYNOLITH_RETURN_IF_ERROR(
        DeleteRows(store_, Family::kMeta, kExpiryFillKeys.begin, kExpiryFillKeys.end).status());
    WriteBatch batch;
    DYNOLITH_ASSIGN_OR_RETURN(const std::vector<TableMeta> tables, Tables());
    for (const TableMeta& meta : tables) {
      if (meta.time_to_live.enabled) ExpiryIndex::BeginFilling(meta.schema.id, &batch);
    }
    DYNOLITH_RETURN_IF_ERROR(store_->Commit(batch));
    DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, Catalog::Load(store_));
    RowLocks locks;
    ExpiryIndex expiry(store_, catalog.get(), &locks);
    for (bool is_filled = false; !is_filled;) {
      DYNOLITH_ASSIGN_OR_RETURN(is_filled, expiry.FillStep(kRowsPerCommit));
    }
    report_(messages::RepairExpiryFilled());
    return absl::OkStatus();
  }

  absl::Status MendHistory() {
    HistoryCheckSummary summary;
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_sound, IsSound(CheckHistory, store_, &summary));
    if (is_sound) return absl::OkStatus();
    const std::string begin(UndoPrefix());
    DYNOLITH_ASSIGN_OR_RETURN(
        const uint64_t rows,
        DeleteRows(store_, Family::kLog, begin, std::string(1, static_cast<char>(begin[0] + 1))));
    DYNOLITH_RETURN_IF_ERROR(DeleteRows(store_, Family::kLog, kStampLimitKey, begin).status());
    DYNOLITH_ASSIGN_OR_RETURN(std::vector<TableMeta> tables, Tables());
    for (TableMeta& meta : tables) {
      if (!meta.point_in_time_recovery) continue;
      meta.point_in_time_recovery->enabled = options_.now;
      DYNOLITH_RETURN_IF_ERROR(Put(meta));
    }
    report_(messages::RepairHistoryDropped(rows));
    return absl::OkStatus();
  }

  // Where something of it cannot be understood, all items of a table go to the other regions again,
  // where their versions decide.
  absl::Status MendReplicas() {
    DYNOLITH_ASSIGN_OR_RETURN(std::vector<TableMeta> tables, Tables());
    for (TableMeta& meta : tables) {
      if (meta.replicas.empty()) continue;
      DYNOLITH_ASSIGN_OR_RETURN(const ReplicaMends mends, dynolith::MendReplicas(store_, meta));
      if (mends.items > 0) report_(messages::RepairReplicasFollow(meta.schema.name, mends.items));
      if (mends.deleted() == 0) continue;
      for (Replica& replica : meta.replicas) replica.is_filled = false;
      const std::string prefix = PlacePrefix(meta.schema.id);
      DYNOLITH_RETURN_IF_ERROR(
          DeleteRows(store_, Family::kLog, prefix, EndOfPrefix(prefix)).status());
      DYNOLITH_RETURN_IF_ERROR(Put(meta));
      report_(messages::RepairReplicasFilled(meta.schema.name, mends.changes, mends.versions));
    }
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<std::vector<TableMeta>> Tables() const {
    std::vector<TableMeta> tables;
    Cursor cursor =
        store_->Scan(Family::kMeta, kTableKeys.begin, kTableKeys.end, Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      DYNOLITH_ASSIGN_OR_RETURN(tables.emplace_back(), DecodeTableMeta(cursor.value()));
    }
    DYNOLITH_RETURN_IF_ERROR(cursor.status());
    return tables;
  }

  absl::Status Put(const TableMeta& meta) {
    WriteBatch batch;
    batch.Put(Family::kMeta, Concat(kTableKeys.begin, meta.schema.name), EncodeTableMeta(meta));
    return store_->Commit(batch);
  }

  // Ids without rows. The rows of the old ids die with the table's entry.
  absl::Status GiveNewIds(TableMeta* meta) {
    Row row;
    DYNOLITH_ASSIGN_OR_RETURN(const bool found, store_->Get(Family::kMeta, kNextIdKey, &row));
    int64_t next = 1;
    if (found) {
      DYNOLITH_ASSIGN_OR_RETURN(const Number number, Number::Parse(row.value()));
      number.ToInt64(&next);
    }
    for (size_t i = 0; i < meta->schema.indexes.size(); ++i) {
      IndexSchema& index = meta->schema.indexes[i];
      IndexState& state = meta->index_states[i];
      index.id = static_cast<StorageId>(next++);
      index.next.reset();
      index.notes.reset();
      state.backfill_position.clear();
      if (state.status != IndexStatus::kCreating) continue;
      state.backfilling = false;
      state.filled = state.status_until.has_value();
      if (!state.filled) state.status = IndexStatus::kActive;
    }
    WriteBatch batch;
    batch.Put(Family::kMeta, kNextIdKey, std::to_string(next));
    return store_->Commit(batch);
  }

  // 0: there is none.
  absl::StatusOr<uint64_t> LastSequence() const {
    SequenceNumber last = 0;
    const auto [begin, end] = AllRecordKeys();
    Cursor cursor = store_->Scan(Family::kLog, begin, end, Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      const absl::StatusOr<SequenceNumber> number = SequenceOfRecordKey(cursor.key());
      if (number.ok()) last = std::max(last, *number);
    }
    DYNOLITH_RETURN_IF_ERROR(cursor.status());
    return absl::Uint128Low64(last);
  }

  Store* const store_;
  const MendOptions& options_;
  const absl::FunctionRef<void(const std::string&)> report_;
};

}  // namespace

absl::Status MendStore(Store* store, const MendOptions& options,
                       absl::FunctionRef<void(const std::string&)> report) {
  DYNOLITH_RETURN_IF_ERROR(CatalogMender(store, options, report).Mend());
  StoreMender mender(store, options, report);
  // It writes items, which the others follow.
  DYNOLITH_RETURN_IF_ERROR(mender.MendReplicas());
  DYNOLITH_RETURN_IF_ERROR(mender.MendIndexes());
  DYNOLITH_RETURN_IF_ERROR(mender.MendStreams());
  DYNOLITH_RETURN_IF_ERROR(mender.MendExpiry());
  DYNOLITH_RETURN_IF_ERROR(mender.MendHistory());
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, Catalog::Load(store));
  std::string first;
  const auto keep = [&first](const std::string& line) {
    if (first.empty()) first = line;
  };
  DYNOLITH_ASSIGN_OR_RETURN(const CheckAllSummary summary, CheckAll(store, *catalog, keep));
  if (summary.disagreements() == 0) return absl::OkStatus();
  return absl::DataLossError(messages::RepairNotSound(summary.disagreements(), first));
}

}  // namespace dynolith
