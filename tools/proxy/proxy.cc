#include "tools/proxy/proxy.h"

#include <memory>
#include <string>
#include <utility>

#include "engine/base/status_macros.h"
#include "tools/proxy/forwarder.h"
#include "tools/proxy/messages.h"
#include "tools/proxy/mirror.h"
#include "tools/proxy/proxy_admin.h"

namespace dynolith::proxy {
namespace {

// Whether somebody wants to know what calls use.
bool Measures(const ServeOptions& serve) {
  const DatabaseOptions& model = serve.settings.database;
  return !serve.trace_file.empty() || model.hot_keys ||
         model.capacity.mode != CapacityMode::kAccount;
}

class Proxy final : public CallAnswerer {
 public:
  explicit Proxy(const ProxyOptions& options, std::unique_ptr<Endpoint> target)
      : options_(options), target_(std::move(target)) {}

  absl::Status Start(ServeParts parts) override {
    mirror_ = std::make_unique<Mirror>(target_.get(), parts.databases, parts.trace);
    admin_ = std::make_unique<ProxyAdmin>(target_.get(), mirror_.get());
    forwarder_ = std::make_unique<Forwarder>(ForwarderOptions{.target = target_.get(),
                                                              .mirror = mirror_.get(),
                                                              .measures = Measures(options_.serve),
                                                              .wire = std::move(parts.wire)});
    return absl::OkStatus();
  }
  http::Handler* handler() override { return forwarder_.get(); }
  int waiting_workers() const override { return static_cast<int>(options_.target.connections_max); }
  std::string Place() const override { return messages::ProxyPlace(target_->url()); }
  bool AnswerAdmin(const AdminRequest& request, JsonResponse* answer) override {
    return admin_->Answer(request, answer);
  }
  std::string Metrics() const override { return admin_->Metrics(); }
  void Finish() override {}

 private:
  const ProxyOptions& options_;
  const std::unique_ptr<Endpoint> target_;
  std::unique_ptr<Mirror> mirror_;
  std::unique_ptr<ProxyAdmin> admin_;
  std::unique_ptr<Forwarder> forwarder_;
};

}  // namespace

absl::Status RunProxy(const ProxyOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<Endpoint> target, Endpoint::Open(options.target));
  ServeOptions serve = options.serve;
  serve.settings.database.region = target->region();
  // The model's own tables are made without anybody's calls.
  serve.settings.database.control_rates = {
      .changes = 0, .descriptions = 0, .stream_descriptions = 0};
  Proxy proxy(options, std::move(target));
  return ServeFor(serve, &proxy);
}

}  // namespace dynolith::proxy
