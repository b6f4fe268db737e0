#include "api/control/untag_resource.h"

#include <algorithm>

#include "api/control/messages.h"
#include "api/table/messages.h"
#include "api/table/resource.h"
#include "api/table/tags.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"

namespace dynolith {

absl::Status UntagResource(const OperationContext& context, const UntagResourceRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const ResourceName name,
                            ParseResourceArn(context, request.resource_arn));
  const std::vector<std::string>& keys = request.tag_keys;
  if (keys.empty()) return ValidationError(messages::NoTagKeyGiven());
  if (keys.size() > kTagsMax) return ValidationError(messages::TooManyTags());
  for (const std::string& key : keys) DYNOLITH_RETURN_IF_ERROR(CheckTagKey(key));
  return ChangeTags(context, name, [&](Tags* tags) {
    std::erase_if(*tags, [&](const auto& tag) {
      return std::find(keys.begin(), keys.end(), tag.first) != keys.end();
    });
    return absl::OkStatus();
  });
}

}  // namespace dynolith
