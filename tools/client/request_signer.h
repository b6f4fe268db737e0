// Signature Version 4 on the client's side (api/facts/wire.md §10).
#ifndef DYNOLITH_TOOLS_CLIENT_REQUEST_SIGNER_H_
#define DYNOLITH_TOOLS_CLIENT_REQUEST_SIGNER_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/client/http_connection.h"
#include "tools/http/server_address.h"
#include "tools/http/signature.h"

namespace dynolith::client {

struct CallerIdentity {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // empty: none
  std::string region;
};

// From AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and
// AWS_DEFAULT_REGION. Without credentials a server on this machine gets a name of our own, and the
// region of a host dynamodb.REGION.… may be omitted. Errors: kInvalidArgument naming the missing
// variable.
absl::StatusOr<CallerIdentity> IdentityFromEnvironment(const http::ServerAddress& address);

// For one connection. Thread-compatible.
class RequestSigner {
 public:
  RequestSigner(CallerIdentity identity, std::string authority);

  // All headers of a POST to "/" except those of its length.
  HttpHeaders Headers(std::string_view target, std::string_view body, absl::Time now);

 private:
  const CallerIdentity identity_;
  const std::string authority_;
  std::string day_;  // of key_
  http::Digest key_{};
};

}  // namespace dynolith::client

#endif  // DYNOLITH_TOOLS_CLIENT_REQUEST_SIGNER_H_
