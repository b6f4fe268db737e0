// Signature Version 4 on the client's side (api/facts/wire.md §10).
#ifndef DYNOLITH_API_REMOTE_REQUEST_SIGNER_H_
#define DYNOLITH_API_REMOTE_REQUEST_SIGNER_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/time/time.h"
#include "api/remote/credentials.h"
#include "api/remote/http_connection.h"
#include "api/remote/signature.h"

namespace dynolith::client {

// For one connection. Thread-compatible.
class RequestSigner {
 public:
  RequestSigner(std::string region, std::string authority)
      : region_(std::move(region)), authority_(std::move(authority)) {}

  // All headers of a POST to "/" except those of its length.
  HttpHeaders Headers(const Credentials& credentials, std::string_view target,
                      std::string_view body, absl::Time now);

 private:
  const std::string region_;
  const std::string authority_;
  // Those of key_.
  std::string day_;
  std::string secret_key_;
  http::Digest key_{};
};

}  // namespace dynolith::client

#endif  // DYNOLITH_API_REMOTE_REQUEST_SIGNER_H_
