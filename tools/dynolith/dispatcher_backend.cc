#include "tools/dynolith/dispatcher_backend.h"

#include <optional>
#include <utility>

#include "api/json/named_tables.h"
#include "dynolith/client_scope.h"
#include "engine/base/limits.h"

namespace dynolith {

http::ApiBackend::Verdict DispatcherBackend::Call(const http::ApiCall& call,
                                                  absl::FunctionRef<bool()> admit,
                                                  http::ApiAnswer* answer) {
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
  const ClientScope client(call.client);
  trace::TraceRecorder::Scope traced(
      recorder_, trace::OperationNamed(call.target.substr(call.target.rfind('.') + 1)));
  std::optional<JsonResponse> response;
  if (call.on_loop) {
    response = dispatcher_->RunWithin(kLoopWorkMax, &prepared, call.host, &answer->body);
    if (!response) {
      traced.Forget();
      return Verdict::kTooLong;
    }
  } else {
    response = dispatcher_->Run(&prepared, call.host, std::move(answer->body));
  }
  answer->http_status = response->http_status;
  answer->body = std::move(response->body);
  answer->error = response->error;
  answer->cause = std::move(response->cause);
  answer->delay = response->delay;
  answer->is_dropped = response->is_dropped;
  if (response->http_status >= 500) answer->tables = TablesNamedIn(call.body);
  return Verdict::kAnswered;
}

http::ApiBackend::Effort DispatcherBackend::EffortOf(std::string_view target) const {
  const Dispatcher::Effort effort = Dispatcher::EffortOf(target);
  const auto cost = [&] {
    switch (effort.cost) {
      case OperationCost::kPage:
        return Cost::kPage;
      case OperationCost::kBatch:
        return Cost::kBatch;
      case OperationCost::kLong:
        return Cost::kLong;
      case OperationCost::kPoint:
        break;
    }
    return Cost::kPoint;
  };
  return {.cost = cost(), .writes = effort.writes};
}

}  // namespace dynolith
