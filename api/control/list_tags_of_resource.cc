#include "api/control/list_tags_of_resource.h"

#include "api/request/messages.h"
#include "api/table/resource.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"

namespace dynolith {

absl::StatusOr<ListTagsOfResourceOutput> ListTagsOfResource(
    const OperationContext& context, const ListTagsOfResourceRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const ResourceName name,
                            ParseResourceArn(context, request.resource_arn));
  // All tags come at once, so that no token was ever given to anybody.
  if (request.next_token) return ValidationError(messages::PageTokenInvalid());
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const TableMeta> meta,
                            ReadResource(context, name));
  ListTagsOfResourceOutput output;
  for (const auto& [key, value] : FindShownTags(name, *meta, context.clock->Now())) {
    output.tags.push_back({key, value});
  }
  return output;
}

}  // namespace dynolith
