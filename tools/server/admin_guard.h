// Who may use the admin endpoint.
#ifndef DYNOLITH_TOOLS_SERVER_ADMIN_GUARD_H_
#define DYNOLITH_TOOLS_SERVER_ADMIN_GUARD_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/http/network.h"
#include "tools/http/request.h"

namespace dynolith {

// By default programs on this machine, by the addresses of their sockets.
struct AdminGuardOptions {
  std::string token;                    // who names it may; empty: there is none
  std::vector<http::Network> networks;  // and callers in one of these
};

// Answers no web pages but the server's own: it refuses requests that the browser marks as another
// page's, and, without the token, a name in Host that a page's owner could have made to lead here.
// Thread-safe.
class AdminGuard {
 public:
  struct Refusal {
    int status = 403;  // 401: the token would be accepted
    std::string reason;
  };

  explicit AdminGuard(AdminGuardOptions options) : options_(std::move(options)) {}

  // `is_page`: one of the files of the server's own pages, which contain no data, and which ask for
  // the token. nullopt: the request is admitted.
  std::optional<Refusal> Objection(const http::Request& request, bool is_page) const;

 private:
  Refusal Refuse(std::string reason) const;
  bool IsNear(const http::Request& request) const;

  const AdminGuardOptions options_;
};

// The one line of the file, without spaces around it. Errors: kNotFound (it cannot be read),
// kInvalidArgument (invalid token).
absl::StatusOr<std::string> ReadAdminToken(const std::string& file);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_ADMIN_GUARD_H_
