#include "tools/program/doctor/client_checks.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "api/remote/messages.h"
#include "engine/base/strings.h"
#include "tools/program/doctor/messages.h"

namespace dynolith::doctor {
namespace {

constexpr const char* kEndpoint = "endpoint";
constexpr const char* kCredentials = "credentials";
constexpr const char* kRegion = "region";
constexpr const char* kProxy = "proxy";

// One name for all of this machine's own.
std::string PlainHost(const std::string& host) {
  const std::string lower = std::string(absl::AsciiStrToLower(ToAbsl(host)));
  return lower == "localhost" || lower == "::1" || lower == "0.0.0.0" ? "127.0.0.1" : lower;
}

bool IsSameServer(const http::ServerAddress& one, const http::ServerAddress& other) {
  return one.is_tls == other.is_tls && PlainHost(one.host) == PlainHost(other.host) &&
         one.port == other.port;
}

Finding CheckEndpoint(const client::AwsSettings& settings, const std::string& url,
                      const http::ServerAddress& address) {
  const client::Setting& endpoint = settings.endpoint;
  if (endpoint.value.empty()) {
    return {Severity::kNote, kEndpoint, messages::NoEndpoint(), messages::SetEndpoint(url)};
  }
  if (!settings.ignores_endpoints.value.empty()) {
    return {Severity::kWrong, kEndpoint,
            messages::EndpointIgnored(endpoint.place, settings.ignores_endpoints.place),
            messages::TakeAway(settings.ignores_endpoints.place)};
  }
  const std::optional<http::ServerAddress> named =
      http::IsServerUrl(endpoint.value) ? http::ParseServerUrl(endpoint.value) : std::nullopt;
  if (!named) {
    return {Severity::kWrong, kEndpoint, messages::EndpointNoUrl(endpoint.place, endpoint.value),
            messages::SetEndpoint(url)};
  }
  if (!IsSameServer(*named, address)) {
    return {Severity::kWrong, kEndpoint,
            messages::EndpointElsewhere(endpoint.place, endpoint.value, url),
            messages::EndpointElsewhereRemedy(url, endpoint.value)};
  }
  return {Severity::kFine, kEndpoint, messages::EndpointFine(endpoint.place, endpoint.value), ""};
}

Finding CheckCredentials(const client::AwsSettings& settings) {
  if (settings.is_profile_named && !settings.is_profile_there) {
    return {
        Severity::kWrong, kCredentials,
        messages::ProfileMissing(settings.profile, settings.config_file, settings.credentials_file),
        messages::ProfileMissingRemedy()};
  }
  const bool has_access = !settings.access_key.value.empty();
  const bool has_secret = !settings.secret_key.value.empty();
  if (has_access && has_secret) {
    return {Severity::kFine, kCredentials, messages::CredentialsFine(settings.access_key.place),
            ""};
  }
  if (has_access || has_secret) {
    const client::Setting& there = has_access ? settings.access_key : settings.secret_key;
    return {Severity::kWrong, kCredentials, messages::CredentialsHalf(there.place, has_access),
            messages::SetCredentials()};
  }
  for (const client::Setting* const other :
       {&settings.federation, &settings.credential_process, &settings.container}) {
    if (other->value.empty()) continue;
    return {Severity::kNote, kCredentials, messages::CredentialsElsewhere(other->place),
            messages::SetCredentials()};
  }
  return {Severity::kWrong, kCredentials, messages::CredentialsMissing(),
          messages::SetCredentials()};
}

Finding CheckRegion(const client::AwsSettings& settings, const client::Environment& environment) {
  if (settings.region.value.empty()) {
    return {Severity::kWrong, kRegion, messages::RegionMissing(), messages::SetRegion()};
  }
  const std::string other = environment("AWS_DEFAULT_REGION");
  if (settings.region.place == "AWS_REGION" && other.empty()) {
    return {Severity::kNote, kRegion, messages::RegionNotForAll(settings.region.value),
            messages::SetDefaultRegion(settings.region.value)};
  }
  if (settings.region.place == "AWS_REGION" && other != settings.region.value) {
    return {Severity::kNote, kRegion, messages::RegionsDiffer(settings.region.value, other),
            messages::SetDefaultRegion(settings.region.value)};
  }
  return {Severity::kFine, kRegion,
          messages::RegionFine(settings.region.value, settings.region.place), ""};
}

// Most programs take the names as they stand, with all that ends so; none resolves them.
bool IsWithoutProxy(std::string_view list, const http::ServerAddress& address) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    std::string name(absl::StripAsciiWhitespace(ToAbsl(list.substr(0, comma))));
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (name == "*") return true;
    if (name == Concat(address.host, ":", address.port)) return true;
    if (name.starts_with('.')) name.erase(0, 1);
    if (name.empty()) continue;
    if (address.host == name || address.host.ends_with(Concat(".", name))) return true;
  }
  return false;
}

client::Setting FirstVariable(const client::Environment& environment,
                              std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (std::string value = environment(name); !value.empty()) return {std::move(value), name};
  }
  return {};
}

Finding CheckProxy(const client::Environment& environment, const http::ServerAddress& address) {
  const client::Setting proxy =
      address.is_tls
          ? FirstVariable(environment, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
          : FirstVariable(environment, {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"});
  if (proxy.value.empty()) return {Severity::kFine, kProxy, messages::ProxyNone(), ""};
  const client::Setting without = FirstVariable(environment, {"no_proxy", "NO_PROXY"});
  if (IsWithoutProxy(without.value, address)) {
    return {Severity::kFine, kProxy,
            messages::ProxyAvoided(proxy.place, without.place, address.host), ""};
  }
  return {Severity::kWrong, kProxy,
          messages::ProxyInBetween(proxy.place, proxy.value, address.host),
          messages::SetNoProxy(address.host, without.value)};
}

}  // namespace

void CheckClients(const client::Environment& environment, const std::string& url,
                  const http::ServerAddress& address, Findings* findings) {
  const client::AwsSettings settings = client::ReadAwsSettings(environment);
  findings->push_back(CheckEndpoint(settings, url, address));
  findings->push_back(CheckCredentials(settings));
  findings->push_back(CheckRegion(settings, environment));
  findings->push_back(CheckProxy(environment, address));
}

}  // namespace dynolith::doctor
