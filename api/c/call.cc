// Calls of the service's operations: what the server does around them, without HTTP.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/time/time.h"
#include "api/c/database_handle.h"
#include "api/c/error_handle.h"
#include "api/c/response_memory.h"
#include "api/json/dispatch.h"
#include "api/json/operations.h"
#include "api/service/checksum.h"
#include "api/service/request_id.h"
#include "dynolith/client_scope.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith::c {
namespace {

struct Caller {
  std::string_view access_key;
  std::string_view host;
};

JsonResponse Answer(const Dispatcher& dispatcher, std::string_view target, std::string_view body,
                    const Caller& caller, std::string memory) {
  // As over HTTP, where nobody reads so much.
  if (body.size() > kRequestBytesMax) return {.http_status = 413};
  Dispatcher::Call call;
  const bool is_bare = target.find('.') == std::string_view::npos;
  const absl::Status prepared = is_bare ? Dispatcher::PrepareNamed(target, body, &call)
                                        : Dispatcher::Prepare(target, body, &call);
  if (!prepared.ok()) return ErrorResponse(prepared);
  const ClientScope client(caller.access_key);
  return dispatcher.Run(&call, caller.host, std::move(memory));
}

void Call(dynolith_database* database, std::string_view target, std::string_view body,
          const Caller& caller, dynolith_response* response) {
  DrawRequestId(response->request_id);
  ResponseMemory* const memory = ToResponseMemory(response);
  if (database->endpoint != nullptr && !database->process.IsForked()) {
    return database->endpoint->Call(target, body, response);
  }
  const absl::StatusOr<DatabaseInstance::Use> use = Begin(*database);
  JsonResponse answer =
      use.ok() ? Answer(use->dispatcher(), target, body, caller, std::move(memory->body))
               : ErrorResponse(use.status());
  Fill(std::move(answer), ContentType::kAmazonJson, response);
}

}  // namespace
}  // namespace dynolith::c

void dynolith_call(dynolith_database* database, const char* target, size_t target_size,
                   const char* body, size_t body_size, dynolith_response* response) {
  dynolith_call_as(database, target, target_size, body, body_size, nullptr, 0, nullptr, 0,
                   response);
}

dynolith_error* dynolith_call_async(dynolith_database* database, const char* target,
                                    size_t target_size, const char* body, size_t body_size,
                                    dynolith_answered answered, void* context) {
  return dynolith::c::Guarded([&]() -> absl::Status {
    // A child of the process that opened it has none of the threads.
    DYNOLITH_RETURN_IF_ERROR(database->process.CheckNotForked());
    database->async.Run([database, answered, context, target = std::string(target, target_size),
                         body = std::string(body, body_size)] {
      dynolith_response response = DYNOLITH_RESPONSE_INIT;
      dynolith_call(database, target.data(), target.size(), body.data(), body.size(), &response);
      answered(context, &response);
      dynolith_response_free(&response);
    });
    return absl::OkStatus();
  });
}

void dynolith_call_as(dynolith_database* database, const char* target, size_t target_size,
                      const char* body, size_t body_size, const char* access_key,
                      size_t access_key_size, const char* host, size_t host_size,
                      dynolith_response* response) {
  using namespace dynolith::c;
  Answered(response, [&] {
    Call(database, {target, target_size}, {body, body_size},
         {.access_key = {access_key, access_key_size}, .host = {host, host_size}}, response);
  });
}
