#include "tools/dynolith/admin_error.h"

#include "api/json/json_writer.h"

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

}  // namespace dynolith
