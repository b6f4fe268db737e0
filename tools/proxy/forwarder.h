// The way of a call through the proxy.
#ifndef DYNOLITH_TOOLS_PROXY_FORWARDER_H_
#define DYNOLITH_TOOLS_PROXY_FORWARDER_H_

#include <string>

#include "tools/http/handler.h"
#include "tools/proxy/endpoint.h"
#include "tools/proxy/mirror.h"
#include "tools/proxy/passage.h"
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
  // Who may call, and who is told of calls.
  http::WireOptions wire;
};

// Thread-safe.
class Forwarder final : public http::Handler {
 public:
  explicit Forwarder(ForwarderOptions options);

  http::Lane ChooseLane(const http::Request& /*request*/) const override {
    return http::Lane::kWaiting;
  }
  http::WorkOwner WorkOwnerFor(const http::Request& request) const override;
  void Handle(const http::Request& request, http::Response* response) override;

 private:
  // Exceptions become the service's 503 or 500.
  void AnswerSafely(const http::Request& request, http::Response* response);
  // Whether it was refused, and has its answer.
  bool Refuse(const http::Request& request, http::Response* response);
  void Record(const http::Request& request, const http::Response& response,
              absl::Duration duration) const;

  void Fail(const http::Request& request, const http::Response& response,
            const std::string& why) const;

  const ForwarderOptions options_;
  const PassageOptions passage_;
  const http::Authenticator authenticator_;
  const http::PageGuard guard_;
};

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_FORWARDER_H_
