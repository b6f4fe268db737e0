// CreateTable (api/facts/operations.md §5.1).
#ifndef DYNOLITH_API_CONTROL_CREATE_TABLE_H_
#define DYNOLITH_API_CONTROL_CREATE_TABLE_H_

#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// Creates the table. It is usable at once, although the result says CREATING, as in the service.
absl::StatusOr<TableDescription> CreateTable(const OperationContext& context,
                                             const CreateTableRequest& request);

// Its steps, for operations that make a table in another way.
//
// The new table's metadata, after all checks that do not need other tables. Errors:
// ValidationException.
absl::StatusOr<TableMeta> PlanTable(const OperationContext& context,
                                    const CreateTableRequest& request);
// Errors: ResourceInUseException for a name that is taken, LimitExceededException for units above a
// quota. Requires: PlanTable is OK, and has found that name.
absl::Status CheckRoomForTable(const OperationContext& context, const CreateTableRequest& request,
                               std::string_view name);
// Publishes it. `batch`, if given, is committed with it. Errors: ResourceInUseException.
absl::StatusOr<std::shared_ptr<Table>> AddTable(const OperationContext& context, TableMeta meta,
                                                WriteBatch* batch = nullptr);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_CREATE_TABLE_H_
