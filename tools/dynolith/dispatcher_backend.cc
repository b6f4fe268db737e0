#include "tools/dynolith/dispatcher_backend.h"

#include <cstdio>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/base/messages/program.h"

namespace dynolith {

http::ApiBackend::Verdict DispatcherBackend::Call(const http::ApiCall& call,
                                                  absl::FunctionRef<bool()> admit, int* http_status,
                                                  std::string* answer) {
  Dispatcher::Call prepared;
  switch (dispatcher_->Prepare(call.target, call.body, &prepared)) {
    case Dispatcher::Verdict::kBadJson:
      return Verdict::kBadJson;
    case Dispatcher::Verdict::kUnknownTarget:
      return Verdict::kUnknownTarget;
    case Dispatcher::Verdict::kReady:
      break;
  }
  if (!admit()) return Verdict::kNotAdmitted;
  JsonResponse response = dispatcher_->Run(&prepared, call.host);
  *http_status = response.http_status;
  *answer = std::move(response.body);
  if (*http_status == 500) Say(*answer);
  return Verdict::kAnswered;
}

void DispatcherBackend::Say(const std::string& answer) {
  const int64_t now = absl::ToUnixSeconds(absl::Now());
  if (said_second_.exchange(now) == now) return;
  std::fputs(messages::Failed(answer).c_str(), stderr);
}

}  // namespace dynolith
