// The example of `dynolith quickstart`: a small shop as one table, and commands to try.
#ifndef DYNOLITH_TOOLS_PACKAGE_QUICKSTART_EXAMPLE_H_
#define DYNOLITH_TOOLS_PACKAGE_QUICKSTART_EXAMPLE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace dynolith {

// Writes the table and its items as files for `dynolith load` into `folder`, which is made if
// necessary, and must be empty. Errors: kFailedPrecondition naming the folder or file.
absl::Status WriteExample(const std::string& folder);

// The content of the table, and commands to try on the server at `url`.
std::string ExampleWelcome(std::string_view url);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PACKAGE_QUICKSTART_EXAMPLE_H_
