#include "tools/dynolith/dispatcher_backend.h"

#include <optional>
#include <utility>

#include "api/json/named_tables.h"
#include "dynolith/client_scope.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/messages/admin.h"
#include "engine/base/utf8.h"

namespace dynolith {

http::ApiBackend::Verdict DispatcherBackend::Call(const http::ApiCall& call,
                                                  absl::FunctionRef<bool()> admit,
                                                  http::ApiAnswer* answer) {
  Dispatcher::Call prepared;
  switch (Dispatcher::Prepare(call.target, call.body, &prepared)) {
    case Dispatcher::Verdict::kBadJson:
      return Verdict::kBadJson;
    case Dispatcher::Verdict::kUnknownTarget:
      return Verdict::kUnknownTarget;
    case Dispatcher::Verdict::kReady:
      break;
  }
  if (!admit()) return Verdict::kNotAdmitted;
  if (dispatcher_ != nullptr) return Run(*dispatcher_, call, &prepared, answer);
  return RunNamed(call, &prepared, answer);
}

http::ApiBackend::Verdict DispatcherBackend::RunNamed(const http::ApiCall& call,
                                                      Dispatcher::Call* prepared,
                                                      http::ApiAnswer* answer) const {
  const auto fail = [&](const absl::Status& status) {
    JsonResponse response = ErrorResponse(status);
    answer->http_status = response.http_status;
    // It may say what a header had, which may be anything.
    answer->body = ReplaceNonUtf8(response.body);
    answer->error = response.error;
    answer->cause = std::move(response.cause);
    return Verdict::kAnswered;
  };
  const auto run = [&](const AnsweringDatabase::Use& use) {
    if (!use) return fail(absl::InternalError(messages::DatabaseNotOpen()));
    return Run(use.dispatcher(), call, prepared, answer);
  };
  if (call.on_loop) {
    const Ready ready = FindReady(call.database);
    return ready.use ? run(*ready.use) : Verdict::kTooLong;
  }
  if (call.database.empty()) return run(databases_->first().Begin());
  // Made by the first call that names it.
  const auto database = databases_->Obtain(call.database, call.region);
  if (absl::IsInvalidArgument(database.status())) {
    return fail(ValidationError(MessageOf(database.status())));
  }
  if (!database.ok()) return fail(database.status());
  return run((*database)->Begin());
}

DispatcherBackend::Ready DispatcherBackend::FindReady(std::string_view name) const {
  if (name.empty()) return {.use = databases_->first().TryBegin()};
  Ready ready{.database = databases_->FindOpen(name)};
  if (ready.database != nullptr) ready.use = ready.database->TryBegin();
  return ready;
}

bool DispatcherBackend::IsReady(std::string_view name) const {
  return databases_ == nullptr || FindReady(name).use.has_value();
}

http::ApiBackend::Verdict DispatcherBackend::Run(const Dispatcher& dispatcher,
                                                 const http::ApiCall& call,
                                                 Dispatcher::Call* prepared,
                                                 http::ApiAnswer* answer) const {
  const ClientScope client(call.client);
  trace::TraceRecorder::Scope traced(
      recorder_, trace::OperationNamed(call.target.substr(call.target.rfind('.') + 1)));
  std::optional<JsonResponse> response;
  if (call.on_loop) {
    response = dispatcher.RunWithin(kLoopWorkMax, prepared, call.host, &answer->body);
    if (!response) {
      traced.Forget();
      return Verdict::kTooLong;
    }
  } else {
    response = dispatcher.Run(prepared, call.host, std::move(answer->body));
  }
  answer->http_status = response->http_status;
  answer->body = std::move(response->body);
  answer->error = response->error;
  answer->cause = std::move(response->cause);
  answer->delay = response->delay;
  answer->is_dropped = response->is_dropped;
  answer->retry_after = response->retry_after;
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
