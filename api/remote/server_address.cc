#include "api/remote/server_address.h"

namespace dynolith::http {
namespace {

constexpr std::string_view kPlainScheme = "http://";
constexpr std::string_view kTlsScheme = "https://";

}  // namespace

bool IsServerUrl(std::string_view text) {
  return text.starts_with(kPlainScheme) || text.starts_with(kTlsScheme);
}

std::optional<ServerAddress> ParseServerUrl(std::string_view url) {
  ServerAddress address{.is_tls = url.starts_with(kTlsScheme)};
  url.remove_prefix(address.is_tls ? kTlsScheme.size() : kPlainScheme.size());
  if (url.ends_with('/')) url.remove_suffix(1);
  if (url.empty() || url.find_first_of("/?#@ ") != std::string_view::npos) return std::nullopt;
  address.authority = url;
  const size_t bracket = url.find(']');
  const size_t colon = url.find(':', bracket == std::string_view::npos ? 0 : bracket);
  address.host = url.substr(0, colon);
  address.port = address.is_tls ? "443" : "80";
  if (colon != std::string_view::npos) address.port = url.substr(colon + 1);
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  if (address.host.empty() || address.port.empty()) return std::nullopt;
  return address;
}

std::optional<ServerAddress> StreamsAddress(ServerAddress tables) {
  if (!tables.host.starts_with("dynamodb.") ||
      tables.host.find(".amazonaws.com") == std::string::npos) {
    return std::nullopt;
  }
  tables.host.insert(0, "streams.");
  tables.authority.insert(0, "streams.");
  return tables;
}

bool IsStreamsTarget(std::string_view target) { return target.starts_with("DynamoDBStreams_"); }

}  // namespace dynolith::http
