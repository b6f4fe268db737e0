#include "tools/proxy/proxy.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/process/processors.h"
#include "tools/proxy/forwarder.h"
#include "tools/proxy/messages.h"
#include "tools/proxy/mirror.h"
#include "tools/proxy/proxy_admin.h"
#include "tools/proxy/shadow.h"

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
  // `shadow`: nullptr: none.
  Proxy(const ProxyOptions& options, std::unique_ptr<Endpoint> target,
        std::unique_ptr<Endpoint> shadow, size_t loops)
      : options_(options),
        loops_(loops),
        target_(std::move(target)),
        shadow_endpoint_(std::move(shadow)) {}

  absl::Status Start(ServeParts parts) override {
    mirror_ = std::make_unique<Mirror>(target_.get(), parts.databases, parts.trace);
    if (shadow_endpoint_ != nullptr) {
      DYNOLITH_ASSIGN_OR_RETURN(shadow_, Shadow::Start(MakeShadowOptions(parts.log)));
    }
    admin_ = std::make_unique<ProxyAdmin>(target_.get(), mirror_.get(), shadow_.get());
    forwarder_ =
        std::make_unique<Forwarder>(ForwarderOptions{.target = target_.get(),
                                                     .mirror = mirror_.get(),
                                                     .measures = Measures(options_.serve),
                                                     .shadow = shadow_.get(),
                                                     .read_target = first_reader(),
                                                     .calls_max = options_.target.connections_max,
                                                     .loops = loops_,
                                                     .wire = std::move(parts.wire)});
    return absl::OkStatus();
  }
  http::Handler* handler() override { return forwarder_.get(); }
  int waiting_workers() const override { return static_cast<int>(options_.target.connections_max); }
  std::string Place() const override {
    if (shadow_endpoint_ == nullptr) return messages::ProxyPlace(target_->url());
    return messages::ProxyPlaceWithShadow(target_->url(), shadow_endpoint_->url());
  }
  bool AnswerAdmin(const AdminRequest& request, JsonResponse* answer) override {
    return admin_->Answer(request, answer);
  }
  void AddMetrics(MetricFamilies* families) const override { admin_->AddMetrics(families); }
  void Finish() override {
    if (shadow_ != nullptr) shadow_->Stop();
  }

 private:
  Endpoint* first_reader() const {
    return options_.reads_from_shadow ? shadow_endpoint_.get() : target_.get();
  }
  ShadowOptions MakeShadowOptions(Log* log) const {
    return {.target = target_.get(),
            .shadow = shadow_endpoint_.get(),
            .log = log,
            .reads_from_shadow = options_.reads_from_shadow,
            .compare_share = options_.compare_share,
            .differences_file = options_.differences_file};
  }

  const ProxyOptions& options_;
  const size_t loops_;
  const std::unique_ptr<Endpoint> target_;
  const std::unique_ptr<Endpoint> shadow_endpoint_;
  std::unique_ptr<Mirror> mirror_;
  std::unique_ptr<Shadow> shadow_;
  std::unique_ptr<ProxyAdmin> admin_;
  std::unique_ptr<Forwarder> forwarder_;
};

}  // namespace

absl::Status RunProxy(const ProxyOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<Endpoint> target, Endpoint::Open(options.target));
  std::unique_ptr<Endpoint> shadow;
  if (!options.shadow.url.empty()) {
    EndpointOptions of_shadow = options.shadow;
    of_shadow.connections_max = options.target.connections_max + Shadow::kWorkers;
    of_shadow.answer_timeout = options.target.answer_timeout;
    DYNOLITH_ASSIGN_OR_RETURN(shadow, Endpoint::Open(of_shadow));
  }
  ServeOptions serve = options.serve;
  serve.settings.database.region = target->region();
  // The model's own tables are made without anybody's calls.
  serve.settings.database.control_rates = {
      .changes = 0, .descriptions = 0, .stream_descriptions = 0};
  // Each loop has a connection at least.
  const int wanted = serve.threads > 0 ? serve.threads : UsableProcessors();
  serve.threads =
      static_cast<int>(std::min(static_cast<size_t>(wanted), options.target.connections_max));
  Proxy proxy(options, std::move(target), std::move(shadow), static_cast<size_t>(serve.threads));
  return ServeFor(serve, &proxy);
}

}  // namespace dynolith::proxy
