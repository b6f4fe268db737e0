#include "api/service/database_service.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/service/messages.h"
#include "dynolith/client_scope.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/text/utf8.h"

namespace dynolith {
namespace {

JsonResponse Refusal(const absl::Status& status) {
  JsonResponse response = ErrorResponse(status);
  // It may quote a header, which may contain any bytes.
  response.body = ReplaceNonUtf8(response.body);
  return response;
}

JsonResponse NotOpen() { return Refusal(absl::InternalError(messages::DatabaseNotOpen())); }

}  // namespace

DatabaseService::Ready DatabaseService::FindReady(std::string_view name) const {
  if (name.empty()) return {.use = databases_->first().TryBegin()};
  Ready ready{.database = databases_->FindOpen(name)};
  if (ready.database != nullptr) ready.use = ready.database->TryBegin();
  return ready;
}

bool DatabaseService::IsReady(std::string_view name) const {
  return FindReady(name).use.has_value();
}

JsonResponse DatabaseService::Run(Dispatcher::Call* call, const Caller& caller,
                                  std::string memory) const {
  // The first call that names a database creates it.
  const auto database = databases_->Obtain(caller.database, caller.region);
  if (absl::IsInvalidArgument(database.status())) {
    return Refusal(ValidationError(MessageOf(database.status())));
  }
  if (!database.ok()) return Refusal(database.status());
  const DatabaseInstance::Use use = (*database)->Begin();
  if (!use) return NotOpen();
  const ClientScope client(caller.client);
  return use.dispatcher().Run(call, caller.host, std::move(memory));
}

std::optional<JsonResponse> DatabaseService::RunOnLoop(Dispatcher::Call* call, const Caller& caller,
                                                       std::string* memory) const {
  const Ready ready = FindReady(caller.database);
  if (!ready.use) return std::nullopt;
  if (!*ready.use) return NotOpen();
  const ClientScope client(caller.client);
  return ready.use->dispatcher().RunWithin(kLoopWorkMax, call, caller.host, memory);
}

}  // namespace dynolith
