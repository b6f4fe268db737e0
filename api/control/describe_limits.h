// DescribeLimits (api/facts/operations.md §5.6).
#ifndef DYNOLITH_API_CONTROL_DESCRIBE_LIMITS_H_
#define DYNOLITH_API_CONTROL_DESCRIBE_LIMITS_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// The quotas that CreateTable and UpdateTable enforce.
absl::StatusOr<DescribeLimitsOutput> DescribeLimits(const OperationContext& context,
                                                    const DescribeLimitsRequest& request = {});

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_DESCRIBE_LIMITS_H_
