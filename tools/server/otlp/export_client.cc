#include "tools/server/otlp/export_client.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "api/coding/compression.h"
#include "api/coding/http_text.h"
#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "engine/text/utf8.h"
#include "tools/server/otlp/fields.h"
#include "tools/server/otlp/messages.h"
#include "tools/server/otlp/protobuf.h"

namespace dynolith::otlp {
namespace {

constexpr std::string_view kProtobuf = "application/x-protobuf";
constexpr char kHttpDateFormat[] = "%a, %d %b %Y %H:%M:%S GMT";
// A receiver's words are cut off behind these.
constexpr size_t kReasonBytesMax = 500;
constexpr int kHttpOk = 200;

std::string_view HeaderOf(const client::HttpAnswer& answer, std::string_view name) {
  for (const auto& [each, value] : answer.headers) {
    if (http::EqualsIgnoreCase(each, name)) return http::Trim(value);
  }
  return "";
}

// Seconds, or a time; before all times: neither.
absl::Duration RetryAfter(std::string_view text, absl::Time now) {
  int64_t seconds = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seconds);
  if (!text.empty() && read.ec == std::errc() && read.ptr == end && seconds >= 0) {
    return absl::Seconds(seconds);
  }
  absl::Time time;
  if (absl::ParseTime(kHttpDateFormat, std::string(text), absl::UTCTimeZone(), &time, nullptr)) {
    return std::max(time - now, absl::ZeroDuration());
  }
  return -absl::InfiniteDuration();
}

std::string Words(std::string_view text) { return ReplaceNonUtf8(text.substr(0, kReasonBytesMax)); }

// The message of google.rpc.Status, or a text of something that is no receiver of OTLP.
std::string MessageIn(const client::HttpAnswer& answer) {
  if (!HeaderOf(answer, "content-type").starts_with(kProtobuf)) return Words(answer.body);
  ProtobufReader reader(answer.body);
  while (reader.Next()) {
    if (reader.field() == fields::kRpcMessage) return Words(reader.bytes());
  }
  return "";
}

// ExportTraceServiceResponse and ExportMetricsServiceResponse have the same fields.
void ReadPartialSuccess(std::string_view body, ExportResult* result) {
  ProtobufReader response(body);
  while (response.Next()) {
    if (response.field() != fields::kPartialSuccess) continue;
    ProtobufReader partial(response.bytes());
    while (partial.Next()) {
      if (partial.field() == fields::kRejected) result->rejected = partial.varint();
      if (partial.field() == fields::kErrorMessage) result->reason = Words(partial.bytes());
    }
  }
}

client::HttpTimeouts TimeoutsOf(absl::Duration timeout) {
  const auto seconds = std::chrono::seconds(
      std::max<int64_t>(1, absl::ToInt64Seconds(absl::Ceil(timeout, absl::Seconds(1)))));
  return {.connect = std::min(client::HttpTimeouts().connect, seconds), .answer = seconds};
}

}  // namespace

ExportResult ResultOf(const client::HttpAnswer& answer, absl::Time now) {
  ExportResult result;
  if (answer.status / 100 == kHttpOk / 100) {
    if (HeaderOf(answer, "content-type").starts_with(kProtobuf)) {
      ReadPartialSuccess(answer.body, &result);
    }
    return result;
  }
  result.reason = messages::OtlpAnswered(answer.status, MessageIn(answer));
  switch (answer.status) {
    case 429:
    case 502:
    case 503:
    case 504:
      result.kind = ExportResult::Kind::kLater;
      result.retry_after = RetryAfter(HeaderOf(answer, "retry-after"), now);
      break;
    default:
      result.kind = ExportResult::Kind::kRefused;
  }
  return result;
}

ExportClient::ExportClient(const Settings* settings, const client::TlsTrust* trust,
                           const std::atomic<bool>* interrupted)
    : settings_(*settings),
      interrupted_(interrupted),
      headers_({{"Host", settings_.address.authority},
                {"Content-Type", std::string(kProtobuf)},
                {"User-Agent", "OTel-OTLP-Exporter-Dynolith"}}),
      connection_(
          client::HttpConnection::Make(settings_.address, trust, TimeoutsOf(settings_.timeout))) {
  if (settings_.compresses) headers_.emplace_back("Content-Encoding", "gzip");
  headers_.insert(headers_.end(), settings_.headers.begin(), settings_.headers.end());
}

ExportResult ExportClient::Export(std::string_view path, std::string_view request) {
  std::string compressed;
  if (settings_.compresses) http::Compress(http::Coding::kGzip, request, &compressed);
  const std::string target = Concat(settings_.path, path);
  const absl::StatusOr<client::HttpAnswer> answer =
      connection_->Send({.target = target,
                         .headers = headers_,
                         .body = settings_.compresses ? compressed : request,
                         .keeps_headers = true,
                         .interrupted = interrupted_});
  if (!answer.ok()) {
    return {.kind = ExportResult::Kind::kLater, .reason = std::string(MessageOf(answer.status()))};
  }
  return ResultOf(*answer, SystemClock().Now());
}

}  // namespace dynolith::otlp
