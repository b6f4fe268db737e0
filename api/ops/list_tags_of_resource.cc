#include "api/ops/list_tags_of_resource.h"

#include <algorithm>

#include "api/ops/page_token.h"
#include "api/ops/resource.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

// Behind the tag of that key. If it is gone meanwhile, the listing is over: what came behind it
// has moved.
size_t PositionBehind(const Tags& tags, const std::string& key) {
  const auto it =
      std::find_if(tags.begin(), tags.end(), [&](const auto& tag) { return tag.first == key; });
  if (it == tags.end()) return tags.size();
  return static_cast<size_t>(it - tags.begin()) + 1;
}

}  // namespace

absl::StatusOr<ListTagsOfResourceOutput> ListTagsOfResource(
    const OperationContext& context, const ListTagsOfResourceRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const ResourceName name,
                            ParseResourceArn(context, request.resource_arn));
  std::string last_key;
  if (request.next_token) {
    DYNOLITH_ASSIGN_OR_RETURN(last_key, DecodePageToken(*request.next_token));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const TableMeta> meta,
                            ReadResource(context, name));
  const Tags& tags = TagsOf(name, *meta);
  const size_t begin = request.next_token ? PositionBehind(tags, last_key) : 0;
  const size_t end = std::min(begin + kTagsPageMax, tags.size());
  ListTagsOfResourceOutput output;
  for (size_t i = begin; i < end; ++i) output.tags.push_back({tags[i].first, tags[i].second});
  if (end < tags.size()) output.next_token = EncodePageToken(tags[end - 1].first);
  return output;
}

}  // namespace dynolith
