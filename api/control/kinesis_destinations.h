// EnableKinesisStreamingDestination, DisableKinesisStreamingDestination,
// UpdateKinesisStreamingDestination and DescribeKinesisStreamingDestination, and what whoever sends
// the changes to the destinations tells of them (api/facts/operations.md §5.6,
// api/facts/stream_targets.md §5).
#ifndef DYNOLITH_API_CONTROL_KINESIS_DESTINATIONS_H_
#define DYNOLITH_API_CONTROL_KINESIS_DESTINATIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"
#include "engine/catalog/table_meta.h"

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

// --- For whoever sends (OperationContext::sends_to_kinesis)

struct TableDestination {
  std::string table;
  KinesisDestination destination;
};

// The destinations of all tables whose changes are, or were, kept for them. From now on this is so
// for those, too, that were enabled while nobody sent. Errors: the store's.
absl::StatusOr<std::vector<TableDestination>> FindKinesisDestinations(
    const OperationContext& context);

// Whether the stream of a destination that awaits the check exists: it becomes ACTIVE, or
// ENABLE_FAILED for the reason given. No effect in another state. Errors: the store's.
absl::Status FinishEnabling(const OperationContext& context, const std::string& table_name,
                            std::string_view stream_arn, const std::string& failure);

// Nobody sends from this database, which is a copy of one from which somebody does: its
// destinations have states only from now on. Errors: the store's.
absl::Status ForgetSending(const OperationContext& context);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_KINESIS_DESTINATIONS_H_
