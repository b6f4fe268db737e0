// PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy (api/facts/operations.md §5.6,
// api/facts/newest.md §5). A policy is stored and shown; it refuses nobody.
#ifndef DYNOLITH_API_CONTROL_RESOURCE_POLICIES_H_
#define DYNOLITH_API_CONTROL_RESOURCE_POLICIES_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// Putting the same document again changes nothing, not even the revision.
absl::StatusOr<PutResourcePolicyOutput> PutResourcePolicy(const OperationContext& context,
                                                          const PutResourcePolicyRequest& request);
absl::StatusOr<GetResourcePolicyOutput> GetResourcePolicy(const OperationContext& context,
                                                          const GetResourcePolicyRequest& request);
absl::StatusOr<DeleteResourcePolicyOutput> DeleteResourcePolicy(
    const OperationContext& context, const DeleteResourcePolicyRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_RESOURCE_POLICIES_H_
