#include "api/remote/request_signer.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "engine/base/strings.h"

namespace dynolith::client {
namespace {

// The standard library's append measures a literal each time.
using namespace std::string_view_literals;

constexpr size_t kHeadersMax = 6;
// Of a value of Authorization beside names: its words, scope and signature.
constexpr size_t kFixedBytes = 200;

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

// The same, made once a second.
const std::string& KeptDateText(absl::Time now) {
  thread_local int64_t kept_second = 0;
  thread_local std::string kept;
  const int64_t second = absl::ToUnixSeconds(now);
  if (kept.empty() || second != kept_second) {
    kept = DateText(now);
    kept_second = second;
  }
  return kept;
}

size_t BytesOf(std::span<const HeaderView> headers) {
  size_t bytes = 0;
  for (const auto& [name, value] : headers) bytes += name.size() + value.size() + 2;
  return bytes;
}

std::string_view NameOf(const HeaderView& header) { return header.name; }
std::string_view NameOf(const std::pair<std::string, std::string>& header) { return header.first; }

bool IsLowerBefore(std::string_view left, std::string_view right) {
  return std::lexicographical_compare(
      left.begin(), left.end(), right.begin(), right.end(), [](char one, char other) {
        return static_cast<uint8_t>(absl::ascii_tolower(static_cast<uint8_t>(one))) <
               static_cast<uint8_t>(absl::ascii_tolower(static_cast<uint8_t>(other)));
      });
}

// By lower-case names; equal ones stay in order. They are few, and std::stable_sort takes memory.
template <typename Headers>
void SortByName(Headers* headers) {
  for (auto it = headers->begin(); it != headers->end(); ++it) {
    const auto place =
        std::upper_bound(headers->begin(), it, *it, [](const auto& left, const auto& right) {
          return IsLowerBefore(NameOf(left), NameOf(right));
        });
    std::rotate(place, it, std::next(it));
  }
}

}  // namespace

HttpHeaders RequestSigner::Headers(const Credentials& credentials, std::string_view target,
                                   std::string_view body, absl::Time now) {
  const std::string& date = KeptDateText(now);
  HttpHeaders headers;
  headers.reserve(kHeadersMax);
  headers.emplace_back("Content-Type", service_.content_type);
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
  const std::string& date = KeptDateText(now);
  headers->emplace_back("Host", authority_);
  headers->emplace_back("X-Amz-Date", date);
  if (!credentials.session_token.empty()) {
    headers->emplace_back("X-Amz-Security-Token", credentials.session_token);
  }
  SortByName(headers);
  AddAuthorization(credentials, body, date, headers);
}

void RequestSigner::AppendSigned(const Credentials& credentials, std::string_view body,
                                 absl::Time now, std::vector<HeaderView>* headers,
                                 std::string* lines) {
  const std::string& date = KeptDateText(now);
  headers->push_back({"Host", authority_});
  headers->push_back({"X-Amz-Date", date});
  if (!credentials.session_token.empty()) {
    headers->push_back({"X-Amz-Security-Token", credentials.session_token});
  }
  SortByName(headers);
  for (const auto& [name, value] : *headers) {
    lines->append(name).append(": "sv).append(value).append("\r\n"sv);
  }
  lines->append("Authorization: "sv);
  AppendAuthorization(credentials, body, date, *headers, lines);
  lines->append("\r\n"sv);
  // The views of local texts end here.
  headers->clear();
}

void RequestSigner::AddAuthorization(const Credentials& credentials, std::string_view body,
                                     std::string_view date, HttpHeaders* headers) {
  std::vector<HeaderView> views;
  views.reserve(headers->size());
  for (const auto& [name, value] : *headers) views.push_back({name, value});
  std::string authorization;
  AppendAuthorization(credentials, body, date, views, &authorization);
  headers->emplace_back("Authorization", std::move(authorization));
}

void RequestSigner::AppendAuthorization(const Credentials& credentials, std::string_view body,
                                        std::string_view date, std::span<const HeaderView> headers,
                                        std::string* value) {
  const std::shared_ptr<const Day> day = DayOf(credentials.secret_key, date.substr(0, 8));
  const size_t header_bytes = BytesOf(headers);
  value->reserve(value->size() + header_bytes + credentials.access_key.size() + kFixedBytes);
  value->append("AWS4-HMAC-SHA256 Credential="sv).append(credentials.access_key).append("/"sv);
  value->append(day->scope).append(", SignedHeaders="sv);
  // "content-type;host", and "content-type:…\nhost:…\n".
  const size_t names_begin = value->size();
  std::string canonical = "POST\n/\n\n";
  canonical.reserve(canonical.size() + 2 * header_bytes + 2 * sizeof(http::Digest) + 2);
  for (const auto& [name, text] : headers) {
    if (value->size() > names_begin) value->push_back(';');
    const size_t begin = value->size();
    value->append(name);
    for (size_t i = begin; i < value->size(); ++i) {
      (*value)[i] = absl::ascii_tolower(static_cast<uint8_t>((*value)[i]));
    }
    canonical.append(*value, begin, std::string::npos);
    canonical.append(":"sv).append(text).append("\n"sv);
  }
  canonical.append("\n"sv).append(*value, names_begin, std::string::npos).append("\n"sv);
  canonical.append(http::Hex(http::Sha256(body)));
  value->append(", Signature="sv);
  value->append(http::Sign(day->key, http::StringToSign(date, day->scope, canonical)));
}

std::shared_ptr<const RequestSigner::Day> RequestSigner::DayOf(const std::string& secret_key,
                                                               std::string_view day) {
  absl::MutexLock lock(&mutex_);
  if (day_ != nullptr && day == day_->day && secret_key == day_->secret_key) return day_;
  Day made = {.day = std::string(day), .secret_key = secret_key};
  made.scope = Concat(day, "/", region_, "/", service_.name, "/aws4_request");
  made.key = http::SigningKey(secret_key, day, region_, service_.name);
  day_ = std::make_shared<const Day>(std::move(made));
  return day_;
}

}  // namespace dynolith::client
