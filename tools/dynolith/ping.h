// Whether a server answers: for health checks.
#ifndef DYNOLITH_TOOLS_DYNOLITH_PING_H_
#define DYNOLITH_TOOLS_DYNOLITH_PING_H_

#include <string>

#include "absl/status/status.h"

namespace dynolith {

struct PingOptions {
  std::string url = "http://127.0.0.1:8000";
  unsigned int timeout_seconds = 5;
};

// Prints what the server says of itself. Errors: kInvalidArgument (no address), kUnavailable (no
// answer). If there is none in time, the process ends with exit code 1 and a line that says so.
absl::Status Ping(const PingOptions& options);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_PING_H_
