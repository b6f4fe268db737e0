#include "api/c/outside.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "api/c/response_memory.h"
#include "api/json/json_response.h"
#include "api/json/operations.h"
#include "api/remote/remote_service.h"
#include "api/transfer/files/bucket_transfer.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith::c {
namespace {

// Names are literals, so they end with a zero; another engine may have others.
const char* StaticErrorName(std::string_view name) {
  for (int kind = 0; kind <= static_cast<int>(ErrorKind::kInternalServerError); ++kind) {
    const std::string_view known = InfoOf(static_cast<ErrorKind>(kind)).exception_name;
    if (known == name) return known.data();
  }
  return "UnknownException";
}

// As in X-Amz-Target.
std::string FullTarget(std::string_view target) {
  if (target.find('.') != std::string_view::npos) return std::string(target);
  const bool is_of_streams = FindServiceOperation(Service::kStreams, target) != nullptr;
  return Concat(is_of_streams ? "DynamoDBStreams_20120810." : "DynamoDB_20120810.", target);
}

class ServiceBehindEndpoint final : public Endpoint {
 public:
  explicit ServiceBehindEndpoint(std::unique_ptr<client::RemoteService> service)
      : service_(std::move(service)) {}

  const std::string& address() const override { return service_->endpoint(); }
  void Call(std::string_view target, std::string_view body, dynolith_response* response) override {
    absl::StatusOr<client::HttpAnswer> answer = service_->Call(FullTarget(target), body);
    if (!answer.ok()) {
      JsonResponse lost = ErrorResponse(
          MakeError(ErrorKind::kInternalServerError, std::string(MessageOf(answer.status()))));
      lost.is_dropped = true;
      Fill(std::move(lost), ContentType::kAmazonJson, response);
      return;
    }
    if (const std::string& id = answer->request_id; !id.empty()) {
      const size_t size = std::min(id.size(), sizeof response->request_id - 1);
      std::memset(response->request_id, 0, sizeof response->request_id);
      std::memcpy(response->request_id, id.data(), size);
    }
    constexpr int kOk = 200;
    const bool is_error = answer->status != kOk;
    const std::string name = is_error ? client::ReadErrorName(answer->body) : "";
    Fill({.http_status = answer->status, .body = std::move(answer->body)}, ContentType::kAmazonJson,
         response);
    if (is_error) response->error = StaticErrorName(name);
  }

 private:
  const std::unique_ptr<client::RemoteService> service_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Endpoint>> OpenEndpoint(const OpenSettings& settings) {
  client::RemoteOptions remote{.endpoint = settings.endpoint,
                               .certificates_file = settings.endpoint_certificates};
  remote.identity.region = settings.endpoint_region;
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<client::RemoteService> service,
                            client::RemoteService::Open(remote));
  return std::make_unique<ServiceBehindEndpoint>(std::move(service));
}

std::shared_ptr<BulkTransfer> MakeTransfers(const std::string& buckets_folder) {
  return std::make_shared<BucketTransfer>(buckets_folder);
}

}  // namespace dynolith::c
