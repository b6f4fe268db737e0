// A resource policy: its document and its revision (facts/newest.md §5).
#ifndef DYNOLITH_API_OPS_POLICY_DOCUMENT_H_
#define DYNOLITH_API_OPS_POLICY_DOCUMENT_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// Its size, and that it is a JSON object; what it says is nobody's business here. Errors:
// ValidationException.
absl::Status CheckPolicyDocument(std::string_view document);

// A policy put at `now`, with a revision id like the service's: milliseconds since 1970. Requires:
// checked.
ResourcePolicy BuildPolicy(std::string_view document, absl::Time now);

}  // namespace dynolith

#endif  // DYNOLITH_API_OPS_POLICY_DOCUMENT_H_
