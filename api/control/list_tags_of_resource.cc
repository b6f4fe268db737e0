#include "api/control/list_tags_of_resource.h"

#include "api/table/resource.h"
#include "engine/base/status_macros.h"

namespace dynolith {

absl::StatusOr<ListTagsOfResourceOutput> ListTagsOfResource(
    const OperationContext& context, const ListTagsOfResourceRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const ResourceName name,
                            ParseResourceArn(context, request.resource_arn));
  // All tags come at once. A token, which can only be made up, is ignored.
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const TableMeta> meta,
                            ReadResource(context, name));
  ListTagsOfResourceOutput output;
  for (const auto& [key, value] : TagsOf(name, *meta)) output.tags.push_back({key, value});
  return output;
}

}  // namespace dynolith
