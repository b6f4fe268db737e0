// Calls the admin endpoint of a running server (tools/server/admin.h).
#ifndef DYNOLITH_TOOLS_CLIENT_ADMIN_CALL_H_
#define DYNOLITH_TOOLS_CLIENT_ADMIN_CALL_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "api/remote/http_connection.h"

namespace dynolith::client {

struct AdminServer {
  std::string url;
  std::string token;  // of its admin endpoint; empty: none, which this machine does not need
  HttpTimeouts timeouts;
};

enum class AdminMethod : uint8_t { kGet, kPost, kDelete };

// `body`: of a POST. Returns the answer's body. Over https the certificate is not checked, since
// the server answers this machine only. Requires: http::IsServerUrl(server.url). Errors:
// kInvalidArgument (invalid address), kUnavailable (no answer); the server's: kAborted for a
// temporary conflict with another call, kUnavailable for what it cannot do now, else
// kFailedPrecondition.
absl::StatusOr<std::string> CallAdmin(const AdminServer& server, AdminMethod method,
                                      const std::string& path, const std::string& body = "");

}  // namespace dynolith::client

#endif  // DYNOLITH_TOOLS_CLIENT_ADMIN_CALL_H_
