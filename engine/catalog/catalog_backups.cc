// The backups of the catalog, beside its tables.
#include <limits>
#include <utility>

#include "engine/base/prepared_entry.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/entry_fields.h"
#include "engine/catalog/messages.h"
#include "engine/store/meta_keys.h"

namespace dynolith {
namespace {

// Rows of Family::kMeta:
//   kBackupKeys table"/"id -> EncodeBackupMeta
std::string BackupMetaKey(std::string_view name) { return Concat(kBackupKeys.begin, name); }

std::string BackupKeyName(const BackupMeta& backup) {
  return Concat(backup.table.schema.name, "/", backup.id);
}

absl::Status NoBackup(std::string_view table, std::string_view id) {
  return absl::NotFoundError(messages::CatalogNoBackup(table, id));
}

}  // namespace

std::string EncodeBackupMeta(const BackupMeta& backup) {
  FieldWriter out;
  out.Begin();
  out.Text("id", backup.id);
  out.Text("name", backup.name);
  out.Enumerator("type", backup.type);
  out.Time("created", backup.created);
  out.Time("status_until", backup.status_until);
  out.Time("expires", backup.expires);
  out.Integer("item_count", backup.item_count);
  out.Integer("size_bytes", backup.size_bytes);
  out.Integer("rows_id", backup.rows_id);
  out.Bytes("table", EncodeTableMeta(backup.table));
  return out.Finish();
}

absl::StatusOr<BackupMeta> DecodeBackupMeta(std::string_view bytes) {
  DYNOLITH_ASSIGN_OR_RETURN(const ItemView item, ItemView::Parse(bytes));
  std::string damaged;
  FieldReader in(item, &damaged);
  BackupMeta backup;
  backup.id = in.Text("id");
  backup.name = in.Text("name");
  backup.type = in.Enumerator("type", BackupType::kAwsBackup);
  backup.created = in.Time("created");
  backup.status_until = in.OptionalTime("status_until");
  backup.expires = in.OptionalTime("expires");
  backup.item_count = in.Integer("item_count", 0);
  backup.size_bytes = in.Integer("size_bytes", 0);
  backup.rows_id = static_cast<StorageId>(
      in.Integer("rows_id", 1, std::numeric_limits<StorageId>::max() - int64_t{1}));
  const std::string table = in.Bytes("table");
  if (!damaged.empty()) return absl::DataLossError(messages::CatalogFieldDamaged(damaged));
  DYNOLITH_ASSIGN_OR_RETURN(backup.table, DecodeTableMeta(table));
  return backup;
}

absl::Status Catalog::ReadBackups(const ReadView& rows, Stored* stored) {
  Cursor cursor = rows.Scan(Family::kMeta, kBackupKeys.begin, kBackupKeys.end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    DYNOLITH_RETURN_IF_ERROR(
        ReadBackup(cursor.key().substr(kBackupKeys.begin.size()), cursor.value(), stored));
  }
  return cursor.status();
}

absl::Status Catalog::ReadBackup(std::string_view key, std::string_view entry, Stored* stored) {
  const absl::StatusOr<BackupMeta> backup = DecodeBackupMeta(entry);
  if (!backup.ok()) {
    return absl::DataLossError(
        messages::CatalogBackupDamaged(key, ToStd(backup.status().message())));
  }
  if (BackupKeyName(*backup) != key) {
    return absl::DataLossError(messages::CatalogBackupDamaged(
        key, messages::CatalogBackupsDiffer(BackupKeyName(*backup))));
  }
  stored->ids.push_back(backup->rows_id);
  stored->backups.insert(BackupEntry(*backup));
  return absl::OkStatus();
}

std::vector<std::shared_ptr<const BackupMeta>> Catalog::Backups() const {
  absl::ReaderMutexLock lock(&mutex_);
  std::vector<std::shared_ptr<const BackupMeta>> backups;
  backups.reserve(backups_.size());
  for (const auto& [name, backup] : backups_) backups.push_back(backup);
  return backups;
}

std::shared_ptr<const BackupMeta> Catalog::FindBackup(std::string_view table,
                                                      std::string_view id) const {
  absl::ReaderMutexLock lock(&mutex_);
  const auto it = backups_.find(BackupName(id, table));
  return it == backups_.end() ? nullptr : it->second;
}

absl::Status Catalog::TryAddBackup(const BackupMeta& backup) {
  absl::MutexLock change(&change_mutex_);
  WriteBatch batch;
  DYNOLITH_RETURN_IF_ERROR(AddEntry(backup, &batch));
  auto entry = BackupEntry(backup);
  const absl::Status added = Commit(&batch, {{Family::kTables, backup.rows_id}});
  if (added.ok() || IsOutcomeUnknown(added)) Own(backup.rows_id);
  DYNOLITH_RETURN_IF_ERROR(added);
  Publish(std::move(entry));
  return absl::OkStatus();
}

absl::Status Catalog::TryDropBackup(std::string_view table, std::string_view id) {
  absl::MutexLock change(&change_mutex_);
  const std::shared_ptr<const BackupMeta> backup = FindBackup(table, id);
  if (backup == nullptr) return NoBackup(table, id);
  if (leases_.contains(backup->rows_id)) {
    return absl::FailedPreconditionError(messages::CatalogBackupInUse(table, id));
  }
  WriteBatch batch;
  batch.Delete(Family::kMeta, BackupMetaKey(BackupKeyName(*backup)));
  const BackupName name(id, table);
  const std::vector<FamilyId> retired = {{Family::kTables, backup->rows_id}};
  ReserveDead(retired.size());
  DYNOLITH_RETURN_IF_ERROR(PutRetired(retired, &batch));
  DYNOLITH_RETURN_IF_ERROR(Commit(&batch));
  {
    absl::MutexLock lock(&mutex_);
    backups_.erase(name);
  }
  Retire(retired);
  return absl::OkStatus();
}

absl::Status Catalog::AddEntry(const BackupMeta& backup, WriteBatch* batch) {
  const std::string& table = backup.table.schema.name;
  if (FindBackup(table, backup.id) != nullptr) {
    return absl::AlreadyExistsError(messages::CatalogBackupExists(table, backup.id));
  }
  batch->Put(Family::kMeta, BackupMetaKey(BackupKeyName(backup)), EncodeBackupMeta(backup));
  return absl::OkStatus();
}

Catalog::BackupsByName::node_type Catalog::BackupEntry(const BackupMeta& backup) {
  return PrepareEntry<BackupsByName>(BackupName(backup.id, backup.table.schema.name),
                                     std::make_shared<const BackupMeta>(backup));
}

void Catalog::Publish(BackupsByName::node_type backup) {
  absl::MutexLock lock(&mutex_);
  InsertPrepared(std::move(backup), &backups_);
}

}  // namespace dynolith
