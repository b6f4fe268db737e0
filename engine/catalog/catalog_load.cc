// What the store has of the catalog: read at opening, and again after changes by other processes.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "engine/base/prepared_entry.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/catalog_version.h"
#include "engine/catalog/index_layouts.h"
#include "engine/catalog/kept_throughput.h"
#include "engine/catalog/messages.h"
#include "engine/store/local_store.h"
#include "engine/store/meta_keys.h"
#include "engine/store/row_id.h"
#include "engine/store/transaction/run_transaction.h"

namespace dynolith {
namespace {

// The stored state of partitions, by the id of the table.
absl::StatusOr<std::map<StorageId, ThroughputStates>> ReadThroughput(const ReadView& rows) {
  std::map<StorageId, ThroughputStates> throughput;
  Cursor cursor =
      rows.Scan(Family::kMeta, kThroughputKeys.begin, kThroughputKeys.end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    absl::StatusOr<ThroughputStates> states = DecodeThroughput(cursor.value());
    if (!states.ok()) {
      return absl::DataLossError(
          messages::CatalogThroughputDamaged(cursor.key(), ToStd(states.status().message())));
    }
    const auto id = Number::Parse(cursor.key().substr(kThroughputKeys.begin.size()));
    int64_t number = 0;
    if (!id.ok() || !id->ToInt64(&number) || KeptThroughputKey(number) != cursor.key()) {
      return absl::DataLossError(
          messages::CatalogThroughputDamaged(cursor.key(), messages::CatalogThroughputOfNoTable()));
    }
    throughput.emplace(static_cast<StorageId>(number), *std::move(states));
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  return throughput;
}

absl::Status CheckIds(const std::vector<StorageId>& ids, StorageId next_id) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == 0 || ids[i] >= next_id || (i > 0 && ids[i] == ids[i - 1])) {
      return absl::DataLossError(messages::CatalogIdDamaged(ids[i]));
    }
  }
  return absl::OkStatus();
}

// Locks the gates of tables for a change of all of them.
class ClosedGates {
 public:
  // `tables`: in the order of their addresses.
  explicit ClosedGates(std::vector<std::shared_ptr<Table>> tables) ABSL_NO_THREAD_SAFETY_ANALYSIS
      : tables_(std::move(tables)) {
    for (const std::shared_ptr<Table>& table : tables_) table->gate.WriterLock();
  }
  ~ClosedGates() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    for (const std::shared_ptr<Table>& table : tables_) table->gate.WriterUnlock();
  }
  ClosedGates(const ClosedGates&) = delete;
  ClosedGates& operator=(const ClosedGates&) = delete;

 private:
  const std::vector<std::shared_ptr<Table>> tables_;
};

}  // namespace

Catalog::Catalog(Store* store, const std::optional<CapacitySettings>& capacity,
                 const UseOptions& counted)
    : store_(store),
      is_shared_(store->shared() != nullptr),
      capacity_(capacity),
      counted_(counted) {}

absl::StatusOr<std::unique_ptr<Catalog>> Catalog::Load(
    Store* store, const std::optional<CapacitySettings>& capacity, const UseOptions& counted) {
  std::unique_ptr<Catalog> catalog(new Catalog(store, capacity, counted));
  DYNOLITH_RETURN_IF_ERROR(catalog->LoadAll());
  return catalog;
}

absl::Status Catalog::LoadAll() {
  Stored stored;
  DYNOLITH_RETURN_IF_ERROR(ReadOneState([&](const ReadView& rows) {
    DYNOLITH_ASSIGN_OR_RETURN(stored, ReadStored(rows));
    return CheckRows(rows, stored.next_id);
  }));
  absl::MutexLock change(&change_mutex_);
  // Whatever its version is: stores that no other process shares have none.
  TakeOver(std::move(stored));
  // What was dropped shortly before the last stop may have left rows.
  if (next_id_ > 1) TellLiveIds();
  return absl::OkStatus();
}

absl::Status Catalog::CatchUp() {
  if (!is_shared_) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const uint64_t newest, ReadCatalogVersion(*store_));
  if (newest <= version()) return absl::OkStatus();
  // Of several threads one loads it.
  absl::MutexLock reload(&reload_mutex_);
  if (newest <= version()) return absl::OkStatus();
  Stored stored;
  DYNOLITH_RETURN_IF_ERROR(ReadOneState([&](const ReadView& rows) {
    DYNOLITH_ASSIGN_OR_RETURN(stored, ReadStored(rows));
    return absl::OkStatus();
  }));
  // While others are ahead, this process cannot change any table.
  const ClosedGates gates(ListChanged(stored));
  absl::MutexLock change(&change_mutex_);
  // Else it was this process's own change, which was not counted here yet when it was seen; since
  // then there may have been more of them.
  if (stored.version > version()) TakeOver(std::move(stored));
  return absl::OkStatus();
}

absl::Status Catalog::Reload() {
  absl::MutexLock reload(&reload_mutex_);
  DYNOLITH_ASSIGN_OR_RETURN(Stored stored, ReadStored(*store_));
  absl::MutexLock change(&change_mutex_);
  TakeOver(std::move(stored));
  return absl::OkStatus();
}

absl::Status Catalog::ReadOneState(
    absl::FunctionRef<absl::Status(const ReadView& rows)> read) const {
  if (!is_shared_) return read(*store_);
  return RunTransaction([&] { return read(*store_->TakeSnapshot()); });
}

