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
#include "api/c/response_memory.h"
#include "api/json/dispatch.h"
#include "api/json/operations.h"
#include "api/remote/remote_service.h"
#include "api/service/checksum.h"
#include "api/service/request_id.h"
#include "dynolith/client_scope.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"

namespace dynolith::c {
namespace {

struct Caller {
  std::string_view access_key;
  std::string_view host;
};

// Names are literals, so they end with a zero; another engine may have others.
const char* StaticErrorName(std::string_view name) {
  for (int kind = 0; kind <= static_cast<int>(ErrorKind::kInternalServerError); ++kind) {
    const std::string_view known = InfoOf(static_cast<ErrorKind>(kind)).exception_name;
    if (known == name) return known.data();
  }
  return "UnknownException";
}

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

// As in X-Amz-Target.
std::string FullTarget(std::string_view target) {
  if (target.find('.') != std::string_view::npos) return std::string(target);
  const bool is_of_streams = FindServiceOperation(Service::kStreams, target) != nullptr;
  return Concat(is_of_streams ? "DynamoDBStreams_20120810." : "DynamoDB_20120810.", target);
}

// The service's answer as it is. Where there is none, the reason is the text of an error that is to
// be lost, as a connection was.
void CallRemote(client::RemoteService* remote, std::string_view target, std::string_view body,
                dynolith_response* response) {
  absl::StatusOr<client::HttpAnswer> answer = remote->Call(FullTarget(target), body);
  if (!answer.ok()) {
    JsonResponse lost = ErrorResponse(
        MakeError(ErrorKind::kInternalServerError, std::string(MessageOf(answer.status()))));
    lost.is_dropped = true;
    Fill(std::move(lost), ContentType::kAmazonJson, response);
    return;
  }
  if (const std::string& id = answer->request_id; !id.empty()) {
    const size_t size = std::min(id.size(), sizeof response->request_id - 1);
    std::memset(response->request_id, 0, sizeof response->request_id);
    std::memcpy(response->request_id, id.data(), size);
  }
  constexpr int kOk = 200;
  const bool is_error = answer->status != kOk;
  const std::string name = is_error ? client::ReadErrorName(answer->body) : "";
  Fill({.http_status = answer->status, .body = std::move(answer->body)}, ContentType::kAmazonJson,
       response);
  if (is_error) response->error = StaticErrorName(name);
}

void Call(dynolith_database* database, std::string_view target, std::string_view body,
          const Caller& caller, dynolith_response* response) {
  DrawRequestId(response->request_id);
  ResponseMemory* const memory = ToResponseMemory(response);
  if (database->remote != nullptr && !database->process.IsForked()) {
    return CallRemote(database->remote.get(), target, body, response);
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
