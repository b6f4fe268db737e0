// Whether a running change of a table prevents another one (api/facts/operations.md §5.7).
#ifndef DYNOLITH_API_TABLE_TABLE_STATUS_H_
#define DYNOLITH_API_TABLE_TABLE_STATUS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "api/table/update_concerns.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// Errors: ResourceInUseException for a table that is being created or deleted.
absl::Status CheckNotBusy(const TableMeta& meta);

// Before a deletion. Errors: ResourceInUseException for a table that is being updated.
absl::Status CheckNotUpdating(const TableMeta& meta);
// Before a change. Errors: ResourceInUseException if the running change prevents the requested one.
absl::Status CheckNoChangeInTheWay(const TableMeta& meta, const UpdateConcerns& wanted);
// Before a change of `what`, "table IOPS" or "stream status". Errors: ResourceInUseException if an
// index is being created or deleted.
absl::Status CheckNoIndexInTheWay(const TableMeta& meta, std::string_view what);

// Names of the indexes in that state.
std::vector<std::string> IndexesThatAre(IndexStatus status, const TableMeta& meta);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_TABLE_STATUS_H_
