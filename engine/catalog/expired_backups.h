// Backups that expire: those that the system has made of deleted tables.
#ifndef DYNOLITH_ENGINE_CATALOG_EXPIRED_BACKUPS_H_
#define DYNOLITH_ENGINE_CATALOG_EXPIRED_BACKUPS_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/catalog/backup_meta.h"
#include "engine/catalog/catalog.h"

namespace dynolith {

// Whether it has expired.
bool HasExpired(const BackupMeta& backup, absl::Time now);

// Drops the expired backups, which are already invisible. Errors: only the store's.
absl::Status DropExpiredBackups(Catalog* catalog, absl::Time now);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_EXPIRED_BACKUPS_H_
