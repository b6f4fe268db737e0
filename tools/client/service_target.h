// The target of calls that make tables and write items: a server by its address, or a database in
// this process. Calls and answers are the service's JSON.
#ifndef DYNOLITH_TOOLS_CLIENT_SERVICE_TARGET_H_
#define DYNOLITH_TOOLS_CLIENT_SERVICE_TARGET_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/json/dispatch.h"
#include "api/remote/caller_identity.h"
#include "api/remote/http_connection.h"
#include "api/remote/retries.h"
#include "dynolith/database.h"
#include "engine/text/json_tree.h"

namespace dynolith::client {

struct ServiceAnswer {
  int status = 0;  // of HTTP; 0 without an answer
  // "ValidationException"; for a call without an answer, kNoAnswer. Empty: the call succeeded.
  std::string error;
  std::string message;  // of an error
  JsonTree output;      // of a call that succeeded
};

inline constexpr std::string_view kNoAnswer = "no answer";

// One call at a time.
class ServiceConnection {
 public:
  virtual ~ServiceConnection() = default;
  // `operation`: of tables or of their streams, without its service: "PutItem", "GetRecords".
  // The unchanged answer. Errors: kUnavailable, if there was none.
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
  // Call it once, before all others: nothing is made for input that turns out to be wrong.
  virtual absl::Status Open() { return absl::OkStatus(); }
  virtual std::unique_ptr<ServiceConnection> Connect() = 0;
  // The useful number of connections.
  virtual size_t connections() const = 0;
  // The database in this process; nullptr: a server.
  virtual Database* database() const { return nullptr; }
};

// Borrows the database.
std::unique_ptr<ServiceTarget> MakeDatabaseTarget(Database* database);
// A database that is opened by Open.
std::unique_ptr<ServiceTarget> MakeFolderTarget(DatabaseOptions options);
// Calls are signed with the credentials that the SDKs would find (api/remote/caller_identity.h).
// `certificates`: as in TlsTrust::Load. Errors: kInvalidArgument for an invalid address or no
// certificates; those of CallerIdentity::Find.
absl::StatusOr<std::unique_ptr<ServiceTarget>> MakeServerTarget(
    const std::string& url, const std::string& certificates = "",
    const IdentityOptions& identity = {});

// The SDKs' rules, with a command's patience: 30 attempts, at most two seconds apart, no quota.
Retries& PatientRetries();
// Makes the call, and repeats it by these rules if it got an answer.
ServiceAnswer CallPatiently(ServiceConnection* connection, std::string_view operation,
                            std::string_view body);
// Sleeps before the service is asked again whether something is done: 20 ms, and up to two seconds
// from look to look. Returns at once when IsPatienceOver().
void WaitBeforeLook(int look);

// As long as it lives, the patience of this process's calls ends when `is_over` says so: none is
// repeated then. Any thread asks it, about ten times a second. Only one may exist.
class PatienceUntil {
 public:
  explicit PatienceUntil(bool (*is_over)());
  ~PatienceUntil();
  PatienceUntil(const PatienceUntil&) = delete;
  PatienceUntil& operator=(const PatienceUntil&) = delete;
};
bool IsPatienceOver();

}  // namespace dynolith::client

#endif  // DYNOLITH_TOOLS_CLIENT_SERVICE_TARGET_H_
