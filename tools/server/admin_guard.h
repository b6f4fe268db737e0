// Decides who can use the admin endpoint.
#ifndef DYNOLITH_TOOLS_SERVER_ADMIN_GUARD_H_
#define DYNOLITH_TOOLS_SERVER_ADMIN_GUARD_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/server/http/network.h"
#include "tools/server/http/request.h"

namespace dynolith {

// By default only programs on this machine, by their sockets' addresses.
struct AdminGuardOptions {
  std::string token;                    // admits callers that send it; empty: none
  std::vector<http::Network> networks;  // whose callers are admitted, too
};

// Admits no web pages but the server's own: it refuses requests that the browser marks as another
// page's, and, without the token, Host names that a page's owner could have redirected here.
// Thread-safe.
class AdminGuard {
 public:
  struct Refusal {
    int status = 403;  // 401: the caller may try again with the token
    std::string reason;
  };

  explicit AdminGuard(AdminGuardOptions options) : options_(std::move(options)) {}

  // `is_page`: the request is for a file of the server's own pages, which contain no data and ask
  // for the token. Returns nullopt if the request is admitted.
  std::optional<Refusal> Objection(const http::Request& request, bool is_page) const;

 private:
  Refusal Refuse(std::string reason) const;
  bool IsNear(const http::Request& request) const;

  const AdminGuardOptions options_;
};

// Reads the single line of the file, without spaces around it. Errors: kNotFound (it cannot be
// read), kInvalidArgument (invalid token).
absl::StatusOr<std::string> ReadAdminToken(const std::string& file);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_ADMIN_GUARD_H_
