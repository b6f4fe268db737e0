#include "api/control/tag_resource.h"

#include <algorithm>

#include "api/control/messages.h"
#include "api/table/resource.h"
#include "api/table/tags.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

void Merge(const Tag& added, Tags* tags) {
  const auto it = std::find_if(tags->begin(), tags->end(),
                               [&](const auto& tag) { return tag.first == added.key; });
  if (it == tags->end()) {
    tags->emplace_back(*added.key, *added.value);
  } else {
    it->second = *added.value;
  }
}

}  // namespace

absl::Status TagResource(const OperationContext& context, const TagResourceRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const ResourceName name,
                            ParseResourceArn(context, request.resource_arn));
  if (request.tags.empty()) return ValidationError(messages::NoTagGiven());
  DYNOLITH_RETURN_IF_ERROR(CheckTags(request.tags));
  return ChangeTags(context, name, [&](Tags* tags) {
    for (const Tag& tag : request.tags) Merge(tag, tags);
    return CheckTagSet(*tags);
  });
}

}  // namespace dynolith
