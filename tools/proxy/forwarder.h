// The way of a call through the proxy.
#ifndef DYNOLITH_TOOLS_PROXY_FORWARDER_H_
#define DYNOLITH_TOOLS_PROXY_FORWARDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tools/proxy/endpoint.h"
#include "tools/proxy/mirror.h"
#include "tools/proxy/passage.h"
#include "tools/proxy/upstream.h"
#include "tools/server/http/handler.h"
#include "tools/server/wire/authenticator.h"
#include "tools/server/wire/page_guard.h"
#include "tools/server/wire/wire.h"

namespace dynolith::proxy {

struct ForwarderOptions {
  Endpoint* target = nullptr;  // borrowed, as all
  Mirror* mirror = nullptr;
  bool measures = false;            // whether the mirror is charged
  Shadow* shadow = nullptr;         // nullptr: none
  Endpoint* read_target = nullptr;  // answers reads of items while there is a shadow
  // Calls that are on their way at once, of all loops together, each of which has at least one.
  size_t calls_max = 64;
  size_t loops = 1;
  // Who may call, and who is told of calls.
  http::WireOptions wire;
};

// Thread-safe.
class Forwarder final : public http::Handler, public UpstreamOwner {
 public:
  explicit Forwarder(ForwarderOptions options);

  // A call that is only passed on needs no worker.
  http::Lane ChooseLane(const http::Request& request) const override {
    return IsOnlyPassedOn(request) ? http::Lane::kLater : http::Lane::kWaiting;
  }
  std::unique_ptr<http::LoopCompanion> MakeCompanion(http::EventLoop* loop) override;
  void Begin(http::EventLoop* loop, std::shared_ptr<http::PendingAnswer> pending) override;
  void OnAnswered(const UpstreamCall& call, const absl::Status& answered) override;
  http::WorkOwner WorkOwnerFor(const http::Request& request) const override;
  void Handle(const http::Request& request, http::Response* response) override;

 private:
  // Nothing of it has to be read but its headers, nor of its answer, and it need not wait here.
  bool IsOnlyPassedOn(const http::Request& request) const;
  // Exceptions become the service's 503. `answer` may do without an answer; otherwise the call has
  // one, and false is returned.
  template <typename Answer>
  bool Safely(http::Response* response, const Answer& answer);
  // Whether it was refused, and has its answer.
  bool Refuse(const http::Request& request, http::Response* response);
  void Record(const http::Request& request, const http::Response& response, uint64_t response_bytes,
              absl::Duration duration) const;

  void Fail(const http::Request& request, const http::Response& response,
            const std::string& why) const;

  const ForwarderOptions options_;
  const PassageOptions passage_;
  const http::Authenticator authenticator_;
  const http::PageGuard guard_;
  size_t companions_ = 0;  // made
};

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_FORWARDER_H_
