// What a rule makes of a value.
#ifndef DYNOLITH_TOOLS_FILES_EXCERPT_VALUE_CHANGE_H_
#define DYNOLITH_TOOLS_FILES_EXCERPT_VALUE_CHANGE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/text/json_tree.h"
#include "tools/files/excerpt/rules.h"

namespace dynolith::excerpt {

// The text of a number in its one form: "1.50" is "1.5". Errors: kInvalidArgument.
absl::StatusOr<std::string> PlainNumber(std::string_view text);

// Whether the rule's kind, with its patterns, can be for values of this type.
bool IsForType(const Rule& rule, std::string_view type);

// Changes a value in the service's JSON, unless it is NULL. False: no pattern fits it, and it stays
// as it is. `shift_by`: what a date's shift follows from; empty: from the date. A value that is
// dropped stays as it is, for the caller to remove. The same value becomes the same under all rules
// with the same kind, domain and parameters. `before` gets the texts that were changed, and the
// numbers that were hashed. Errors: kInvalidArgument with the reason why the value cannot be
// changed.
absl::StatusOr<bool> ChangeValue(const Rules& rules, const Rule& rule, std::string_view shift_by,
                                 JsonTree* value, std::vector<std::string>* before);

}  // namespace dynolith::excerpt

#endif  // DYNOLITH_TOOLS_FILES_EXCERPT_VALUE_CHANGE_H_
