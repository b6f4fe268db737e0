// What may be a resource's tags (facts/operations.md §5.5).
#ifndef DYNOLITH_API_OPS_TAGS_H_
#define DYNOLITH_API_OPS_TAGS_H_

#include <vector>

#include "absl/status/status.h"
#include "dynolith/requests.h"

namespace dynolith {

// Errors: ValidationException.
absl::Status CheckTags(const std::vector<Tag>& tags);

}  // namespace dynolith

#endif  // DYNOLITH_API_OPS_TAGS_H_
