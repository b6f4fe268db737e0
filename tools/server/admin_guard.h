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
  std::vector<http::Network> networks;  // and who is in one of these
};

// Answers no web pages but the server's own: neither what a browser says another page has asked
// for, nor, without the token, a name in Host that a page's owner could have made to lead here.
// Thread-safe.
class AdminGuard {
 public:
  struct Refusal {
    int status = 403;  // 401: the token would do
    std::string reason;
  };

  explicit AdminGuard(AdminGuardOptions options) : options_(std::move(options)) {}

  // `is_page`: it is one of the server's own page's files, which say nothing of the data, and which
  // ask for the token. nullopt: it is answered.
  std::optional<Refusal> Objection(const http::Request& request, bool is_page) const;

 private:
  Refusal Refuse(std::string reason) const;
  bool IsNear(const http::Request& request) const;

  const AdminGuardOptions options_;
};

// The one line of the file, without spaces around it. Errors: kNotFound (it cannot be read),
// kInvalidArgument (it is no token).
absl::StatusOr<std::string> ReadAdminToken(const std::string& file);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_ADMIN_GUARD_H_
