#include "api/endpoint/endpoint_database.h"

#include "api/database/endpoint_opener.h"
#include "api/endpoint/endpoint_options.h"
#include "api/endpoint/messages.h"
#include "api/remote/remote_service.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

class HttpService final : public JsonService {
 public:
  explicit HttpService(std::unique_ptr<client::RemoteService> remote)
      : remote_(std::move(remote)) {}

  absl::StatusOr<Answer> Call(std::string_view target, std::string_view body) override {
    DYNOLITH_ASSIGN_OR_RETURN(client::HttpAnswer answer, remote_->Call(target, body));
    return Answer{.status = answer.status, .body = std::move(answer.body)};
  }
  client::Retries* retries() { return remote_->retries(); }

 private:
  const std::unique_ptr<client::RemoteService> remote_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Database>> EndpointDatabase::Open(const DatabaseOptions& options) {
  DYNOLITH_RETURN_IF_ERROR(CheckOnlyEndpoint(options));
  client::RemoteOptions remote{.endpoint = options.endpoint,
                               .certificates_file = options.endpoint_certificates};
  remote.identity.region = options.endpoint_region;
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<client::RemoteService> opened,
                            client::RemoteService::Open(remote));
  auto service = std::make_unique<HttpService>(std::move(opened));
  client::Retries* const retries = service->retries();
  return std::make_unique<EndpointDatabase>(std::move(service), options.endpoint, retries);
}

absl::Status EndpointDatabase::Absent(std::string_view method) const {
  DYNOLITH_RETURN_IF_ERROR(calls_.process().CheckNotForked());
  return absl::FailedPreconditionError(messages::OnlyInThisProcess(method, calls_.endpoint()));
}

}  // namespace dynolith

void dynolith_open_endpoint(const dynolith::DatabaseOptions* options,
                            absl::StatusOr<std::unique_ptr<dynolith::Database>>* database) {
  *database = dynolith::EndpointDatabase::Open(*options);
}
