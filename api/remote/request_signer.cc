#include "api/remote/request_signer.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "engine/base/strings.h"

namespace dynolith::client {
namespace {

constexpr std::string_view kSigningService = "dynamodb";

std::string DateText(absl::Time now) {
  return absl::FormatTime("%Y%m%dT%H%M%SZ", now, absl::UTCTimeZone());
}

}  // namespace

HttpHeaders RequestSigner::Headers(const Credentials& credentials, std::string_view target,
                                   std::string_view body, absl::Time now) {
  const std::string date = DateText(now);
  HttpHeaders headers = {
      {"Content-Type", "application/x-amz-json-1.0"}, {"Host", authority_}, {"X-Amz-Date", date}};
  if (!credentials.session_token.empty()) {
    headers.emplace_back("X-Amz-Security-Token", credentials.session_token);
  }
  headers.emplace_back("X-Amz-Target", target);
  AddAuthorization(credentials, body, date, &headers);
  return headers;
}

void RequestSigner::SignAll(const Credentials& credentials, std::string_view body, absl::Time now,
                            HttpHeaders* headers) {
  const std::string date = DateText(now);
  headers->emplace_back("Host", authority_);
  headers->emplace_back("X-Amz-Date", date);
  if (!credentials.session_token.empty()) {
    headers->emplace_back("X-Amz-Security-Token", credentials.session_token);
  }
  std::stable_sort(headers->begin(), headers->end(), [](const auto& left, const auto& right) {
    return absl::AsciiStrToLower(left.first) < absl::AsciiStrToLower(right.first);
  });
  AddAuthorization(credentials, body, date, headers);
}

void RequestSigner::AddAuthorization(const Credentials& credentials, std::string_view body,
                                     std::string_view date, HttpHeaders* headers) {
  const std::string_view day = date.substr(0, 8);
  std::string names;
  std::string canonical = "POST\n/\n\n";
  for (const auto& [name, value] : *headers) {
    const std::string lowered = absl::AsciiStrToLower(name);
    names += Concat(names.empty() ? "" : ";", lowered);
    canonical += Concat(lowered, ":", value, "\n");
  }
  canonical += Concat("\n", names, "\n", http::Hex(http::Sha256(body)));
  const std::string scope = Concat(day, "/", region_, "/", kSigningService, "/aws4_request");
  const std::string signature =
      http::Sign(DayKey(credentials.secret_key, day), http::StringToSign(date, scope, canonical));
  headers->emplace_back("Authorization",
                        Concat("AWS4-HMAC-SHA256 Credential=", credentials.access_key, "/", scope,
                               ", SignedHeaders=", names, ", Signature=", signature));
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
