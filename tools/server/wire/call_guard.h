// Decides which authenticated calls may be made, beyond their signatures.
#ifndef DYNOLITH_TOOLS_SERVER_WIRE_CALL_GUARD_H_
#define DYNOLITH_TOOLS_SERVER_WIRE_CALL_GUARD_H_

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "tools/server/http/request.h"

namespace dynolith::http {

// Borrows all parts.
struct GuardedCall {
  const Request* request = nullptr;
  std::string_view access_key;  // of the signature; empty: there is none
  std::string_view database;    // its name; empty: the first
  // "PutItem", which is one of the service's, or an action of another one:
  // "cloudwatch:ListMetrics".
  std::string_view operation;
  std::string_view body;  // JSON, without a content coding
};

// Thread-safe.
class CallGuard {
 public:
  virtual ~CallGuard() = default;
  // OK: the call may be made. nullopt: the decision has to wait, which `may_wait` does not permit.
  virtual std::optional<absl::Status> Check(const GuardedCall& call, bool may_wait) const = 0;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_WIRE_CALL_GUARD_H_
