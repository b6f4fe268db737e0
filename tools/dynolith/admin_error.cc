#include "tools/dynolith/admin_error.h"

#include "api/json/json_writer.h"
#include "engine/base/errors.h"
#include "engine/base/messages/admin.h"

namespace dynolith {

void AnswerAdminError(int status, std::string_view message, http::Response* response) {
  response->status = status;
  response->body.clear();
  JsonWriter writer(&response->body);
  writer.BeginObject();
  writer.Key(kAdminErrorMember);
  writer.String(message);
  writer.EndObject();
}

void AnswerWrongMethod(std::string_view path, std::string_view methods, http::Response* response) {
  response->AddHeader("Allow", methods);
  AnswerAdminError(405, messages::AdminWrongMethod(path, methods), response);
}

void AnswerTableError(const absl::Status& status, http::Response* response) {
  const bool is_absent = KindOf(status) == ErrorKind::kResourceNotFound;
  AnswerAdminError(is_absent ? 404 : 400, MessageOf(status), response);
}

}  // namespace dynolith
