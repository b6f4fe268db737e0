// Answers calls of the admin endpoint for a database.
#include <string>
#include <string_view>
#include <utility>

#include "api/c/database_handle.h"
#include "api/c/error_handle.h"
#include "api/c/response_memory.h"
#include "api/service/admin_error.h"
#include "api/service/messages.h"
#include "api/service/regions_admin.h"
#include "api/service/request_id.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"

namespace dynolith::c {
namespace {

// Returns the full path: "/_dynolith/clock" for "clock" and "/clock".
std::string FullPath(std::string_view path) {
  if (path.starts_with(kAdminFolder)) return std::string(path);
  std::string full(kAdminFolder);
  if (!path.starts_with('/')) full.push_back('/');
  return full.append(path);
}

bool AnswerRequest(dynolith_database* database, const AdminRequest& request, JsonResponse* answer) {
  if (database->regions == nullptr) return database->instance->Answer(request, answer);
  const RegionsAdmin regions(database->regions.get());
  if (!RegionsAdmin::IsPath(request.path)) {
    return regions.AnswerOf(database->instance.get(), request, answer);
  }
  regions.Answer(request, answer);
  return true;
}

void AnswerAdmin(dynolith_database* database, std::string_view method, std::string_view path,
                 std::string_view body, dynolith_response* response) {
  DrawRequestId(response->request_id);
  const size_t question = path.find('?');
  const bool has_query = question != std::string_view::npos;
  const std::string full_path = FullPath(path.substr(0, question));
  JsonResponse answer;
  if (const absl::Status own = CheckInProcess(*database); !own.ok()) {
    AnswerAdminError(database->process.IsForked() ? 403 : 409, MessageOf(own), &answer);
    Fill(std::move(answer), ContentType::kJson, response);
    return;
  }
  // No timer calls EndIdle here: idle names end when another call comes.
  if (const DatabaseInstance::Use use = database->instance->Begin()) use.admin().EndIdle();
  const AdminRequest request = {.method = method,
                                .path = full_path,
                                .query = has_query ? path.substr(question + 1) : std::string_view(),
                                .body = body};
  if (!AnswerRequest(database, request, &answer)) {
    AnswerAdminError(404, messages::AdminNoSuchPath(full_path), &answer);
  }
  Fill(std::move(answer), ContentType::kJson, response);
}

}  // namespace
}  // namespace dynolith::c

void dynolith_admin(dynolith_database* database, const char* method, const char* path,
                    size_t path_size, const char* body, size_t body_size,
                    dynolith_response* response) {
  dynolith::c::Answered(response, [&] {
    dynolith::c::AnswerAdmin(database, method, {path, path_size}, {body, body_size}, response);
  });
}

dynolith_error* dynolith_checkpoint(dynolith_database* database, const char* folder,
                                    size_t folder_size) {
  return dynolith::c::Guarded([&]() -> absl::Status {
    DYNOLITH_ASSIGN_OR_RETURN(const dynolith::DatabaseInstance::Use use,
                              dynolith::c::Begin(*database));
    return use.database()->Checkpoint(std::string(folder, folder_size));
  });
}
