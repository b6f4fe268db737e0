// `dynolith check`: do indexes, streams, expiry rows and the history agree with the tables?
#ifndef DYNOLITH_TOOLS_DYNOLITH_CHECK_H_
#define DYNOLITH_TOOLS_DYNOLITH_CHECK_H_

#include <string>

#include "absl/status/statusor.h"

namespace dynolith {

// Prints one line per disagreement and a summary to standard output. Whether there was none.
// Changes nothing in the folder. Errors: what keeps the check from running.
absl::StatusOr<bool> Check(const std::string& folder);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_CHECK_H_
