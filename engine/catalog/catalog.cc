#include "engine/catalog/catalog.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "engine/base/exceptions.h"
#include "engine/base/prepared_entry.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog_version.h"
#include "engine/catalog/families.h"
#include "engine/catalog/index_layouts.h"
#include "engine/catalog/kept_throughput.h"
#include "engine/catalog/messages.h"
#include "engine/store/local_store.h"
#include "engine/store/meta_keys.h"
#include "engine/store/transaction/shared_store.h"
#include "engine/store/transaction/transaction.h"

namespace dynolith {
namespace {

// Every state of the tables gets a number of its own, for ever, as metas do (table.cc).
uint64_t NewTablesStamp() {
  static std::atomic<uint64_t> last = 0;
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// What this thread found last. Its references are counted in a block that belongs to this thread.
struct CachedTable {
  uint64_t stamp = 0;
  std::string name;
  std::shared_ptr<Table> table;
};
constexpr size_t kCachedTables = 8;

CachedTable& TableSlot(std::string_view name) {
  thread_local std::array<CachedTable, kCachedTables> cache;
  const size_t last = name.empty() ? 0 : static_cast<unsigned char>(name.back());
  return cache[(name.size() + last) % kCachedTables];
}

// Rows of Family::kMeta:
//   kNextIdKey      -> decimal
//   kTableKeys name -> EncodeTableMeta
//   kThroughputKeys id -> EncodeThroughput, once partitions have changed
// and those of catalog_backups.cc.
std::string TableKey(std::string_view name) { return Concat(kTableKeys.begin, name); }

absl::Status NoTable(std::string_view name) {
  return absl::NotFoundError(messages::CatalogNoTable(name));
}

}  // namespace

std::shared_ptr<Table> Catalog::Find(std::string_view name) const {
  CachedTable& cached = TableSlot(name);
  if (cached.stamp == stamp_.load(std::memory_order_acquire) && cached.name == name) {
    return cached.table;
  }
  absl::ReaderMutexLock lock(&mutex_);
  const auto it = tables_.find(name);
  if (it == tables_.end()) return nullptr;
  auto owner = std::make_shared<const std::shared_ptr<Table>>(it->second);
  cached.stamp = stamp_.load(std::memory_order_relaxed);
  cached.name = name;
  cached.table = std::shared_ptr<Table>(std::move(owner), it->second.get());
  return cached.table;
}

void Catalog::Publish(Tables::node_type table) {
  absl::MutexLock lock(&mutex_);
  InsertPrepared(std::move(table), &tables_);
  stamp_.store(NewTablesStamp(), std::memory_order_release);
}

void Catalog::Remove(std::string_view table) {
  absl::MutexLock lock(&mutex_);
  tables_.erase(tables_.find(table));
  stamp_.store(NewTablesStamp(), std::memory_order_release);
}

std::vector<std::string> Catalog::Names(std::string_view after, size_t limit) const {
  absl::ReaderMutexLock lock(&mutex_);
  std::vector<std::string> names;
  for (auto it = tables_.upper_bound(after); it != tables_.end() && names.size() < limit; ++it) {
    names.push_back(it->first);
  }
  return names;
}

std::vector<std::shared_ptr<Table>> Catalog::All() const {
  absl::ReaderMutexLock lock(&mutex_);
  std::vector<std::shared_ptr<Table>> tables;
  tables.reserve(tables_.size());
  for (const auto& [name, table] : tables_) tables.push_back(table);
  return tables;
}

size_t Catalog::size() const {
  absl::ReaderMutexLock lock(&mutex_);
  return tables_.size();
}

absl::StatusOr<std::shared_ptr<Table>> Catalog::TryCreate(TableMeta meta, WriteBatch* batch) {
  absl::MutexLock change(&change_mutex_);
  ForgetIds(&meta.schema);
  return Add(std::move(meta), batch);
}

absl::StatusOr<std::shared_ptr<Table>> Catalog::TryCreateFilled(TableMeta meta) {
  absl::MutexLock change(&change_mutex_);
  const std::vector<FamilyId> ids = IdsToFill(meta.schema);
  absl::StatusOr<std::shared_ptr<Table>> table = Add(std::move(meta), nullptr, ids);
  if (table.ok() || IsOutcomeUnknown(table.status())) {
    for (const FamilyId& id : ids) Own(id.second);
  }
  return table;
}

absl::StatusOr<std::shared_ptr<Table>> Catalog::Add(TableMeta meta, WriteBatch* batch,
                                                    absl::Span<const FamilyId> filled) {
  if (Find(meta.schema.name) != nullptr) {
    return absl::AlreadyExistsError(messages::CatalogTableExists(meta.schema.name));
  }
  meta.index_states.resize(meta.schema.indexes.size());
  DYNOLITH_RETURN_IF_ERROR(GiveIds(&meta.schema));
  auto table = std::make_shared<Table>(meta, capacity_, counted_);
  auto entry = PrepareEntry<Tables>(meta.schema.name, table);
  WriteBatch own;
  DYNOLITH_RETURN_IF_ERROR(Persist(meta, batch == nullptr ? &own : batch, filled));
  Publish(std::move(entry));
  return table;
}

absl::StatusOr<std::shared_ptr<const TableMeta>> Catalog::TryModify(
    Table* table, const std::function<absl::Status(TableMeta*)>& change, WriteBatch* batch) {
  const SpreadMutex::WriteScope gate(&table->gate);
  const std::shared_ptr<const TableMeta> before = table->meta();
  TableMeta edited = *before;
  DYNOLITH_RETURN_IF_ERROR(change(&edited));
  assert(edited.schema.name == before->schema.name && edited.schema.id == before->schema.id);
  edited.index_states.resize(edited.schema.indexes.size());

  absl::MutexLock serial(&change_mutex_);
  if (Find(before->schema.name).get() != table) return NoTable(before->schema.name);
  DYNOLITH_RETURN_IF_ERROR(GiveIds(&edited.schema));
  Table::NextMeta next = table->Prepare(std::move(edited));
  std::shared_ptr<const TableMeta> after = next.meta;
  const std::vector<FamilyId> retired = IdsToRetire(before->schema, &after->schema);
  WriteBatch own;
  if (batch == nullptr) batch = &own;
  DYNOLITH_RETURN_IF_ERROR(PutRetired(retired, batch));
  DYNOLITH_RETURN_IF_ERROR(Persist(*after, batch));
  table->Publish(std::move(next));
  Retire(retired);
  return after;
}

absl::Status Catalog::RecordBackfill(Table* table, StorageId layout, std::string_view position,
                                     WriteBatch* batch, Transaction* transaction) {
  absl::MutexLock serial(&change_mutex_);
  TableMeta edited = *table->meta();
  const std::vector<IndexSchema>& indexes = edited.schema.indexes;
  const auto it = std::find_if(indexes.begin(), indexes.end(), [layout](const IndexSchema& index) {
    return index.id == layout || (index.next && index.next->id == layout);
  });
  if (it == indexes.end() || Find(edited.schema.name).get() != table) {
    return NoTable(edited.schema.name);
  }
  edited.index_states[it - indexes.begin()].backfill_position = position;
  Table::NextMeta next = table->Prepare(std::move(edited));
  batch->Put(Family::kMeta, TableKey(next.meta->schema.name), EncodeTableMeta(*next.meta));
  if (is_shared_) {
    DYNOLITH_ASSIGN_OR_RETURN(const uint64_t version, ReadCatalogVersion(transaction->reads()));
    DYNOLITH_RETURN_IF_ERROR(CheckVersion(version));
  }
  DYNOLITH_RETURN_IF_ERROR(transaction == nullptr ? store_->Commit(*batch)
                                                  : transaction->Commit(*batch));
  table->Publish(std::move(next));
  return absl::OkStatus();
}

absl::Status Catalog::KeepThroughput(const Table* table, const ThroughputStates& states) {
  absl::MutexLock serial(&change_mutex_);
  const std::shared_ptr<const TableMeta> meta = table->meta();
  if (Find(meta->schema.name).get() != table) return NoTable(meta->schema.name);
  ThroughputStates kept;
  for (const auto& [id, state] : states) {
    if (HasId(meta->schema, static_cast<StorageId>(id))) kept.emplace(id, state);
  }
  WriteBatch batch;
  batch.Put(Family::kMeta, KeptThroughputKey(meta->schema.id), EncodeThroughput(kept));
  if (!is_shared_) return store_->Commit(batch);
  // The table may have been dropped by another process: its partitions must not come back.
  return CommitUnchanged(batch);
}

absl::Status Catalog::TryDrop(std::string_view name, const BackupMeta* kept) {
  for (;;) {
    const std::shared_ptr<Table> table = Find(name);
    if (table == nullptr) return NoTable(name);
    const SpreadMutex::WriteScope gate(&table->gate);
    absl::MutexLock change(&change_mutex_);
    // Dropped, and perhaps made anew, while we waited for its writers.
    if (Find(name) != table) {
      if (is_shared_) return NoTable(name);
      continue;
    }
    const std::shared_ptr<const TableMeta> meta = table->meta();
    const TableSchema& schema = meta->schema;
    WriteBatch batch;
    batch.Delete(Family::kMeta, TableKey(name));
    batch.Delete(Family::kMeta, KeptThroughputKey(schema.id));
    BackupsByName::node_type backup;
    if (kept != nullptr) {
      DYNOLITH_RETURN_IF_ERROR(AddEntry(*kept, &batch));
      backup = BackupEntry(*kept);
    }
    const std::vector<FamilyId> retired =
        IdsToRetire(schema, nullptr, kept == nullptr ? 0 : kept->rows_id);
    DYNOLITH_RETURN_IF_ERROR(PutRetired(retired, &batch));
    DYNOLITH_RETURN_IF_ERROR(Commit(&batch));
    Remove(name);
    if (kept != nullptr) Publish(std::move(backup));
    Retire(retired);
    return absl::OkStatus();
  }
}

absl::Status Catalog::GiveIds(TableSchema* schema) {
  if (schema->id == 0) {
    DYNOLITH_ASSIGN_OR_RETURN(schema->id, TakeId());
  }
  for (IndexSchema& index : schema->indexes) {
    if (index.id == 0) {
      DYNOLITH_ASSIGN_OR_RETURN(index.id, TakeId());
    }
    if (index.next && index.next->id == 0) {
      DYNOLITH_ASSIGN_OR_RETURN(index.next->id, TakeId());
    }
    if (index.notes && index.notes->id == 0) {
      DYNOLITH_ASSIGN_OR_RETURN(index.notes->id, TakeId());
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<StorageId> Catalog::TakeId() {
  // The last id stays unused, so that id + 1 always exists.
  if (next_id_ >= std::numeric_limits<StorageId>::max() - 1) {
    return absl::ResourceExhaustedError(messages::CatalogIdsExhausted());
  }
  live_ids_.push_back(next_id_);
  return next_id_++;
}

void Catalog::PutNextId(WriteBatch* batch) {
  batch->Put(Family::kMeta, kNextIdKey, std::to_string(next_id_));
}

absl::Status Catalog::Persist(const TableMeta& meta, WriteBatch* batch,
                              absl::Span<const FamilyId> filled) {
  PutNextId(batch);
  batch->Put(Family::kMeta, TableKey(meta.schema.name), EncodeTableMeta(meta));
  return Commit(batch, filled);
}

std::vector<FamilyId> Catalog::IdsToRetire(const TableSchema& before, const TableSchema* after,
                                           StorageId kept) {
  std::vector<FamilyId> ids;
  if (after == nullptr && before.id != kept) ids.emplace_back(Family::kTables, before.id);
  for (const IndexSchema& index : before.indexes) {
    ForEachId(index, [&](StorageId id) {
      if (after == nullptr || !HasId(*after, id)) ids.emplace_back(IndexFamily(index.kind), id);
    });
  }
  ReserveDead(ids.size());
  return ids;
}

void Catalog::ReserveDead(size_t more) { dead_.reserve(dead_.size() + leases_.size() + more); }

bool Catalog::IsLeased(StorageId id) const {
  const auto leased = leases_.find(id);
  return leased != leases_.end() && leased->second.leases > 0;
}

absl::Status Catalog::PutRetired(const std::vector<FamilyId>& ids, WriteBatch* batch) {
  if (!is_shared_ || ids.empty()) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const std::string process, store_->shared()->ProcessName());
  for (const FamilyId& id : ids) PutUnowned(id, IsLeased(id.second) ? process : "", batch);
  return absl::OkStatus();
}

void Catalog::Retire(const std::vector<FamilyId>& ids) noexcept {
  for (const FamilyId& id : ids) {
    if (IsLeased(id.second)) {
      leases_.find(id.second)->second.owned = false;
    } else if (is_shared_) {
      ForgetLive(id.second);
    } else {
      dead_.push_back(id);
    }
  }
  if (dead_.empty()) return;
  CatchThrown([this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_) {
    return ReclaimDead();
  }).IgnoreError();
}

void Catalog::ForgetLive(StorageId id) {
  const auto live = std::lower_bound(live_ids_.begin(), live_ids_.end(), id);
  if (live != live_ids_.end() && *live == id) live_ids_.erase(live);
}

absl::Status Catalog::ReclaimDead() {
  for (const FamilyId& id : dead_) ForgetLive(id.second);
  if (LocalStore* const local = store_->local()) {
    TellLiveIds();
    for (; !dead_.empty(); dead_.pop_back()) {
      local->ReclaimId(dead_.back().first, dead_.back().second);
    }
    return absl::OkStatus();
  }
  WriteBatch batch;
  for (const FamilyId& id : dead_) PutUnowned(id, "", &batch);
  // If this fails they count as in use until the next try, or until this process has ended.
  DYNOLITH_RETURN_IF_ERROR(store_->Commit(batch));
  dead_.clear();
  return absl::OkStatus();
}

absl::Status Catalog::ReclaimLate(Family family, StorageId id) {
  if (LocalStore* const local = store_->local()) {
    local->ReclaimId(family, id);
    return absl::OkStatus();
  }
  WriteBatch batch;
  PutUnowned({family, id}, "", &batch);
  return store_->Commit(batch);
}

void Catalog::TellLiveIds() {
  LocalStore* const local = store_->local();
  if (local == nullptr) return;
  local->SetLiveIds(std::make_shared<const LocalStore::IdIsAlive>([ids = live_ids_](StorageId id) {
                      return std::binary_search(ids.begin(), ids.end(), id);
                    }),
                    next_id_);
}

}  // namespace dynolith
