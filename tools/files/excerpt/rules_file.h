// The file of rules: TOML (README.md).
#ifndef DYNOLITH_TOOLS_FILES_EXCERPT_RULES_FILE_H_
#define DYNOLITH_TOOLS_FILES_EXCERPT_RULES_FILE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "tools/files/excerpt/rules.h"

namespace dynolith::excerpt {

// Errors: kInvalidArgument, with a line for each place that is wrong; or why the file, or that of
// its key, cannot be read.
absl::StatusOr<Rules> ReadRulesFile(const std::string& file);

// The same with the file's text.
absl::StatusOr<Rules> ReadRules(const std::string& file, std::string_view text);

}  // namespace dynolith::excerpt

#endif  // DYNOLITH_TOOLS_FILES_EXCERPT_RULES_FILE_H_
