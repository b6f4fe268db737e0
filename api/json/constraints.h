// Member constraints: absent members, lengths, ranges, patterns, enumerations. All failures are
// reported together, at most ten (api/facts/wire.md §9, api/facts/operations.md §1.2-§1.3).
#ifndef DYNOLITH_API_JSON_CONSTRAINTS_H_
#define DYNOLITH_API_JSON_CONSTRAINTS_H_

#include "absl/status/status.h"
#include "api/json/fields.h"

namespace dynolith {

// Requires: CheckTypes(fields) is OK. Errors: one ValidationException with all texts.
absl::Status CheckConstraints(const Fields& fields);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_CONSTRAINTS_H_
