// UpdateTableReplicaAutoScaling and DescribeTableReplicaAutoScaling: state only, nothing is scaled.
#ifndef DYNOLITH_API_CONTROL_AUTO_SCALING_H_
#define DYNOLITH_API_CONTROL_AUTO_SCALING_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// Errors: ValidationException; ResourceNotFoundException without the table or an index;
// ResourceInUseException while the table is being created or deleted.
absl::StatusOr<TableAutoScalingDescription> UpdateTableReplicaAutoScaling(
    const OperationContext& context, const UpdateTableReplicaAutoScalingRequest& request);

absl::StatusOr<TableAutoScalingDescription> DescribeTableReplicaAutoScaling(
    const OperationContext& context, const DescribeTableReplicaAutoScalingRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_AUTO_SCALING_H_
