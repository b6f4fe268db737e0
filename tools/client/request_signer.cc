#include "tools/client/request_signer.h"

#include <utility>

#include "engine/base/strings.h"
#include "tools/client/aws_settings.h"
#include "tools/client/messages.h"
#include "tools/http/request.h"

namespace dynolith::client {
namespace {

constexpr std::string_view kSigningService = "dynamodb";

bool IsThisMachine(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

// "eu-west-1" of "dynamodb.eu-west-1.amazonaws.com"; empty for other hosts.
std::string RegionOfHost(std::string_view host) {
  constexpr std::string_view kBegin = "dynamodb.";
  if (!host.starts_with(kBegin) || host.find(".amazonaws.com") == std::string_view::npos) return "";
  host.remove_prefix(kBegin.size());
  return std::string(host.substr(0, host.find('.')));
}

}  // namespace

absl::StatusOr<CallerIdentity> IdentityFromEnvironment(const http::ServerAddress& address) {
  CallerIdentity identity{ProcessEnvironment("AWS_ACCESS_KEY_ID"),
                          ProcessEnvironment("AWS_SECRET_ACCESS_KEY"),
                          ProcessEnvironment("AWS_SESSION_TOKEN"), RegionOfHost(address.host)};
  for (const char* const name : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    if (identity.region.empty()) identity.region = ProcessEnvironment(name);
  }
  if (IsThisMachine(address.host)) {
    if (identity.access_key.empty()) identity.access_key = "dynolith";
    if (identity.secret_key.empty()) identity.secret_key = "dynolith";
    if (identity.region.empty()) identity.region = "us-east-1";
  }
  const std::pair<const std::string*, const char*> needed[] = {
      {&identity.access_key, "AWS_ACCESS_KEY_ID"},
      {&identity.secret_key, "AWS_SECRET_ACCESS_KEY"},
      {&identity.region, "AWS_REGION"}};
  for (const auto& [value, name] : needed) {
    if (value->empty()) {
      return absl::InvalidArgumentError(
          ToAbsl(messages::ClientEnvironmentLacks(name, address.authority)));
    }
  }
  return identity;
}

RequestSigner::RequestSigner(CallerIdentity identity, std::string authority)
    : identity_(std::move(identity)), authority_(std::move(authority)) {}

HttpHeaders RequestSigner::Headers(std::string_view target, std::string_view body, absl::Time now) {
  const std::string date = absl::FormatTime("%Y%m%dT%H%M%SZ", now, absl::UTCTimeZone());
  if (const std::string day = date.substr(0, 8); day != day_) {
    day_ = day;
    key_ = http::SigningKey(identity_.secret_key, day_, identity_.region, kSigningService);
  }
  HttpHeaders headers = {
      {"Content-Type", "application/x-amz-json-1.0"}, {"Host", authority_}, {"X-Amz-Date", date}};
  if (!identity_.session_token.empty()) {
    headers.emplace_back("X-Amz-Security-Token", identity_.session_token);
  }
  headers.emplace_back("X-Amz-Target", Concat("DynamoDB_20120810.", target));
  http::Request request{.method = http::Method::kPost, .method_text = "POST", .target = "/"};
  std::string names = "content-type;host;x-amz-date";
  if (!identity_.session_token.empty()) names += ";x-amz-security-token";
  names += ";x-amz-target";
  for (const auto& [name, value] : headers) request.headers.push_back({name, value});
  const std::string canonical =
      http::CanonicalRequest(request, names, http::Hex(http::Sha256(body)));
  const std::string scope =
      Concat(day_, "/", identity_.region, "/", kSigningService, "/aws4_request");
  const std::string signature = http::Sign(key_, http::StringToSign(date, scope, canonical));
  headers.emplace_back("Authorization",
                       Concat("AWS4-HMAC-SHA256 Credential=", identity_.access_key, "/", scope,
                              ", SignedHeaders=", names, ", Signature=", signature));
  return headers;
}

}  // namespace dynolith::client
