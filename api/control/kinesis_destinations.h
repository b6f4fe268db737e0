// EnableKinesisStreamingDestination, DisableKinesisStreamingDestination,
// UpdateKinesisStreamingDestination and DescribeKinesisStreamingDestination: state only, nothing is
// sent (api/facts/operations.md §5.6).
#ifndef DYNOLITH_API_CONTROL_KINESIS_DESTINATIONS_H_
#define DYNOLITH_API_CONTROL_KINESIS_DESTINATIONS_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// Errors of the first three: ValidationException, also for a destination in another state;
// ResourceNotFoundException without the table, ResourceInUseException unless it is ACTIVE.
absl::StatusOr<KinesisStreamingDestinationOutput> EnableKinesisStreamingDestination(
    const OperationContext& context, const KinesisStreamingDestinationRequest& request);
absl::StatusOr<KinesisStreamingDestinationOutput> DisableKinesisStreamingDestination(
    const OperationContext& context, const KinesisStreamingDestinationRequest& request);
absl::StatusOr<UpdateKinesisStreamingDestinationOutput> UpdateKinesisStreamingDestination(
    const OperationContext& context, const UpdateKinesisStreamingDestinationRequest& request);

absl::StatusOr<DescribeKinesisStreamingDestinationOutput> DescribeKinesisStreamingDestination(
    const OperationContext& context, const DescribeKinesisStreamingDestinationRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_KINESIS_DESTINATIONS_H_
