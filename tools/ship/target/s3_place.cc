#include "tools/ship/target/s3_place.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/ship/target/messages.h"
#include "tools/ship/target/object_name.h"

namespace dynolith::ship {
namespace {

constexpr size_t kPrefixBytesMax = 100;

// "Bucket naming rules" of the Amazon S3 User Guide, as far as they matter to URLs and hosts.
bool IsBucket(std::string_view name) {
  const auto is_plain = [](char c) {
    return absl::ascii_islower(static_cast<unsigned char>(c)) ||
           absl::ascii_isdigit(static_cast<unsigned char>(c));
  };
  return name.size() >= 3 && name.size() <= 63 && is_plain(name.front()) && is_plain(name.back()) &&
         name.find("..") == std::string_view::npos &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_plain(c) || c == '-' || c == '.'; });
}

bool IsAws(std::string_view host) {
  return host.ends_with(".amazonaws.com") || host.ends_with(".amazonaws.com.cn");
}

// "eu-west-1" of "s3.eu-west-1.amazonaws.com"; empty for other hosts.
std::string RegionOfHost(std::string_view host) {
  constexpr std::string_view kBegin = "s3.";
  if (!host.starts_with(kBegin) || !IsAws(host)) return "";
  host.remove_prefix(kBegin.size());
  const std::string_view region = host.substr(0, host.find('.'));
  return region == "amazonaws" ? "us-east-1" : std::string(region);
}

http::ServerAddress AddressOf(std::string_view host) {
  return {.is_tls = true, .host = std::string(host), .port = "443", .authority = std::string(host)};
}

}  // namespace

absl::StatusOr<S3Url> ParseS3Url(std::string_view url) {
  std::string_view rest = url.substr(kS3Scheme.size());
  const size_t end = rest.find('/');
  S3Url parsed{.bucket = std::string(rest.substr(0, end)), .prefix = {}};
  if (!IsBucket(parsed.bucket)) {
    return absl::InvalidArgumentError(messages::ShipBucketInvalid(url, parsed.bucket));
  }
  std::string_view prefix = end == std::string_view::npos ? "" : rest.substr(end + 1);
  if (prefix.size() > 1 && prefix.ends_with('/')) prefix.remove_suffix(1);
  if (prefix.empty()) return parsed;
  DYNOLITH_RETURN_IF_ERROR(CheckName(prefix));
  if (prefix.size() > kPrefixBytesMax) {
    return absl::InvalidArgumentError(messages::ShipPrefixTooLong(prefix, kPrefixBytesMax));
  }
  parsed.prefix = Concat(prefix, "/");
  return parsed;
}

absl::StatusOr<S3Place> FindS3Place(const S3Url& url, const TargetOptions& options,
                                    const client::Environment& environment) {
  const client::AwsSettings settings = client::ReadAwsSettings(environment);
  S3Place place;
  place.certificates_file = environment("AWS_CA_BUNDLE");
  client::IdentityOptions identity{.environment = environment, .region = options.region};
  std::string endpoint = options.endpoint;
  if (endpoint.empty() && settings.ignores_endpoints.value.empty()) {
    endpoint = settings.s3_endpoint.value;
  }
  if (!endpoint.empty()) {
    const std::optional<http::ServerAddress> address =
        http::IsServerUrl(endpoint) ? http::ParseServerUrl(endpoint) : std::nullopt;
    if (!address) return absl::InvalidArgumentError(messages::ShipEndpointOdd(endpoint));
    place.address = *address;
    place.is_path_style = true;
    if (identity.region.empty()) identity.region = RegionOfHost(address->host);
    if (identity.region.empty()) identity.region = settings.region.value;
    if (identity.region.empty() && !IsAws(address->host)) identity.region = "us-east-1";
    DYNOLITH_ASSIGN_OR_RETURN(place.identity, client::CallerIdentity::Find(*address, identity));
    return place;
  }
  DYNOLITH_ASSIGN_OR_RETURN(place.identity,
                            client::CallerIdentity::Find(AddressOf("s3.amazonaws.com"), identity));
  const std::string& region = place.identity->region();
  const std::string host =
      Concat("s3.", region, ".amazonaws.com", region.starts_with("cn-") ? ".cn" : "");
  place.is_path_style = url.bucket.find('.') != std::string::npos;
  place.address = AddressOf(place.is_path_style ? host : Concat(url.bucket, ".", host));
  return place;
}

}  // namespace dynolith::ship
