// Who makes tables and takes items: a server by its address, or a database in this process. Calls
// and answers are the service's JSON.
#ifndef DYNOLITH_TOOLS_CLIENT_SERVICE_TARGET_H_
#define DYNOLITH_TOOLS_CLIENT_SERVICE_TARGET_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/json/dispatch.h"
#include "dynolith/database.h"
#include "engine/base/json_tree.h"
#include "tools/client/http_connection.h"

namespace dynolith::client {

struct ServiceAnswer {
  // "ValidationException"; of a call that got no answer, kNoAnswer. Empty: the call succeeded.
  std::string error;
  std::string message;  // of an error
  JsonTree output;      // of a call that succeeded
};

inline constexpr std::string_view kNoAnswer = "no answer";

// One call at a time.
class ServiceConnection {
 public:
  virtual ~ServiceConnection() = default;
  // The answer as it came. Errors: kUnavailable, if there was none.
  virtual absl::StatusOr<HttpAnswer> Send(std::string_view operation, std::string_view body) = 0;

  ServiceAnswer Call(std::string_view operation, std::string_view body);
  ServiceAnswer Call(std::string_view operation, const JsonTree& input) {
    return Call(operation, std::string_view(PrintJson(input)));
  }
};

// Thread-safe.
class ServiceTarget {
 public:
  virtual ~ServiceTarget() = default;
  // Before all else, once: what this makes is not made for input that turns out wrong.
  virtual absl::Status Open() { return absl::OkStatus(); }
  virtual std::unique_ptr<ServiceConnection> Connect() = 0;
  // How many connections at once make sense.
  virtual size_t connections() const = 0;
  // The one in this process; nullptr: it is a server.
  virtual Database* database() const { return nullptr; }
};

// Borrows the database.
std::unique_ptr<ServiceTarget> MakeDatabaseTarget(Database* database);
// A database that is opened by Open.
std::unique_ptr<ServiceTarget> MakeFolderTarget(DatabaseOptions options);
// Calls are signed by what the environment says (tools/client/request_signer.h). `certificates`: as
// TlsTrust::Load takes them. Errors: kInvalidArgument for what is no address, credentials that
// lack, or no certificates.
absl::StatusOr<std::unique_ptr<ServiceTarget>> MakeServerTarget(
    const std::string& url, const std::string& certificates = "");

// Makes the call, and again as long as the answer is that it may succeed later: throttling, 500 and
// 503. After 30 attempts, the last two seconds apart, the answer stands.
ServiceAnswer CallPatiently(ServiceConnection* connection, std::string_view operation,
                            std::string_view body);
// How long to wait before the next attempt, and then to wait.
void WaitBeforeAttempt(int attempt);
inline constexpr int kAttemptsMax = 30;

}  // namespace dynolith::client

#endif  // DYNOLITH_TOOLS_CLIENT_SERVICE_TARGET_H_
