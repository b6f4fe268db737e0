#include "api/remote/caller_identity.h"

#include <string_view>
#include <utility>

#include "api/remote/credential_process.h"
#include "api/remote/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith::client {
namespace {

constexpr const char* kOwnName = "dynolith";

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

CredentialsFetch Always(Credentials credentials) {
  return [credentials = std::move(credentials)] { return credentials; };
}

Credentials FindKeys(const AwsSettings& settings) {
  return {.access_key = settings.access_key.value,
          .secret_key = settings.secret_key.value,
          .session_token = settings.session_token.value};
}

CredentialsFetch LocalKeys(const AwsSettings& settings) {
  Credentials keys = FindKeys(settings);
  if (keys.access_key.empty()) keys.access_key = kOwnName;
  if (keys.secret_key.empty()) keys.secret_key = kOwnName;
  return Always(std::move(keys));
}

// The first place that has credentials, or should.
absl::StatusOr<CredentialsFetch> FindPlace(const AwsSettings& settings,
                                           const IdentityOptions& options,
                                           const std::string& server) {
  const bool has_access = !settings.access_key.value.empty();
  const bool has_secret = !settings.secret_key.value.empty();
  if (has_access && has_secret) return Always(FindKeys(settings));
  if (has_access || has_secret) {
    const Setting& there = has_access ? settings.access_key : settings.secret_key;
    return absl::InvalidArgumentError(messages::CredentialsHalf(there.place, has_access));
  }
  if (settings.is_profile_named && !settings.is_profile_there) {
    return absl::InvalidArgumentError(messages::ProfileMissing(
        settings.profile, settings.config_file, settings.credentials_file));
  }
  if (const Setting& federation = settings.federation; !federation.value.empty()) {
    return absl::InvalidArgumentError(
        messages::CredentialsNotFollowed(federation.place, federation.value, settings.profile));
  }
  if (const std::string& command = settings.credential_process.value; !command.empty()) {
    return CredentialsFetch([command] { return FetchFromProcess(command); });
  }
  if (!settings.container.value.empty()) {
    const std::string url = Concat(settings.is_container_url ? "" : options.container_endpoint,
                                   settings.container.value);
    return CredentialsFetch(
        [url, environment = options.environment] { return FetchFromContainer(url, environment); });
  }
  if (settings.is_instance_disabled) {
    return absl::InvalidArgumentError(
        messages::CredentialsNowhere(server, "AWS_EC2_METADATA_DISABLED"));
  }
  return CredentialsFetch([url = settings.instance_url, server]() -> absl::StatusOr<Credentials> {
    absl::StatusOr<Credentials> fetched = FetchFromInstance(url);
    if (fetched.ok()) return fetched;
    return absl::UnavailableError(
        messages::CredentialsNowhere(server, MessageOf(fetched.status())));
  });
}

absl::StatusOr<std::string> FindRegion(const AwsSettings& settings, const IdentityOptions& options,
                                       const http::ServerAddress& server) {
  if (!options.region.empty()) return options.region;
  if (std::string region = RegionOfHost(server.host); !region.empty()) return region;
  if (!settings.region.value.empty()) return settings.region.value;
  if (IsThisMachine(server.host)) return "us-east-1";
  if (!settings.is_instance_disabled) {
    absl::StatusOr<std::string> region = FetchRegionFromInstance(settings.instance_url);
    if (region.ok() && !region->empty()) return region;
  }
  return absl::InvalidArgumentError(messages::RegionNowhere(server.authority));
}

}  // namespace

absl::StatusOr<std::shared_ptr<CallerIdentity>> CallerIdentity::Find(
    const http::ServerAddress& server, const IdentityOptions& options) {
  const AwsSettings settings = ReadAwsSettings(options.environment);
  CredentialsFetch fetch;
  if (IsThisMachine(server.host)) {
    fetch = LocalKeys(settings);
  } else {
    DYNOLITH_ASSIGN_OR_RETURN(fetch, FindPlace(settings, options, server.authority));
  }
  DYNOLITH_ASSIGN_OR_RETURN(std::string region, FindRegion(settings, options, server));
  std::shared_ptr<CallerIdentity> identity(
      new CallerIdentity(std::move(region), std::move(fetch), options.clock));
  DYNOLITH_RETURN_IF_ERROR(identity->Get().status());
  return identity;
}

std::shared_ptr<CallerIdentity> CallerIdentity::Fixed(Credentials credentials, std::string region) {
  return std::shared_ptr<CallerIdentity>(
      new CallerIdentity(std::move(region), Always(std::move(credentials)), &SystemClock()));
}

}  // namespace dynolith::client
