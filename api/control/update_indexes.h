// UpdateTable's creation and deletion of a global index (api/facts/operations.md §5.3).
#ifndef DYNOLITH_API_CONTROL_UPDATE_INDEXES_H_
#define DYNOLITH_API_CONTROL_UPDATE_INDEXES_H_

#include <string>

#include "absl/status/status.h"
#include "api/control/update_scope.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// Creates and deletes the named indexes. A new index is CREATING: writes maintain it from now on,
// and the backfill runner must fill it. Requires: CheckUpdateRequest.
absl::Status ChangeIndexes(const UpdateScope& scope, TableMeta* meta);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_UPDATE_INDEXES_H_
