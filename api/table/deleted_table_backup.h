// The system backup of a deleted table that had point-in-time recovery, which is kept for some
// weeks (api/facts/operations.md §5.6).
#ifndef DYNOLITH_API_TABLE_DELETED_TABLE_BACKUP_H_
#define DYNOLITH_API_TABLE_DELETED_TABLE_BACKUP_H_

#include <string_view>

#include "absl/status/status.h"
#include "api/request/operation_context.h"

namespace dynolith {

// Drops a table that is marked as DELETING. With point-in-time recovery its rows become those of a
// system backup, in the same commit and without a copy; they are only counted, O(rows). If another
// process has done it meanwhile, that is all right. Errors: the store's.
absl::Status DropTable(const OperationContext& context, std::string_view name);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_DELETED_TABLE_BACKUP_H_
