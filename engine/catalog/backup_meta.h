// All metadata of one backup.
#ifndef DYNOLITH_ENGINE_CATALOG_BACKUP_META_H_
#define DYNOLITH_ENGINE_CATALOG_BACKUP_META_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// Immutable once published.
struct BackupMeta {
  // The last part of its ARN: milliseconds and eight hexadecimal digits,
  // "01489602797149-73d8d5bc".
  std::string id;
  std::string name;
  BackupType type = BackupType::kUser;
  absl::Time created;
  // When a delayed CREATING ends.
  std::optional<absl::Time> status_until;
  // When a system backup expires.
  std::optional<absl::Time> expires;
  int64_t item_count = 0;
  int64_t size_bytes = 0;
  // The id of its rows, which are in Family::kTables like a table's. Those of indexes are not
  // stored: they follow from these.
  StorageId rows_id = 0;
  // The table as it was at `created`, with its own ids.
  TableMeta table;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_BACKUP_META_H_
