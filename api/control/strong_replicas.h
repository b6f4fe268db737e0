// The rules of global tables with multi-Region strong consistency (api/facts/regions.md §4): which
// table may become one, in which regions, and how one ends.
#ifndef DYNOLITH_API_CONTROL_STRONG_REPLICAS_H_
#define DYNOLITH_API_CONTROL_STRONG_REPLICAS_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// Whether the changes of replicas and of the witness fit the table's consistency. Requires:
// CheckUpdateRequest. Errors: ValidationException.
absl::Status CheckConsistencyOf(const OperationContext& context, const UpdateTableRequest& request,
                                const TableMeta& meta);

// Makes the table strong, or its witness one that goes, as the request says. Requires:
// CheckConsistencyOf.
void ChangeConsistency(const OperationContext& context, const UpdateTableRequest& request,
                       absl::Time now, TableMeta* meta);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_STRONG_REPLICAS_H_
