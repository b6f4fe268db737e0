// ListTagsOfResource (api/facts/operations.md §5.5).
#ifndef DYNOLITH_API_CONTROL_LIST_TAGS_OF_RESOURCE_H_
#define DYNOLITH_API_CONTROL_LIST_TAGS_OF_RESOURCE_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// The tags in the order in which they were added, ten a page.
absl::StatusOr<ListTagsOfResourceOutput> ListTagsOfResource(
    const OperationContext& context, const ListTagsOfResourceRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_LIST_TAGS_OF_RESOURCE_H_
