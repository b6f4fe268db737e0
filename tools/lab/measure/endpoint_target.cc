#include "tools/lab/measure/endpoint_target.h"

#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "engine/base/errors.h"
#include "engine/base/messages/lab_measure.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/lab/measure/call_json.h"

namespace dynolith::lab {
namespace {

class EndpointConnection final : public ServiceConnection {
 public:
  EndpointConnection(const http::ServerAddress& address, const client::CallerIdentity& identity,
                     const client::TlsTrust* trust)
      : signer_(identity, address.authority), http_(client::HttpConnection::Make(address, trust)) {}

  ServiceAnswer Call(const ServiceCall& call) override {
    const std::string_view operation = OperationOf(call);
    const std::string body = JsonOf(call);
    const auto got = http_->Post(signer_.Headers(operation, body, absl::Now()), body);
    const auto at = std::chrono::steady_clock::now();
    ServiceAnswer answer;
    if (got.ok()) {
      answer = AnswerOfJson(got->status, got->body);
    } else {
      answer.outcome = ServiceAnswer::Outcome::kFailed;
      answer.error = messages::LabNoAnswer();
      answer.message = MessageOf(got.status());
    }
    answer.at = at;
    return answer;
  }

 private:
  client::RequestSigner signer_;
  const std::unique_ptr<client::HttpConnection> http_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EndpointTarget>> EndpointTarget::Make(
    const std::string& url, const std::string& certificates) {
  const std::optional<http::ServerAddress> address =
      http::IsServerUrl(url) ? http::ParseServerUrl(url) : std::nullopt;
  if (!address) return absl::InvalidArgumentError(ToAbsl(messages::LabNoEndpoint(url)));
  DYNOLITH_ASSIGN_OR_RETURN(client::CallerIdentity identity,
                            client::IdentityFromEnvironment(*address));
  std::unique_ptr<client::TlsTrust> trust;
  if (address->is_tls) {
    DYNOLITH_ASSIGN_OR_RETURN(trust, client::TlsTrust::Load(certificates));
  }
  return std::unique_ptr<EndpointTarget>(
      new EndpointTarget(url, *address, std::move(identity), std::move(trust)));
}

EndpointTarget::EndpointTarget(std::string url, http::ServerAddress address,
                               client::CallerIdentity identity,
                               std::unique_ptr<client::TlsTrust> trust)
    : url_(std::move(url)),
      address_(std::move(address)),
      identity_(std::move(identity)),
      trust_(std::move(trust)) {}

std::unique_ptr<ServiceConnection> EndpointTarget::Connect() {
  return std::make_unique<EndpointConnection>(address_, identity_, trust_.get());
}

}  // namespace dynolith::lab
