#include "tools/dynolith/dispatcher_backend.h"

#include <utility>

#include "api/json/named_tables.h"

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
  JsonResponse response = dispatcher_->Run(&prepared, call.host);
  answer->http_status = response.http_status;
  answer->body = std::move(response.body);
  answer->cause = std::move(response.cause);
  if (response.http_status >= 500) answer->tables = TablesNamedIn(call.body);
  return Verdict::kAnswered;
}

}  // namespace dynolith
