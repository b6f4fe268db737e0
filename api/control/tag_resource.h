// TagResource (api/facts/operations.md §5.5).
#ifndef DYNOLITH_API_CONTROL_TAG_RESOURCE_H_
#define DYNOLITH_API_CONTROL_TAG_RESOURCE_H_

#include "absl/status/status.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// Adds tags; an existing key gets the new value.
absl::Status TagResource(const OperationContext& context, const TagResourceRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_TAG_RESOURCE_H_
