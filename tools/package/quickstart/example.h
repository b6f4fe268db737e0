// The example of `dynolith quickstart`: a small shop as one table, and what to try with it.
#ifndef DYNOLITH_TOOLS_PACKAGE_QUICKSTART_EXAMPLE_H_
#define DYNOLITH_TOOLS_PACKAGE_QUICKSTART_EXAMPLE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace dynolith {

// Writes the table and its items as files that `dynolith load` takes into `folder`, which is made
// if it is not there, and has to be empty. Errors: kFailedPrecondition naming the folder or file.
absl::Status WriteExample(const std::string& folder);

// What is in the table, and commands to try on the server at `url`.
std::string ExampleWelcome(std::string_view url);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PACKAGE_QUICKSTART_EXAMPLE_H_
