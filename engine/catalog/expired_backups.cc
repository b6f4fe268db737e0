#include "engine/catalog/expired_backups.h"

#include <memory>

#include "engine/base/status_macros.h"

namespace dynolith {

bool HasExpired(const BackupMeta& backup, absl::Time now) {
  return backup.expires && *backup.expires <= now;
}

absl::Status DropExpiredBackups(Catalog* catalog, absl::Time now) {
  for (const std::shared_ptr<const BackupMeta>& backup : catalog->Backups()) {
    if (!HasExpired(*backup, now)) continue;
    const absl::Status dropped = catalog->DropBackup(backup->table.schema.name, backup->id);
    // A restore that began before the backup expired is finished first.
    if (!absl::IsFailedPrecondition(dropped)) DYNOLITH_RETURN_IF_ERROR(dropped);
  }
  return absl::OkStatus();
}

}  // namespace dynolith
