#include "api/remote/credential_endpoints.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "api/remote/http_connection.h"
#include "api/remote/messages.h"
#include "api/remote/server_address.h"
#include "engine/base/errno_status.h"
#include "engine/base/errors.h"
#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith::client {
namespace {

constexpr int kFound = 200;
constexpr int kServerErrors = 500;
constexpr int kContainerAttempts = 3;
constexpr HttpTimeouts kContainerTimeouts{.connect = std::chrono::seconds(2),
                                          .answer = std::chrono::seconds(2)};
constexpr HttpTimeouts kInstanceTimeouts{.connect = std::chrono::seconds(1),
                                         .answer = std::chrono::seconds(1)};
constexpr const char* kRolesPath = "/latest/meta-data/iam/security-credentials/";

struct CredentialUrl {
  http::ServerAddress address;
  std::string path;
};

std::optional<CredentialUrl> ParseCredentialUrl(std::string_view url) {
  if (!http::IsServerUrl(url)) return std::nullopt;
  const size_t slash = url.find('/', url.find("//") + 2);
  std::optional<http::ServerAddress> address = http::ParseServerUrl(url.substr(0, slash));
  if (!address) return std::nullopt;
  return CredentialUrl{*std::move(address),
                       slash == std::string_view::npos ? "/" : std::string(url.substr(slash))};
}

// Whether credentials may come from that host without TLS: only if they do not cross a network.
bool MayBePlain(std::string_view host) {
  constexpr std::string_view kHosts[] = {"localhost", "::1", "169.254.170.2", "169.254.170.23",
                                         "fd00:ec2::23"};
  return host.starts_with("127.") ||
         std::find(std::begin(kHosts), std::end(kHosts), host) != std::end(kHosts);
}

absl::StatusOr<std::string> ContainerToken(const Environment& environment) {
  std::string token = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  const std::string file = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  if (!file.empty()) {
    FileText read = ReadFileText(file);
    if (read.error != 0) {
      return absl::UnavailableError(messages::TokenFileUnread(file, ErrnoReason(read.error)));
    }
    token = std::move(read.text);
    absl::StripTrailingAsciiWhitespace(&token);
  }
  const bool is_one_line = std::none_of(
      token.begin(), token.end(), [](unsigned char letter) { return absl::ascii_iscntrl(letter); });
  if (!is_one_line) return absl::UnavailableError(messages::TokenHasLines());
  return token;
}

absl::StatusOr<std::string> CheckedBody(const absl::StatusOr<HttpAnswer>& answer,
                                        const std::string& url) {
  if (!answer.ok()) {
    return absl::UnavailableError(messages::ClientUnreached(url, MessageOf(answer.status())));
  }
  if (answer->status != kFound) {
    return absl::UnavailableError(messages::EndpointStatus(url, answer->status));
  }
  return answer->body;
}

absl::StatusOr<Credentials> ReadCredentials(std::string_view body, const std::string& url) {
  absl::StatusOr<Credentials> credentials = ParseCredentials(body);
  if (credentials.ok()) return credentials;
  return absl::UnavailableError(
      messages::CredentialsUnusable(url, MessageOf(credentials.status())));
}

// A session with the endpoint of an instance. Not thread-safe.
class Instance {
 public:
  static absl::StatusOr<Instance> Begin(const std::string& url) {
    const std::optional<CredentialUrl> parsed = ParseCredentialUrl(url);
    if (!parsed) return absl::UnavailableError(messages::ClientNotAServer(url));
    std::unique_ptr<TlsTrust> trust;
    if (parsed->address.is_tls) {
      DYNOLITH_ASSIGN_OR_RETURN(trust, TlsTrust::Load(""));
    }
    Instance instance(url, parsed->address, std::move(trust));
    DYNOLITH_ASSIGN_OR_RETURN(std::string token,
                              instance.Ask("PUT", "/latest/api/token",
                                           {"X-aws-ec2-metadata-token-ttl-seconds", "21600"}));
    instance.token_ = std::move(token);
    return instance;
  }

  absl::StatusOr<std::string> Get(const std::string& path) {
    return Ask("GET", path, {"X-aws-ec2-metadata-token", token_});
  }

 private:
  Instance(const std::string& url, const http::ServerAddress& address,
           std::unique_ptr<TlsTrust> trust)
      : url_(url),
        authority_(address.authority),
        trust_(std::move(trust)),
        http_(HttpConnection::Make(address, trust_.get(), kInstanceTimeouts)) {}

  absl::StatusOr<std::string> Ask(std::string_view method, const std::string& path,
                                  const HttpHeaders::value_type& header) {
    const HttpHeaders headers = {{"Host", authority_}, header};
    return CheckedBody(
        http_->Send({.method = method, .target = path, .headers = headers, .body = ""}),
        url_ + path);
  }

  std::string url_;
  std::string authority_;
  std::unique_ptr<TlsTrust> trust_;
  std::unique_ptr<HttpConnection> http_;
  std::string token_;
};

}  // namespace

absl::StatusOr<Credentials> FetchFromContainer(const std::string& url,
                                               const Environment& environment) {
  const std::optional<CredentialUrl> parsed = ParseCredentialUrl(url);
  if (!parsed) return absl::UnavailableError(messages::ClientNotAServer(url));
  if (!parsed->address.is_tls && !MayBePlain(parsed->address.host)) {
    return absl::UnavailableError(messages::ContainerHostRefused(url));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::string token, ContainerToken(environment));
  HttpHeaders headers = {{"Host", parsed->address.authority}, {"Accept", "application/json"}};
  if (!token.empty()) headers.emplace_back("Authorization", token);
  std::unique_ptr<TlsTrust> trust;
  if (parsed->address.is_tls) {
    DYNOLITH_ASSIGN_OR_RETURN(trust, TlsTrust::Load(""));
  }
  const std::unique_ptr<HttpConnection> http =
      HttpConnection::Make(parsed->address, trust.get(), kContainerTimeouts);
  for (int attempt = 1;; ++attempt) {
    const absl::StatusOr<HttpAnswer> answer =
        http->Send({.method = "GET", .target = parsed->path, .headers = headers, .body = ""});
    const bool may_pass = !answer.ok() || answer->status >= kServerErrors;
    if (may_pass && attempt < kContainerAttempts) continue;
    DYNOLITH_ASSIGN_OR_RETURN(const std::string body, CheckedBody(answer, url));
    return ReadCredentials(body, url);
  }
}

absl::StatusOr<Credentials> FetchFromInstance(const std::string& url) {
  DYNOLITH_ASSIGN_OR_RETURN(Instance instance, Instance::Begin(url));
  DYNOLITH_ASSIGN_OR_RETURN(std::string role, instance.Get(kRolesPath));
  absl::StripAsciiWhitespace(&role);
  if (role.find_first_of(" \r\n") != std::string::npos || role.empty()) {
    return absl::UnavailableError(messages::InstanceWithoutRole(url));
  }
  const std::string path = Concat(kRolesPath, role);
  DYNOLITH_ASSIGN_OR_RETURN(const std::string body, instance.Get(path));
  return ReadCredentials(body, url + path);
}

absl::StatusOr<std::string> FetchRegionFromInstance(const std::string& url) {
  DYNOLITH_ASSIGN_OR_RETURN(Instance instance, Instance::Begin(url));
  DYNOLITH_ASSIGN_OR_RETURN(std::string region, instance.Get("/latest/meta-data/placement/region"));
  absl::StripAsciiWhitespace(&region);
  return region;
}

}  // namespace dynolith::client
