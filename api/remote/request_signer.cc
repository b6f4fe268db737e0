#include "api/remote/request_signer.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "engine/base/strings.h"

namespace dynolith::client {
namespace {

constexpr std::string_view kSigningService = "dynamodb";
constexpr size_t kHeadersMax = 6;

// Signing is most of what a call costs beside the exchange itself, so these texts are made with few
// allocations, and without absl::FormatTime.
void AppendTwoDigits(int number, std::string* text) {
  text->push_back(static_cast<char>('0' + number / 10));
  text->push_back(static_cast<char>('0' + number % 10));
}

// "20261001T120000Z".
std::string DateText(absl::Time now) {
  const absl::CivilSecond second = absl::ToCivilSecond(now, absl::UTCTimeZone());
  std::string text;
  text.reserve(sizeof "20261001T120000Z");
  AppendTwoDigits(static_cast<int>(second.year() / 100), &text);
  AppendTwoDigits(static_cast<int>(second.year() % 100), &text);
  AppendTwoDigits(second.month(), &text);
  AppendTwoDigits(second.day(), &text);
  text.push_back('T');
  AppendTwoDigits(second.hour(), &text);
  AppendTwoDigits(second.minute(), &text);
  AppendTwoDigits(second.second(), &text);
  text.push_back('Z');
  return text;
}

// "content-type;host" and "content-type:…\nhost:…\n".
void AppendCanonicalHeaders(const HttpHeaders& headers, std::string* names, std::string* lines) {
  for (const auto& [name, value] : headers) {
    if (!names->empty()) names->push_back(';');
    const size_t begin = names->size();
    for (const char c : name) names->push_back(absl::ascii_tolower(static_cast<uint8_t>(c)));
    lines->append(*names, begin, std::string::npos);
    lines->push_back(':');
    lines->append(value);
    lines->push_back('\n');
  }
}

size_t BytesOf(const HttpHeaders& headers) {
  size_t bytes = 0;
  for (const auto& [name, value] : headers) bytes += name.size() + value.size() + 2;
  return bytes;
}

}  // namespace

HttpHeaders RequestSigner::Headers(const Credentials& credentials, std::string_view target,
                                   std::string_view body, absl::Time now) {
  const std::string date = DateText(now);
  HttpHeaders headers;
  headers.reserve(kHeadersMax);
  headers.emplace_back("Content-Type", "application/x-amz-json-1.0");
  headers.emplace_back("Host", authority_);
  headers.emplace_back("X-Amz-Date", date);
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
  const size_t header_bytes = BytesOf(*headers);
  std::string names;
  names.reserve(header_bytes);
  std::string canonical = "POST\n/\n\n";
  canonical.reserve(canonical.size() + 2 * header_bytes + 2 * sizeof(http::Digest) + 2);
  AppendCanonicalHeaders(*headers, &names, &canonical);
  canonical.append("\n").append(names).append("\n").append(http::Hex(http::Sha256(body)));
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
