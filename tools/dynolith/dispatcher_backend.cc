#include "tools/dynolith/dispatcher_backend.h"

#include <utility>

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
  return Verdict::kAnswered;
}

}  // namespace dynolith
