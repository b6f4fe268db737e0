// ExportTableToPointInTime: all items of a table as they were, or their changes, into a bucket.
#ifndef DYNOLITH_API_TRANSFER_EXPORT_TABLE_TO_POINT_IN_TIME_H_
#define DYNOLITH_API_TRANSFER_EXPORT_TABLE_TO_POINT_IN_TIME_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "api/transfer/transfer_runner.h"
#include "dynolith/requests.h"

namespace dynolith {

// Checks, and leaves the work to `runner`. A repeated request with its token gets the existing
// export. `context` must outlive the runner.
absl::StatusOr<ExportDescription> ExportTableToPointInTime(
    const OperationContext& context, const ExportTableToPointInTimeRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_EXPORT_TABLE_TO_POINT_IN_TIME_H_
