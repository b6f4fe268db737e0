// What may be a resource's tags (api/facts/operations.md §5.5).
#ifndef DYNOLITH_API_TABLE_TAGS_H_
#define DYNOLITH_API_TABLE_TAGS_H_

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "dynolith/requests.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// Tags as a request gives them. Errors: ValidationException.
absl::Status CheckTags(const std::vector<Tag>& tags);

// A key of a tag that is to go. Errors: ValidationException.
absl::Status CheckTagKey(std::string_view key);

// How many they are, and how large together: all tags of one resource. Errors: ValidationException.
absl::Status CheckTagSet(const Tags& tags);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_TAGS_H_
