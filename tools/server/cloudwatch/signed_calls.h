// CloudWatch's signed calls on the port of DynamoDB's: a handler in front of that one.
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_SIGNED_CALLS_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_SIGNED_CALLS_H_

#include <memory>
#include <utility>

#include "tools/server/cloudwatch/cloudwatch.h"
#include "tools/server/http/handler.h"
#include "tools/server/wire/authenticator.h"
#include "tools/server/wire/call_guard.h"
#include "tools/server/wire/page_guard.h"
#include "tools/server/wire/wire.h"

namespace dynolith::cloudwatch {

struct SignedCallsOptions {
  Cloudwatch* cloudwatch = nullptr;  // borrowed
  http::Handler* next = nullptr;     // answers all other requests. Borrowed
  http::AuthenticatorOptions auth;   // signatures are for the service "monitoring"
  http::PageGuardOptions pages;
  http::DatabaseChoice databases;
  const http::CallGuard* guard = nullptr;  // nullptr: all may call. Borrowed
};

// Thread-safe.
class SignedCalls final : public http::Handler {
 public:
  explicit SignedCalls(SignedCallsOptions options);

  http::Lane ChooseLane(const http::Request& request) const override;
  http::WorkOwner WorkOwnerFor(const http::Request& request) const override;
  bool HandleOnLoop(const http::Request& request, http::Response* response) override;
  http::Lane LaneAfterLoop(const http::Request& request) const override {
    return options_.next->LaneAfterLoop(request);  // its own calls are in another lane
  }
  void Begin(http::EventLoop* loop, std::shared_ptr<http::PendingAnswer> pending) override {
    options_.next->Begin(loop, std::move(pending));  // its calls are in another lane
  }
  std::unique_ptr<http::LoopCompanion> MakeCompanion(http::EventLoop* loop) override {
    return options_.next->MakeCompanion(loop);
  }
  void Handle(const http::Request& request, http::Response* response) override;

 private:
  static bool IsOurs(const http::Request& request) {
    return Cloudwatch::IsCall(request, request.path());
  }
  // OK: the caller may call.
  absl::Status Admit(const http::Request& request, const http::Signatory& signatory,
                     const std::string& database) const;

  const SignedCallsOptions options_;
  const http::Authenticator authenticator_;
  const http::PageGuard pages_;
};

}  // namespace dynolith::cloudwatch

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_SIGNED_CALLS_H_
