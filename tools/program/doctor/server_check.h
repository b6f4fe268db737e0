// Checks whether a server answers, or could start.
#ifndef DYNOLITH_TOOLS_PROGRAM_DOCTOR_SERVER_CHECK_H_
#define DYNOLITH_TOOLS_PROGRAM_DOCTOR_SERVER_CHECK_H_

#include <string>

#include "absl/time/time.h"
#include "api/remote/server_address.h"
#include "tools/program/doctor/finding.h"

namespace dynolith::doctor {

// Checks the host's addresses, whether the port is free or which process has it, and the program
// and the clock that answer there. No wait is longer than `timeouts`.
void CheckServer(const std::string& url, const http::ServerAddress& address,
                 absl::Duration timeouts, Findings* findings);

}  // namespace dynolith::doctor

#endif  // DYNOLITH_TOOLS_PROGRAM_DOCTOR_SERVER_CHECK_H_
