// Asks the policies before a call is made (README.md).
#ifndef DYNOLITH_TOOLS_SERVER_IAM_GUARD_H_
#define DYNOLITH_TOOLS_SERVER_IAM_GUARD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "api/service/named_databases.h"
#include "tools/server/iam/call_needs.h"
#include "tools/server/iam/policy/evaluate.h"
#include "tools/server/iam/principals.h"
#include "tools/server/wire/call_guard.h"

namespace dynolith::iam {

struct GuardOptions {
  bool enforces = true;  // if not, refusals are only noted
  Principals principals;
  NamedDatabases* databases = nullptr;  // borrowed
  // Of ARNs, where the database of a call is not there yet.
  std::string region;
  std::string account;
  bool is_secure = false;                        // whether all calls come over TLS
  std::function<void(const std::string&)> note;  // a line for the log; may be empty
};

// How a call came, for condition keys.
struct Connection {
  std::string source_ip;  // empty: unknown
  std::string user_agent;
  std::string referer;
  bool is_secure = false;
};

// One thing that a call needs, with all that decides about it.
struct AskedNeed {
  CallNeed need;
  AccessRequest request;
  PolicySet policies;
  // The fault of a resource-based policy, which then denies; OK: none.
  absl::Status unreadable;
  Decision decision;
};

// Thread-safe.
class IamGuard final : public http::CallGuard {
 public:
  static constexpr std::string_view kExplainPath = "/_dynolith/iam/explain";

  explicit IamGuard(GuardOptions options) : options_(std::move(options)) {}

  // Errors: AccessDeniedException in the service's words (api/facts/iam.md §5);
  // UnrecognizedClientException for an access key that nobody has, or whose session has expired;
  // MissingAuthenticationTokenException without an access key.
  std::optional<absl::Status> Check(const http::GuardedCall& call, bool may_wait) const override;

  // POST {"access_key": text, "operation": "GetItem", "body": object, …}: how Check would decide,
  // statement by statement. Answers with an error for other bodies. May wait.
  void Explain(const AdminRequest& request, JsonResponse* answer) const;

 private:
  struct AskedCall {
    const Principal* principal = nullptr;
    std::string_view database;
    std::string_view operation;
    const JsonTree* body = nullptr;
    const Connection* connection = nullptr;
  };

  // Errors: kUnavailable if it has to wait; UnrecognizedClientException for a session that has
  // expired on the database's clock; those of opening a database.
  absl::StatusOr<std::vector<AskedNeed>> Ask(const AskedCall& call, bool may_wait) const;
  absl::StatusOr<const Principal*> FindPrincipal(std::string_view access_key) const;
  // The reason; OK if the need is allowed.
  static absl::Status Refusal(const Principal& principal, const AskedNeed& asked);
  absl::Status Decide(const http::GuardedCall& call, bool may_wait) const;

  const GuardOptions options_;
};

}  // namespace dynolith::iam

#endif  // DYNOLITH_TOOLS_SERVER_IAM_GUARD_H_
