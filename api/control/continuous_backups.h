// DescribeContinuousBackups and UpdateContinuousBackups (api/facts/operations.md §5.6). While
// point-in-time recovery is on, every write leaves a record in the history (engine/history);
// switching it off deletes them in the same commit.
#ifndef DYNOLITH_API_CONTROL_CONTINUOUS_BACKUPS_H_
#define DYNOLITH_API_CONTROL_CONTINUOUS_BACKUPS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// The table that an operation on continuous backups names, by name or ARN. Errors: as FindTable,
// but TableNotFoundException if there is none, also while it is DELETING.
absl::StatusOr<std::shared_ptr<Table>> FindBackedUpTable(const OperationContext& context,
                                                         const std::string& name_or_arn);

absl::StatusOr<ContinuousBackupsDescription> DescribeContinuousBackups(
    const OperationContext& context, const DescribeContinuousBackupsRequest& request);
absl::StatusOr<ContinuousBackupsDescription> UpdateContinuousBackups(
    const OperationContext& context, const UpdateContinuousBackupsRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_CONTINUOUS_BACKUPS_H_
