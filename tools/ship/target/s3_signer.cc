#include "tools/ship/target/s3_signer.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "api/remote/signature.h"
#include "engine/base/strings.h"

namespace dynolith::ship {
namespace {

bool IsUnreserved(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

// Sorted by the encoded names, as the signature wants it.
std::string QueryText(const S3Query& query) {
  std::vector<std::string> parts;
  parts.reserve(query.size());
  for (const auto& [name, value] : query) {
    parts.push_back(Concat(UrlEncoded(name), "=", UrlEncoded(value)));
  }
  std::sort(parts.begin(), parts.end());
  std::string text;
  for (const std::string& part : parts) text += Concat(text.empty() ? "" : "&", part);
  return text;
}

}  // namespace

std::string UrlEncoded(std::string_view text, bool keeps_slash) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (IsUnreserved(c) || (keeps_slash && c == '/')) {
      encoded += c;
    } else {
      const auto byte = static_cast<uint8_t>(c);
      encoded.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
    }
  }
  return encoded;
}

std::string UrlDecoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_byte = text[i] == '%' && i + 2 < text.size() &&
                         absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 1])) &&
                         absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 2]));
    if (is_byte) {
      decoded += absl::HexStringToBytes(ToAbsl(text.substr(i + 1, 2)));
      i += 2;
    } else {
      decoded += text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

std::string S3RequestTarget(const S3Request& request) {
  const std::string query = QueryText(request.query);
  return Concat(UrlEncoded(request.path, /*keeps_slash=*/true), query.empty() ? "" : "?", query);
}

client::HttpHeaders SignS3(const S3Request& request, const client::Credentials& credentials,
                           std::string_view region, std::string_view host, absl::Time now) {
  const std::string date = absl::FormatTime("%Y%m%dT%H%M%SZ", now, absl::UTCTimeZone());
  const std::string day = date.substr(0, 8);
  const std::string body_hash = http::Hex(http::Sha256(request.body));
  client::HttpHeaders headers = request.headers;
  headers.emplace_back("Host", host);
  headers.emplace_back("x-amz-content-sha256", body_hash);
  headers.emplace_back("x-amz-date", date);
  if (!credentials.session_token.empty()) {
    headers.emplace_back("x-amz-security-token", credentials.session_token);
  }
  client::HttpHeaders lower = headers;
  for (auto& [name, value] : lower) absl::AsciiStrToLower(&name);
  std::sort(lower.begin(), lower.end());
  std::string lines;
  std::string names;
  for (const auto& [name, value] : lower) {
    lines += Concat(name, ":", value, "\n");
    names += Concat(names.empty() ? "" : ";", name);
  }
  const std::string canonical =
      Concat(request.method, "\n", UrlEncoded(request.path, /*keeps_slash=*/true), "\n",
             QueryText(request.query), "\n", lines, "\n", names, "\n", body_hash);
  const std::string scope = Concat(day, "/", region, "/s3/aws4_request");
  const http::Digest key = http::SigningKey(credentials.secret_key, day, region, "s3");
  headers.emplace_back(
      "Authorization",
      Concat("AWS4-HMAC-SHA256 Credential=", credentials.access_key, "/", scope, ", SignedHeaders=",
             names, ", Signature=", http::Sign(key, http::StringToSign(date, scope, canonical))));
  return headers;
}

}  // namespace dynolith::ship
