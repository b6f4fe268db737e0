// The catalog's tables as operations see them: with due states finished
// (engine/catalog/table_states.h), and the change log updated with their streams.
#ifndef DYNOLITH_API_TABLE_TABLE_LIFECYCLE_H_
#define DYNOLITH_API_TABLE_TABLE_LIFECYCLE_H_

#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "engine/catalog/catalog.h"

namespace dynolith {

// The table of that name with all due states finished; nullptr if there is none, also if it has
// just been deleted. Requires: no gate is held. Errors: only the store's.
absl::StatusOr<std::shared_ptr<Table>> FindSettled(const OperationContext& context,
                                                   std::string_view name);
// The same for all tables.
absl::Status SettleAll(const OperationContext& context);

// Update the change log for a new table, and for a changed stream of an old one.
absl::Status FollowNewStream(const OperationContext& context, const TableMeta& meta);
absl::Status FollowStream(const OperationContext& context, std::string_view table_name);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_TABLE_LIFECYCLE_H_
