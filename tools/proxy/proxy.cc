#include "tools/proxy/proxy.h"

#include <memory>
#include <string>
#include <utility>

#include "engine/base/status_macros.h"
#include "tools/proxy/forwarder.h"
#include "tools/proxy/messages.h"

namespace dynolith::proxy {
namespace {

class Proxy final : public CallAnswerer {
 public:
  explicit Proxy(const ProxyOptions& options, std::unique_ptr<Endpoint> target)
      : options_(options), target_(std::move(target)) {}

  absl::Status Start(ServeParts parts) override {
    forwarder_ = std::make_unique<Forwarder>(
        ForwarderOptions{.target = target_.get(), .wire = std::move(parts.wire)});
    return absl::OkStatus();
  }
  http::Handler* handler() override { return forwarder_.get(); }
  int waiting_workers() const override { return static_cast<int>(options_.target.connections_max); }
  std::string Place() const override { return messages::ProxyPlace(target_->url()); }
  bool AnswerAdmin(const AdminRequest& /*request*/, JsonResponse* /*answer*/) override {
    return false;
  }
  std::string Metrics() const override { return {}; }
  void Finish() override {}

 private:
  const ProxyOptions& options_;
  const std::unique_ptr<Endpoint> target_;
  std::unique_ptr<Forwarder> forwarder_;
};

}  // namespace

absl::Status RunProxy(const ProxyOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<Endpoint> target, Endpoint::Open(options.target));
  ServeOptions serve = options.serve;
  serve.settings.database.region = target->region();
  Proxy proxy(options, std::move(target));
  return ServeFor(serve, &proxy);
}

}  // namespace dynolith::proxy
