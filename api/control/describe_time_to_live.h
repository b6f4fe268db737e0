// DescribeTimeToLive: whether expired items are deleted, and by which attribute.
#ifndef DYNOLITH_API_CONTROL_DESCRIBE_TIME_TO_LIVE_H_
#define DYNOLITH_API_CONTROL_DESCRIBE_TIME_TO_LIVE_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<DescribeTimeToLiveOutput> DescribeTimeToLive(
    const OperationContext& context, const DescribeTimeToLiveRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_DESCRIBE_TIME_TO_LIVE_H_
