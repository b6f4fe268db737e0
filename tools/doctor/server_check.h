// Whether a server answers, or could.
#ifndef DYNOLITH_TOOLS_DOCTOR_SERVER_CHECK_H_
#define DYNOLITH_TOOLS_DOCTOR_SERVER_CHECK_H_

#include <string>

#include "absl/time/time.h"
#include "tools/doctor/finding.h"
#include "tools/http/server_address.h"

namespace dynolith::doctor {

// The host's addresses; the port: free, or whose; what answers there, and by which clock. No wait
// is longer than `timeouts`.
void CheckServer(const std::string& url, const http::ServerAddress& address,
                 absl::Duration timeouts, Findings* findings);

}  // namespace dynolith::doctor

#endif  // DYNOLITH_TOOLS_DOCTOR_SERVER_CHECK_H_
