// An endpoint of the service, as a proxy talks to it: calls of others, signed anew, each sent once.
#ifndef DYNOLITH_TOOLS_PROXY_ENDPOINT_H_
#define DYNOLITH_TOOLS_PROXY_ENDPOINT_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/remote/caller_identity.h"
#include "api/remote/connection_pool.h"
#include "api/remote/http_connection.h"
#include "api/remote/request_signer.h"
#include "api/remote/server_address.h"
#include "tools/server/http/request.h"

namespace dynolith::proxy {

struct EndpointOptions {
  std::string url;                // "https://dynamodb.eu-west-1.amazonaws.com"
  std::string certificates_file;  // as TlsTrust::Load
  std::string region;             // for signatures; empty: it is found as SDKs find it
  size_t connections_max = 64;    // to each of its hosts
  std::chrono::seconds answer_timeout{30};
};

// How a request is passed on.
struct Passing {
  std::string_view body;  // without a content coding if `is_changed`
  // Whether the body is another one than the request's.
  bool is_changed = false;
  // Whether the endpoint may compress its answer, as the client allows.
  bool may_compress = true;
};

// Thread-safe.
class Endpoint {
 public:
  // Nothing is asked of it, but perhaps of a place that has credentials. Errors: as
  // RemoteService::Open.
  static absl::StatusOr<std::unique_ptr<Endpoint>> Open(const EndpointOptions& options);

  // Passes the request on, to the host for its target. A call (a POST) is signed; what is not a
  // call is passed on as it is. Never sends a request again of which a byte has been sent. Errors:
  // kUnavailable, which names the endpoint and the reason; those of CallerIdentity::Get.
  absl::StatusOr<client::HttpAnswer> Forward(const http::Request& request, const Passing& passing);
  // A call of the proxy's own. `operation`: "DescribeTable". Errors: as above.
  absl::StatusOr<client::HttpAnswer> Call(std::string_view operation, std::string_view body);

  // The same for a call of anybody's: "DynamoDB_20120810.GetItem". It may be sent twice.
  absl::StatusOr<client::HttpAnswer> CallTarget(std::string_view target, std::string_view body);

  // For those who keep connections of their own (Upstream). Its hosts, by number: that of tables,
  // and perhaps one of streams behind it.
  size_t hosts() const { return streams_ == nullptr ? 1 : 2; }
  const http::ServerAddress& AddressOf(size_t host) const { return DoorOf(host).address; }
  size_t HostFor(const http::Request& request) const;
  // Whether a call can be signed without a wait for credentials.
  bool HasCredentials() const { return !identity_->IsFetchDue(); }
  // Appends what Forward would send, without the body. `scratch` is a list to reuse. Errors:
  // kUnavailable, if the credentials have expired.
  absl::Status AppendHead(const http::Request& request, const Passing& passing,
                          std::vector<client::HeaderView>* scratch, std::string* head) const;
  const client::TlsTrust* trust() const { return trust_.get(); }  // nullptr without TLS
  std::chrono::seconds answer_timeout() const { return answer_timeout_; }
  // With the endpoint's name.
  std::string WhyUnreached(std::string_view reason) const;

  const std::string& url() const { return url_; }
  const std::string& region() const { return identity_->region(); }

 private:
  // A host, with calls of its own.
  struct Door {
    Door(const http::ServerAddress& address, const client::TlsTrust* trust,
         const client::PoolOptions& options, const std::string& region)
        : address(address), pool(address, trust, options), signer(region, address.authority) {}
    const http::ServerAddress address;
    client::ConnectionPool pool;
    client::RequestSigner signer;
  };

  Endpoint(const EndpointOptions& options, const http::ServerAddress& address,
           std::shared_ptr<client::CallerIdentity> identity,
           std::unique_ptr<client::TlsTrust> trust);
  Door& DoorOf(size_t host) const { return host == 0 ? *tables_ : *streams_; }
  absl::StatusOr<client::HttpAnswer> Send(Door* door, const client::HttpCall& call);

  const std::string url_;
  const std::chrono::seconds answer_timeout_;
  const std::shared_ptr<client::CallerIdentity> identity_;
  const std::unique_ptr<client::TlsTrust> trust_;  // nullptr without TLS
  std::unique_ptr<Door> tables_;
  std::unique_ptr<Door> streams_;  // nullptr: the same host
};

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_ENDPOINT_H_
