// UpdateTable's changes of billing mode, provisioned throughput, on-demand maxima and warm
// throughput, of the table and of its global indexes (api/facts/operations.md §5.3).
#ifndef DYNOLITH_API_CONTROL_UPDATE_CAPACITY_H_
#define DYNOLITH_API_CONTROL_UPDATE_CAPACITY_H_

#include "absl/status/status.h"
#include "api/control/update_scope.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// Changes `meta`, or leaves it in an inconsistent state with an error. Requires:
// CheckUpdateRequest.
absl::Status ChangeCapacity(const UpdateScope& scope, TableMeta* meta);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_UPDATE_CAPACITY_H_
