// Ids that live on for those who use their rows, beside the tables and backups that own them.
#include <cassert>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/families.h"
#include "engine/catalog/index_layouts.h"
#include "engine/catalog/messages.h"
#include "engine/store/transaction/shared_store.h"

namespace dynolith {

IdLease::IdLease(IdLease&& other) noexcept
    : catalog_(std::exchange(other.catalog_, nullptr)), ids_(std::move(other.ids_)) {}

IdLease& IdLease::operator=(IdLease&& other) noexcept {
  if (this == &other) return *this;
  End();
  catalog_ = std::exchange(other.catalog_, nullptr);
  ids_ = std::move(other.ids_);
  return *this;
}

IdLease::~IdLease() { End(); }

void IdLease::End() {
  if (catalog_ != nullptr) std::exchange(catalog_, nullptr)->EndLease(ids_);
}

absl::StatusOr<IdLease> Catalog::TryLeaseNewIds(TableSchema* schema) {
  IdLease lease;  // ends behind the lock, which its end takes
  absl::MutexLock change(&change_mutex_);
  ForgetIds(schema);
  DYNOLITH_RETURN_IF_ERROR(GiveIds(schema));
  const std::vector<FamilyId> ids = IdsToFill(*schema);
  WriteBatch batch;
  PutNextId(&batch);
  if (is_shared_) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string process, store_->shared()->ProcessName());
    for (const FamilyId& id : ids) PutUnowned(id, process, &batch);
  }
  // Nothing may fail between it and the commit: another process may have the ids already.
  lease = Lease(ids, /*owned=*/false);
  const absl::Status taken = Commit(&batch);
  if (taken.ok()) return lease;
  // Another process may have taken them: their rows are not ours to reclaim.
  if (is_shared_) {
    for (const FamilyId& id : ids) Own(id.second);
  }
  return taken;
}

std::vector<FamilyId> Catalog::IdsToFill(const TableSchema& schema) {
  std::vector<FamilyId> ids = {{Family::kTables, schema.id}};
  for (const IndexSchema& index : schema.indexes) {
    ids.emplace_back(IndexFamily(index.kind), index.id);
  }
  return ids;
}

IdLease Catalog::LeaseRows(const Table& table) {
  absl::MutexLock change(&change_mutex_);
  return Lease({{Family::kTables, table.meta()->schema.id}}, /*owned=*/true);
}

absl::StatusOr<IdLease> Catalog::LeaseBackup(std::string_view table, std::string_view id) {
  absl::MutexLock change(&change_mutex_);
  const std::shared_ptr<const BackupMeta> backup = FindBackup(table, id);
  if (backup == nullptr) return absl::NotFoundError(messages::CatalogNoBackup(table, id));
  return Lease({{Family::kTables, backup->rows_id}}, /*owned=*/true);
}

IdLease Catalog::Lease(const std::vector<FamilyId>& ids, bool owned) {
  std::vector<StorageId> leased;
  leased.reserve(ids.size());
  // The destructor of a lease must find memory.
  ReserveDead(ids.size());
  for (const auto& [family, id] : ids) {
    leased.push_back(id);
    leases_.try_emplace(id, IdLeases{family, owned});
  }
  // All entries exist now, so counting them cannot fail for lack of memory.
  for (const StorageId id : leased) ++leases_.find(id)->second.leases;
  return IdLease(this, std::move(leased));
}

void Catalog::Own(StorageId id) {
  const auto leased = leases_.find(id);
  assert(leased != leases_.end());
  leased->second.owned = true;
}

void Catalog::EndLease(const std::vector<StorageId>& ids) {
  absl::MutexLock change(&change_mutex_);
  ReturnLeased(ids);
}

void Catalog::ReturnLeased(const std::vector<StorageId>& ids) noexcept {
  for (const StorageId id : ids) {
    const auto it = leases_.find(id);
    if (--it->second.leases > 0) continue;
    if (!it->second.owned) dead_.emplace_back(it->second.family, id);
    leases_.erase(it);
  }
  Retire({});
}

}  // namespace dynolith
