// Times as the service's messages print them.
#ifndef DYNOLITH_API_REQUEST_TIME_TEXT_H_
#define DYNOLITH_API_REQUEST_TIME_TEXT_H_

#include <string>

#include "absl/time/time.h"

namespace dynolith {

// "Friday, October 9, 2026 at 12:21:34 AM Coordinated Universal Time": in messages about limits
// (api/facts/operations.md §5.3).
std::string LongUtcTime(absl::Time time);

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_TIME_TEXT_H_
