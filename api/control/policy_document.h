// A resource policy: its document and its revision (api/facts/newest.md §5).
#ifndef DYNOLITH_API_CONTROL_POLICY_DOCUMENT_H_
#define DYNOLITH_API_CONTROL_POLICY_DOCUMENT_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// Checks its size, that it is a JSON object, and that its statements have the required members and
// do not admit everybody; what they permit is not checked. Errors: ValidationException.
absl::Status CheckPolicyDocument(std::string_view document);

// A policy put at `now`, with a revision id like the service's: milliseconds since 1970. Its
// document is in the form in which the service compares documents: without white space, members in
// a fixed order, and lists of one action, resource or principal as texts. Requires: checked.
ResourcePolicy BuildPolicy(std::string_view document, absl::Time now);

// As GetResourcePolicy shows it: with a version. Requires: of a policy that was built.
std::string ShownPolicy(std::string_view document);

// The remains of a policy that was deleted at `now`: a revision, and no document.
ResourcePolicy DeletedPolicy(absl::Time now);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_POLICY_DOCUMENT_H_
