// The rules for a resource's tags (api/facts/operations.md §5.5).
#ifndef DYNOLITH_API_TABLE_TAGS_H_
#define DYNOLITH_API_TABLE_TAGS_H_

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "dynolith/requests.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// Tags in a request. Errors: ValidationException.
absl::Status CheckTags(const std::vector<Tag>& tags);

// The key of a tag to remove. Errors: ValidationException.
absl::Status CheckTagKey(std::string_view key);

// The number and the total size of all tags of one resource. Errors: ValidationException.
absl::Status CheckTagSet(const Tags& tags);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_TAGS_H_
