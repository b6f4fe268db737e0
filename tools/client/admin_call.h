// Asks a running server something below /_dynolith/ (tools/server/admin.h).
#ifndef DYNOLITH_TOOLS_CLIENT_ADMIN_CALL_H_
#define DYNOLITH_TOOLS_CLIENT_ADMIN_CALL_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "tools/client/http_connection.h"

namespace dynolith::client {

struct AdminServer {
  std::string url;
  std::string token;  // of its admin endpoint; empty: it lets this machine in without one
  HttpTimeouts timeouts;
};

enum class AdminMethod : uint8_t { kGet, kPost };

// The answer's body. Over https the certificate is not checked: the server answers this machine
// only. Requires: http::IsServerUrl(server.url). Errors: kInvalidArgument (no address),
// kUnavailable (no answer), what the server says: kAborted for a conflict with another call, which
// passes, else kFailedPrecondition.
absl::StatusOr<std::string> CallAdmin(const AdminServer& server, AdminMethod method,
                                      const std::string& path);

}  // namespace dynolith::client

#endif  // DYNOLITH_TOOLS_CLIENT_ADMIN_CALL_H_
