#include "api/remote/request_signer.h"

#include "absl/strings/ascii.h"
#include "engine/base/strings.h"

namespace dynolith::client {
namespace {

constexpr std::string_view kSigningService = "dynamodb";

}  // namespace

HttpHeaders RequestSigner::Headers(const Credentials& credentials, std::string_view target,
                                   std::string_view body, absl::Time now) {
  const std::string date = absl::FormatTime("%Y%m%dT%H%M%SZ", now, absl::UTCTimeZone());
  const std::string_view day = std::string_view(date).substr(0, 8);
  HttpHeaders headers = {
      {"Content-Type", "application/x-amz-json-1.0"}, {"Host", authority_}, {"X-Amz-Date", date}};
  if (!credentials.session_token.empty()) {
    headers.emplace_back("X-Amz-Security-Token", credentials.session_token);
  }
  headers.emplace_back("X-Amz-Target", target);
  // Already in the order of their names, and nothing else needs another form.
  std::string names;
  std::string canonical = "POST\n/\n\n";
  for (const auto& [name, value] : headers) {
    const std::string lowered = absl::AsciiStrToLower(name);
    names += Concat(names.empty() ? "" : ";", lowered);
    canonical += Concat(lowered, ":", value, "\n");
  }
  canonical += Concat("\n", names, "\n", http::Hex(http::Sha256(body)));
  const std::string scope = Concat(day, "/", region_, "/", kSigningService, "/aws4_request");
  const std::string signature =
      http::Sign(DayKey(credentials.secret_key, day), http::StringToSign(date, scope, canonical));
  headers.emplace_back("Authorization",
                       Concat("AWS4-HMAC-SHA256 Credential=", credentials.access_key, "/", scope,
                              ", SignedHeaders=", names, ", Signature=", signature));
  return headers;
}

http::Digest RequestSigner::DayKey(const std::string& secret_key, std::string_view day) {
  absl::MutexLock lock(&mutex_);
  if (day != day_ || secret_key != secret_key_) {
    day_ = day;
    secret_key_ = secret_key;
    key_ = http::SigningKey(secret_key_, day_, region_, kSigningService);
  }
  return key_;
}

}  // namespace dynolith::client
