// The service behind an endpoint: calls of its operations as JSON, signed, and repeated as SDKs do.
#ifndef DYNOLITH_API_REMOTE_REMOTE_SERVICE_H_
#define DYNOLITH_API_REMOTE_REMOTE_SERVICE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/remote/caller_identity.h"
#include "api/remote/connection_pool.h"
#include "api/remote/http_connection.h"
#include "api/remote/request_signer.h"
#include "api/remote/retries.h"
#include "api/remote/server_address.h"

namespace dynolith::client {

struct RemoteOptions {
  std::string endpoint;           // "https://dynamodb.eu-west-1.amazonaws.com"
  std::string certificates_file;  // as TlsTrust::Load
  IdentityOptions identity;
  RetryOptions retries;
  PoolOptions pool;
  bool may_repeat = true;  // as HttpCall's
};

// A random token for a call that may be made twice.
std::string NewToken();

// "ValidationException" of the body {"__type": "…#ValidationException", …}; empty: it has none.
std::string ReadErrorName(std::string_view body);

// Thread-safe.
class RemoteService {
 public:
  // Nothing is asked of the endpoint. Errors: kInvalidArgument for an invalid address or no
  // certificates; those of CallerIdentity::Find.
  static absl::StatusOr<std::unique_ptr<RemoteService>> Open(const RemoteOptions& options);

  // `target`: "DynamoDB_20120810.PutItem". A call whose token makes it happen once (ClientToken,
  // ClientRequestToken) gets one, unless it has one, before its first attempt. Returns the last
  // attempt's answer, whatever its status. Errors: kUnavailable with the reason for which there is
  // none; those of CallerIdentity::Get. `unsigned_headers`: besides those that every call has.
  absl::StatusOr<HttpAnswer> Call(std::string_view target, std::string_view body,
                                  const HttpHeaders& unsigned_headers = {});

  const std::string& endpoint() const { return endpoint_; }
  // Of all calls, for repetitions that the caller decides on.
  Retries* retries() { return &retries_; }

 private:
  // A host, with calls of its own.
  struct Door {
    Door(const http::ServerAddress& address, const TlsTrust* trust, const PoolOptions& options,
         const std::string& region)
        : pool(address, trust, options), signer(region, address.authority) {}
    ConnectionPool pool;
    RequestSigner signer;
  };

  RemoteService(const http::ServerAddress& address, std::shared_ptr<CallerIdentity> identity,
                std::unique_ptr<TlsTrust> trust, const RemoteOptions& options);
  std::unique_ptr<Door> MakeStreamsDoor(const http::ServerAddress& tables,
                                        const RemoteOptions& options) const;
  absl::StatusOr<HttpAnswer> Attempt(Door* door, std::string_view target, std::string_view body,
                                     const HttpHeaders& unsigned_headers);

  const std::string endpoint_;
  const bool may_repeat_;
  const std::shared_ptr<CallerIdentity> identity_;
  const std::unique_ptr<TlsTrust> trust_;  // nullptr without TLS
  Retries retries_;
  Door tables_;
  const std::unique_ptr<Door> streams_;  // nullptr: the same host
};

}  // namespace dynolith::client

#endif  // DYNOLITH_API_REMOTE_REMOTE_SERVICE_H_
