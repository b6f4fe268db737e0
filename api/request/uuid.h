// Random identifiers: TableId, and the ends of the ARNs of backups, exports and imports.
#ifndef DYNOLITH_API_REQUEST_UUID_H_
#define DYNOLITH_API_REQUEST_UUID_H_

#include <string>

#include "absl/time/time.h"

namespace dynolith {

// A random UUID (version 4) in lower case: "0f3c1f0e-6b5c-4b7e-9d55-3b1f0e6b5c4b".
std::string NewUuid();

// The milliseconds of `created` and eight random digits, so that ids sort by their times:
// "01489602797149-73d8d5bc".
std::string NewTimedId(absl::Time created);

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_UUID_H_
