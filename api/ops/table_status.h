// Whether a table is in the middle of something that keeps it from being changed
// (facts/operations.md §5.7).
#ifndef DYNOLITH_API_OPS_TABLE_STATUS_H_
#define DYNOLITH_API_OPS_TABLE_STATUS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// Errors: ResourceInUseException for a table that is being created or deleted.
absl::Status CheckNotBusy(const TableMeta& meta);

// Names of the indexes that are still being filled.
std::vector<std::string> IndexesBeingCreated(const TableMeta& meta);

}  // namespace dynolith

#endif  // DYNOLITH_API_OPS_TABLE_STATUS_H_