absl::StatusOr<Catalog::Stored> Catalog::ReadStored(const ReadView& rows) {
  Stored stored;
  DYNOLITH_ASSIGN_OR_RETURN(stored.version, ReadCatalogVersion(rows));
  DYNOLITH_ASSIGN_OR_RETURN(ThroughputById throughput, ReadThroughput(rows));
  Cursor cursor = rows.Scan(Family::kMeta, kTableKeys.begin, kTableKeys.end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    DYNOLITH_RETURN_IF_ERROR(ReadTable(cursor.key().substr(kTableKeys.begin.size()), cursor.value(),
                                       &throughput, &stored));
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  if (!throughput.empty()) {
    return absl::DataLossError(messages::CatalogThroughputDamaged(
        KeptThroughputKey(throughput.begin()->first), messages::CatalogThroughputOfNoTable()));
  }
  DYNOLITH_RETURN_IF_ERROR(ReadBackups(rows, &stored));
  DYNOLITH_ASSIGN_OR_RETURN(stored.next_id, ReadNextId(rows, !stored.ids.empty()));
  std::sort(stored.ids.begin(), stored.ids.end());
  DYNOLITH_RETURN_IF_ERROR(CheckIds(stored.ids, stored.next_id));
  return stored;
}

absl::Status Catalog::ReadTable(std::string_view name, std::string_view entry,
                                ThroughputById* throughput, Stored* stored) {
  absl::StatusOr<TableMeta> meta = DecodeTableMeta(entry);
  if (!meta.ok()) {
    return absl::DataLossError(messages::CatalogEntryDamaged(name, ToStd(meta.status().message())));
  }
  if (meta->schema.name != name) {
    return absl::DataLossError(
        messages::CatalogEntryDamaged(name, messages::CatalogNamesDiffer(meta->schema.name)));
  }
  stored->ids.push_back(meta->schema.id);
  for (const IndexSchema& index : meta->schema.indexes) {
    ForEachId(index, [stored](StorageId id) { stored->ids.push_back(id); });
  }
  auto kept = throughput->extract(meta->schema.id);
  StoredTable table = {*std::move(meta),
                       kept.empty() ? ThroughputStates() : std::move(kept.mapped())};
  stored->tables.emplace(name, std::move(table));
  return absl::OkStatus();
}

absl::StatusOr<StorageId> Catalog::ReadNextId(const ReadView& rows, bool has_ids) {
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool has_next, rows.Get(Family::kMeta, kNextIdKey, &row));
  if (!has_next && !has_ids) return 1;
  const auto next = Number::Parse(has_next ? row.value() : std::string_view());
  int64_t id = 0;
  if (!next.ok() || !next->ToInt64(&id) || id < 1 || id > std::numeric_limits<StorageId>::max()) {
    return absl::DataLossError(messages::CatalogNextIdDamaged());
  }
  return static_cast<StorageId>(id);
}

absl::Status Catalog::CheckRows(const ReadView& rows, StorageId next_id) {
  for (const Family family : {Family::kTables, Family::kGlobalIndexes, Family::kLocalIndexes}) {
    Cursor cursor = rows.Scan(family, RowIdPrefix(next_id), "", Direction::kForward);
    cursor.SeekToStart();
    if (cursor.Valid() && cursor.key().size() >= kRowIdBytes) {
      return absl::DataLossError(messages::CatalogRowsOfUnknownId(RowIdFromKey(cursor.key())));
    }
    DYNOLITH_RETURN_IF_ERROR(cursor.status());
  }
  return absl::OkStatus();
}

std::vector<std::shared_ptr<Table>> Catalog::ListChanged(const Stored& stored) const {
  std::vector<std::shared_ptr<Table>> changed;
  for (const std::shared_ptr<Table>& table : All()) {
    const std::shared_ptr<const TableMeta> meta = table->meta();
    const auto found = stored.tables.find(meta->schema.name);
    if (found == stored.tables.end() ||
        EncodeTableMeta(*meta) != EncodeTableMeta(found->second.meta)) {
      changed.push_back(table);
    }
  }
  std::sort(changed.begin(), changed.end());
  return changed;
}

void Catalog::TakeOver(Stored stored) {
  TakeOverTables(&stored);
  next_id_ = stored.next_id;
  live_ids_ = std::move(stored.ids);
  // No table and no backup has them yet, or any more.
  for (const auto& [id, leases] : leases_) {
    const auto place = std::lower_bound(live_ids_.begin(), live_ids_.end(), id);
    if (place == live_ids_.end() || *place != id) live_ids_.insert(place, id);
  }
  {
    absl::MutexLock lock(&mutex_);
    backups_ = std::move(stored.backups);
  }
  // Last: who has seen it finds the tables of it.
  version_.store(stored.version, std::memory_order_release);
}

void Catalog::TakeOverTables(Stored* stored) {
  for (const std::shared_ptr<Table>& table : All()) {
    const std::shared_ptr<const TableMeta> before = table->meta();
    const auto found = stored->tables.find(before->schema.name);
    const bool stays =
        found != stored->tables.end() && found->second.meta.schema.id == before->schema.id;
    if (!stays) {
      // Who waits at its gate finds that it is gone.
      TableMeta gone = *before;
      gone.status = TableStatus::kDeleting;
      table->Publish(table->Prepare(std::move(gone)));
      Remove(before->schema.name);
      continue;
    }
    if (EncodeTableMeta(*before) != EncodeTableMeta(found->second.meta)) {
      table->Publish(table->Prepare(std::move(found->second.meta)));
    }
    stored->tables.erase(found);
  }
  for (auto& [name, table] : stored->tables) {
    Publish(
        PrepareEntry<Tables>(name, std::make_shared<Table>(std::move(table.meta), capacity_,
                                                           counted_, std::move(table.throughput))));
  }
}

}  // namespace dynolith
