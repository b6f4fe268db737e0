#include "tools/server/otlp/settings.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "api/coding/http_text.h"
#include "engine/base/hex.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/utf8.h"
#include "tools/server/otlp/attributes.h"
#include "tools/server/otlp/fields.h"
#include "tools/server/otlp/messages.h"
#include "tools/server/otlp/protobuf.h"
#include "tools/server/otlp/trace_context.h"

namespace dynolith::otlp {
namespace {

constexpr std::string_view kCollector = "http://localhost:4318";

using Pairs = std::vector<std::pair<std::string, std::string>>;

// The value of a hexadecimal digit; -1: it is none.
int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// What stands behind a '%' without two digits stays as it is.
std::string PercentDecoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '%' && i + 2 < text.size() && DigitOf(text[i + 1]) >= 0 &&
                           DigitOf(text[i + 2]) >= 0;
    if (!is_escape) {
      decoded.push_back(text[i]);
      continue;
    }
    decoded.push_back(static_cast<char>(DigitOf(text[i + 1]) * 16 + DigitOf(text[i + 2])));
    i += 2;
  }
  return decoded;
}

// "a=b,c=d%20e"; nullopt: it has another form.
std::optional<Pairs> ReadPairs(std::string_view text) {
  Pairs pairs;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (http::Trim(part).empty()) continue;
    const size_t equals = part.find('=');
    const std::string_view name = http::Trim(part.substr(0, equals));
    if (equals == std::string_view::npos || name.empty()) return std::nullopt;
    pairs.emplace_back(PercentDecoded(name), PercentDecoded(http::Trim(part.substr(equals + 1))));
  }
  return pairs;
}

bool IsHeaderText(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

class SettingsReader {
 public:
  explicit SettingsReader(const client::Environment& environment) : environment_(environment) {}

  absl::StatusOr<Settings> Read(std::string_view url) {
    DYNOLITH_RETURN_IF_ERROR(ReadUrl(url));
    DYNOLITH_RETURN_IF_ERROR(ReadHeaders());
    DYNOLITH_RETURN_IF_ERROR(ReadWays());
    DYNOLITH_RETURN_IF_ERROR(ReadResource());
    return std::move(settings_);
  }

 private:
  // A variable that is set is followed.
  std::string Variable(const char* name) {
    std::string value = environment_(name);
    if (!value.empty()) settings_.variables.emplace_back(name);
    return value;
  }

  absl::Status ReadUrl(std::string_view url) {
    settings_.url = url;
    if (url.empty()) settings_.url = Variable("OTEL_EXPORTER_OTLP_ENDPOINT");
    if (settings_.url.empty()) settings_.url = kCollector;
    std::string_view whole = settings_.url;
    const auto invalid = [&] {
      return absl::InvalidArgumentError(messages::OtlpNotAnEndpoint(settings_.url));
    };
    if (!http::IsServerUrl(whole) || !IsHeaderText(whole)) return invalid();
    const size_t slash = whole.find('/', whole.find("//") + 2);
    std::optional<http::ServerAddress> address = http::ParseServerUrl(whole.substr(0, slash));
    std::string_view path = slash == std::string_view::npos ? "" : whole.substr(slash);
    if (path.ends_with('/')) path.remove_suffix(1);
    if (!address || path.find_first_of("?# ") != std::string_view::npos) return invalid();
    settings_.address = *std::move(address);
    settings_.path = path;
    return absl::OkStatus();
  }

  absl::Status ReadHeaders() {
    const char* const kName = "OTEL_EXPORTER_OTLP_HEADERS";
    const std::optional<Pairs> headers = ReadPairs(Variable(kName));
    if (!headers) return absl::InvalidArgumentError(messages::OtlpNotPairs(kName));
    for (const auto& [name, value] : *headers) {
      const bool is_name = IsHeaderText(name) && name.find_first_of(" :") == std::string::npos;
      if (!is_name || !IsHeaderText(value)) {
        return absl::InvalidArgumentError(messages::OtlpNotPairs(kName));
      }
      settings_.headers.emplace_back(name, value);
    }
    return absl::OkStatus();
  }

  absl::Status ReadWays() {
    settings_.certificates = Variable("OTEL_EXPORTER_OTLP_CERTIFICATE");
    const std::string compression = Variable("OTEL_EXPORTER_OTLP_COMPRESSION");
    settings_.compresses = compression == "gzip";
    if (!compression.empty() && compression != "gzip" && compression != "none") {
      return absl::InvalidArgumentError(messages::OtlpNotACompression(compression));
    }
    const std::string protocol = Variable("OTEL_EXPORTER_OTLP_PROTOCOL");
    if (!protocol.empty() && protocol != "http/protobuf") {
      return absl::InvalidArgumentError(messages::OtlpNotAProtocol(protocol));
    }
    const std::string timeout = Variable("OTEL_EXPORTER_OTLP_TIMEOUT");
    if (timeout.empty()) return absl::OkStatus();
    int64_t milliseconds = 0;
    const char* const end = timeout.data() + timeout.size();
    constexpr int64_t kMillisecondsMax = 3'600'000;
    const auto read = std::from_chars(timeout.data(), end, milliseconds);
    if (read.ec != std::errc() || read.ptr != end || milliseconds <= 0 ||
        milliseconds > kMillisecondsMax) {
      return absl::InvalidArgumentError(messages::OtlpNotATimeout(timeout, kMillisecondsMax));
    }
    settings_.timeout = absl::Milliseconds(milliseconds);
    return absl::OkStatus();
  }

  absl::Status ReadResource() {
    const char* const kName = "OTEL_RESOURCE_ATTRIBUTES";
    const std::optional<Pairs> given = ReadPairs(Variable(kName));
    if (!given) return absl::InvalidArgumentError(messages::OtlpNotPairs(kName));
    std::map<std::string, std::string> attributes = {{"service.name", "dynolith"},
                                                     {"service.version", DYNOLITH_VERSION},
                                                     {"service.instance.id", Hex(DrawTraceId())}};
    for (const auto& [name, value] : *given) attributes[name] = value;
    const std::string service = Variable("OTEL_SERVICE_NAME");
    if (!service.empty()) attributes["service.name"] = service;
    ProtobufWriter writer(&settings_.resource);
    for (const auto& [name, value] : attributes) {
      AddText(fields::kResourceAttributes, ReplaceNonUtf8(name), ReplaceNonUtf8(value), &writer);
    }
    return absl::OkStatus();
  }

  const client::Environment& environment_;
  Settings settings_;
};

}  // namespace

absl::StatusOr<Settings> FindSettings(std::string_view url,
                                      const client::Environment& environment) {
  return SettingsReader(environment).Read(url);
}

}  // namespace dynolith::otlp
