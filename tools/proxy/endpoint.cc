#include "tools/proxy/endpoint.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "api/remote/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "tools/proxy/header_names.h"
#include "tools/proxy/messages.h"

namespace dynolith::proxy {
namespace {

// The standard library's append measures a literal each time.
using namespace std::string_view_literals;

using client::HttpAnswer;
using client::HttpHeaders;

// Headers of one connection or of the client's signature, and those that the request gets anew.
constexpr HeaderNames<15> kOwnHeaders({"authorization", "connection", "content-length", "expect",
                                       "host", "keep-alive", "proxy-authorization",
                                       "proxy-connection", "te", "trailer", "transfer-encoding",
                                       "upgrade", "x-amz-content-sha256", "x-amz-date",
                                       "x-amz-security-token"});

bool BeginsWith(std::string_view name, std::string_view beginning) {
  return http::EqualsIgnoreCase(name.substr(0, beginning.size()), beginning);
}

// Whether the service demands that a header is signed.
bool MustBeSigned(std::string_view name) {
  // Most names begin with none of these letters.
  if (name.empty() || std::string_view("xXcC").find(name[0]) == std::string_view::npos)
    return false;
  return BeginsWith(name, "x-amz-") || BeginsWith(name, "x-dynolith-") ||
         http::EqualsIgnoreCase(name, "content-type");
}

// With spaces in it, a value's form in a signature is another one than on the wire.
bool HasManySpaces(std::string_view value) { return value.find("  ") != std::string_view::npos; }

// How a header of the request is passed on.
enum class Part : uint8_t { kNone, kSigned, kUnsigned };

Part PartOf(const http::Header& header, const Passing& passing) {
  if (kOwnHeaders.Has(header.name)) return Part::kNone;
  if (passing.is_changed && http::EqualsIgnoreCase(header.name, "content-encoding")) {
    return Part::kNone;
  }
  if (!passing.may_compress && http::EqualsIgnoreCase(header.name, "accept-encoding")) {
    return Part::kNone;
  }
  const bool is_signed = MustBeSigned(header.name) && !HasManySpaces(header.value);
  return is_signed ? Part::kSigned : Part::kUnsigned;
}

// What follows the method. A signature in the query is one of the client's, and means nothing to
// the endpoint.
void AppendTarget(const http::Request& request, std::string* target) {
  if (request.method == http::Method::kPost) return target->push_back('/');
  target->append(request.path());
  if (!request.query().empty()) target->append("?"sv).append(request.query());
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
      answer_timeout_(options.answer_timeout),
      identity_(std::move(identity)),
      trust_(std::move(trust)) {
  const client::PoolOptions pool = {.connections_max = options.connections_max,
                                    .timeouts = {.answer = options.answer_timeout}};
  tables_ = std::make_unique<Door>(address, trust_.get(), pool, identity_->region());
  const std::optional<http::ServerAddress> streams = http::StreamsAddress(address);
  if (!streams) return;
  streams_ = std::make_unique<Door>(*streams, trust_.get(), pool, identity_->region());
}

size_t Endpoint::HostFor(const http::Request& request) const {
  const bool is_of_streams =
      streams_ != nullptr && http::IsStreamsTarget(request.Find("x-amz-target").value_or(""));
  return is_of_streams ? 1 : 0;
}

absl::StatusOr<HttpAnswer> Endpoint::Forward(const http::Request& request, const Passing& passing) {
  HttpHeaders headers;
  HttpHeaders others;
  for (const http::Header& header : request.headers) {
    const Part part = PartOf(header, passing);
    if (part == Part::kSigned) headers.emplace_back(header.name, header.value);
    if (part == Part::kUnsigned) others.emplace_back(header.name, header.value);
  }
  Door& door = DoorOf(HostFor(request));
  if (request.method == http::Method::kPost) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const client::Credentials> credentials,
                              identity_->Get());
    door.signer.SignAll(*credentials, passing.body, absl::Now(), &headers);
  } else {
    headers.emplace_back("Host", door.address.authority);
  }
  std::move(others.begin(), others.end(), std::back_inserter(headers));
  std::string target;
  AppendTarget(request, &target);
  return Send(&door, {.method = request.method_text,
                      .target = target,
                      .headers = headers,
                      .body = passing.body,
                      .may_repeat = false,
                      .keeps_headers = true});
}

absl::Status Endpoint::AppendHead(const http::Request& request, const Passing& passing,
                                  std::vector<client::HeaderView>* scratch,
                                  std::string* head) const {
  Door& door = DoorOf(HostFor(request));
  head->append(request.method_text).append(" "sv);
  AppendTarget(request, head);
  head->append(" HTTP/1.1\r\n"sv);
  scratch->clear();
  for (const http::Header& header : request.headers) {
    const Part part = PartOf(header, passing);
    if (part == Part::kSigned) scratch->push_back({header.name, header.value});
    if (part != Part::kUnsigned) continue;
    head->append(header.name).append(": "sv).append(header.value).append("\r\n"sv);
  }
  if (request.method == http::Method::kPost) {
    const std::shared_ptr<const client::Credentials> credentials = identity_->GetKept();
    if (credentials == nullptr) return absl::UnavailableError(messages::CredentialsNotKept());
    door.signer.AppendSigned(*credentials, passing.body, absl::Now(), scratch, head);
  } else {
    head->append("Host: "sv).append(door.address.authority).append("\r\n"sv);
    for (const auto& [name, value] : *scratch) {
      head->append(name).append(": "sv).append(value).append("\r\n"sv);
    }
  }
  if (request.method == http::Method::kPost || !passing.body.empty()) {
    head->append("Content-Length: "sv).append(std::to_string(passing.body.size())).append("\r\n"sv);
  }
  head->append("\r\n"sv);
  return absl::OkStatus();
}

absl::StatusOr<HttpAnswer> Endpoint::Call(std::string_view operation, std::string_view body) {
  return CallTarget(Concat("DynamoDB_20120810.", operation), body);
}

absl::StatusOr<HttpAnswer> Endpoint::CallTarget(std::string_view target, std::string_view body) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const client::Credentials> credentials,
                            identity_->Get());
  const HttpHeaders headers = tables_->signer.Headers(*credentials, target, body, absl::Now());
  return Send(tables_.get(), {.headers = headers, .body = body});
}

absl::StatusOr<HttpAnswer> Endpoint::Send(Door* door, const client::HttpCall& call) {
  absl::StatusOr<HttpAnswer> answer = door->pool.Send(call);
  if (answer.ok()) return answer;
  return absl::UnavailableError(WhyUnreached(MessageOf(answer.status())));
}

std::string Endpoint::WhyUnreached(std::string_view reason) const {
  return messages::ClientUnreached(url_, reason);
}

}  // namespace dynolith::proxy
