// Mends the catalog's rows of a store whose files were salvaged. See mend_store.h.
#ifndef DYNOLITH_INDEX_MEND_CATALOG_H_
#define DYNOLITH_INDEX_MEND_CATALOG_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/catalog/catalog.h"
#include "engine/store/store.h"

namespace dynolith {

struct MendOptions {
  // Whether rows of the catalog may be missing or an entry has been found invalid. Then rows
  // without a table get one, whose key is found from its items; so a deleted table may come back.
  // Otherwise they are the remains of a deleted table.
  bool may_lack_tables = false;
  absl::Time now;
};

// Not thread-safe. The arguments' referents must outlive it.
class CatalogMender {
 public:
  CatalogMender(Store* store, const MendOptions& options,
                absl::FunctionRef<void(const std::string&)> report)
      : store_(store), options_(options), report_(report) {}

  // If it returns OK, Catalog::Load succeeds.
  absl::Status Mend();

 private:
  absl::Status TakeTables();
  absl::Status TakeBackups();
  absl::Status TakeThroughput();
  // Whether nobody else has any of the ids, which then are taken.
  bool TakeIds(const std::vector<StorageId>& ids);
  absl::Status NameOrphans();
  absl::Status NameOrphan(StorageId id);
  absl::Status CountIds();
  void Drop(std::string_view key) { batch_.Delete(Family::kMeta, key); }

  Store* const store_;
  const MendOptions& options_;
  const absl::FunctionRef<void(const std::string&)> report_;
  WriteBatch batch_;
  std::set<StorageId> ids_;     // of tables, indexes and backups
  std::set<StorageId> tables_;  // of tables
  std::set<std::string> names_;
  bool has_lost_entry_ = false;  // of a table or a backup
};

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_MEND_CATALOG_H_
