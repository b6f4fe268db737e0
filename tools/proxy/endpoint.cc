#include "tools/proxy/endpoint.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "api/remote/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith::proxy {
namespace {

using client::HttpAnswer;
using client::HttpHeaders;

// Headers of one connection or of the client's signature, and those that the request gets anew.
constexpr std::string_view kOwnHeaders[] = {
    "authorization",
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "x-amz-content-sha256",
    "x-amz-date",
    "x-amz-security-token",
};

bool IsOwnHeader(std::string_view name) {
  return std::any_of(std::begin(kOwnHeaders), std::end(kOwnHeaders),
                     [name](std::string_view own) { return http::EqualsIgnoreCase(name, own); });
}

bool BeginsWith(std::string_view name, std::string_view beginning) {
  return http::EqualsIgnoreCase(name.substr(0, beginning.size()), beginning);
}

// Whether the service demands that a header is signed.
bool MustBeSigned(std::string_view name) {
  return BeginsWith(name, "x-amz-") || BeginsWith(name, "x-dynolith-") ||
         http::EqualsIgnoreCase(name, "content-type");
}

// With spaces in it, a value's form in a signature is another one than on the wire.
bool HasManySpaces(std::string_view value) { return value.find("  ") != std::string_view::npos; }

void SplitHeaders(const http::Request& request, const Passing& passing, HttpHeaders* for_signature,
                  HttpHeaders* others) {
  for (const http::Header& header : request.headers) {
    if (IsOwnHeader(header.name)) continue;
    if (passing.is_changed && http::EqualsIgnoreCase(header.name, "content-encoding")) continue;
    if (!passing.may_compress && http::EqualsIgnoreCase(header.name, "accept-encoding")) continue;
    const bool is_signed = MustBeSigned(header.name) && !HasManySpaces(header.value);
    (is_signed ? for_signature : others)->emplace_back(header.name, header.value);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Endpoint>> Endpoint::Open(const EndpointOptions& options) {
  const std::optional<http::ServerAddress> address =
      http::IsServerUrl(options.url) ? http::ParseServerUrl(options.url) : std::nullopt;
  if (!address) return absl::InvalidArgumentError(messages::ClientNotAServer(options.url));
  client::IdentityOptions identity_options;
  identity_options.region = options.region;
  DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<client::CallerIdentity> identity,
                            client::CallerIdentity::Find(*address, identity_options));
  std::unique_ptr<client::TlsTrust> trust;
  if (address->is_tls) {
    DYNOLITH_ASSIGN_OR_RETURN(trust, client::TlsTrust::Load(options.certificates_file));
  }
  return std::unique_ptr<Endpoint>(
      new Endpoint(options, *address, std::move(identity), std::move(trust)));
}

Endpoint::Endpoint(const EndpointOptions& options, const http::ServerAddress& address,
                   std::shared_ptr<client::CallerIdentity> identity,
                   std::unique_ptr<client::TlsTrust> trust)
    : url_(options.url),
      authority_(address.authority),
      identity_(std::move(identity)),
      trust_(std::move(trust)),
      tables_(address, trust_.get(),
              {.connections_max = options.connections_max,
               .timeouts = {.answer = options.answer_timeout}},
              identity_->region()) {
  const std::optional<http::ServerAddress> streams = http::StreamsAddress(address);
  if (!streams) return;
  const client::PoolOptions pool = {.connections_max = options.connections_max,
                                    .timeouts = {.answer = options.answer_timeout}};
  streams_ = std::make_unique<Door>(*streams, trust_.get(), pool, identity_->region());
}

absl::StatusOr<HttpAnswer> Endpoint::Forward(const http::Request& request, const Passing& passing) {
  HttpHeaders headers;
  HttpHeaders others;
  SplitHeaders(request, passing, &headers, &others);
  const bool is_call = request.method == http::Method::kPost;
  const bool is_of_streams =
      streams_ != nullptr && http::IsStreamsTarget(request.Find("x-amz-target").value_or(""));
  Door* const door = is_of_streams ? streams_.get() : &tables_;
  if (is_call) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const client::Credentials> credentials,
                              identity_->Get());
    door->signer.SignAll(*credentials, passing.body, absl::Now(), &headers);
  } else {
    headers.emplace_back("Host", authority_);
  }
  std::move(others.begin(), others.end(), std::back_inserter(headers));
  // A signature in the query is one of the client's, and means nothing to the endpoint.
  const std::string target = is_call ? "/"
                             : request.query().empty()
                                 ? std::string(request.path())
                                 : Concat(request.path(), "?", request.query());
  return Send(door, {.method = request.method_text,
                     .target = target,
                     .headers = headers,
                     .body = passing.body,
                     .may_repeat = false,
                     .keeps_headers = true});
}

absl::StatusOr<HttpAnswer> Endpoint::Call(std::string_view operation, std::string_view body) {
  return CallTarget(Concat("DynamoDB_20120810.", operation), body);
}

absl::StatusOr<HttpAnswer> Endpoint::CallTarget(std::string_view target, std::string_view body) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const client::Credentials> credentials,
                            identity_->Get());
  const HttpHeaders headers = tables_.signer.Headers(*credentials, target, body, absl::Now());
  return Send(&tables_, {.headers = headers, .body = body});
}

absl::StatusOr<HttpAnswer> Endpoint::Send(Door* door, const client::HttpCall& call) {
  absl::StatusOr<HttpAnswer> answer = door->pool.Send(call);
  if (answer.ok()) return answer;
  return absl::UnavailableError(messages::ClientUnreached(url_, MessageOf(answer.status())));
}

}  // namespace dynolith::proxy
