// UntagResource (api/facts/operations.md §5.5).
#ifndef DYNOLITH_API_CONTROL_UNTAG_RESOURCE_H_
#define DYNOLITH_API_CONTROL_UNTAG_RESOURCE_H_

#include "absl/status/status.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// Removes the tags of these keys; missing keys are ignored.
absl::Status UntagResource(const OperationContext& context, const UntagResourceRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_UNTAG_RESOURCE_H_
