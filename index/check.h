// Compares base rows with every index, in both directions, and checks the rows of backups.
#ifndef DYNOLITH_INDEX_CHECK_H_
#define DYNOLITH_INDEX_CHECK_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "engine/catalog/catalog.h"
#include "engine/store/store.h"

namespace dynolith {

struct CheckSummary {
  uint64_t tables = 0;
  uint64_t backups = 0;
  uint64_t base_rows = 0;  // of tables
  uint64_t backup_rows = 0;
  uint64_t index_rows = 0;
  uint64_t disagreements = 0;
};

// Verifies file checksums, every base row (key and item parse, key matches the item) and every
// index row (has its base row, equals the entry of that row), that no entry is missing, and that
// each backup has as many rows as it says, all of them whole. Calls `report` with one line per
// disagreement. Each table is checked in a snapshot, so writes may continue; a table in which
// something is dropped or resharded meanwhile is checked again. An index that is still being
// filled, or the new layout of a reshard, is only checked for wrong rows, not for missing ones.
// Errors: only those that prevent the check itself.
absl::Status CheckStore(Store* store, const Catalog& catalog,
                        absl::FunctionRef<void(const std::string&)> report, CheckSummary* summary);

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_CHECK_H_
