#include "tools/lab/measure/endpoint_target.h"

#include <utility>

#include "api/remote/server_address.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "tools/lab/measure/call_json.h"
#include "tools/lab/measure/messages.h"

namespace dynolith::lab {
namespace {

class EndpointConnection final : public MeasuredConnection {
 public:
  explicit EndpointConnection(std::unique_ptr<client::ServiceConnection> server)
      : server_(std::move(server)) {}

  CallAnswer Call(const ServiceCall& call) override {
    const auto got = server_->Send(OperationName(call), ToJson(call));
    const auto at = std::chrono::steady_clock::now();
    CallAnswer answer;
    if (got.ok()) {
      answer = AnswerOfJson(got->status, got->body);
    } else {
      answer.outcome = CallAnswer::Outcome::kFailed;
      answer.error = messages::LabNoAnswer();
      answer.message = MessageOf(got.status());
    }
    answer.at = at;
    return answer;
  }

 private:
  const std::unique_ptr<client::ServiceConnection> server_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EndpointTarget>> EndpointTarget::Make(
    const std::string& url, const std::string& certificates) {
  if (!http::IsServerUrl(url) || !http::ParseServerUrl(url)) {
    return absl::InvalidArgumentError(messages::LabNoEndpoint(url));
  }
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<client::ServiceTarget> server,
                            client::MakeServerTarget(url, certificates));
  return std::unique_ptr<EndpointTarget>(new EndpointTarget(url, std::move(server)));
}

EndpointTarget::EndpointTarget(std::string url, std::unique_ptr<client::ServiceTarget> server)
    : url_(std::move(url)), server_(std::move(server)) {}

std::unique_ptr<MeasuredConnection> EndpointTarget::Connect() {
  return std::make_unique<EndpointConnection>(server_->Connect());
}

}  // namespace dynolith::lab
