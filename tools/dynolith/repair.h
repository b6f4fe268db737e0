// `dynolith repair`: saves what can be read of a damaged data folder into a new one.
#ifndef DYNOLITH_TOOLS_DYNOLITH_REPAIR_H_
#define DYNOLITH_TOOLS_DYNOLITH_REPAIR_H_

#include <string>

#include "absl/status/statusor.h"

namespace dynolith {

// Prints one line per thing that could not be read and a summary to standard output. Whether
// everything could be. Changes nothing in `folder`. Errors: what keeps it from being saved.
absl::StatusOr<bool> Repair(const std::string& folder, const std::string& saved);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_REPAIR_H_
