// What the admin endpoint answers when a request comes to nothing.
#ifndef DYNOLITH_TOOLS_DYNOLITH_ADMIN_ERROR_H_
#define DYNOLITH_TOOLS_DYNOLITH_ADMIN_ERROR_H_

#include <string_view>

#include "absl/status/status.h"
#include "tools/http/response.h"

namespace dynolith {

inline constexpr std::string_view kAdminErrorMember = "error";

// {"error": message}
void AnswerAdminError(int status, std::string_view message, http::Response* response);

// 405, with the methods that there are.
void AnswerWrongMethod(std::string_view path, std::string_view methods, http::Response* response);
// What the database says of a table that was asked for: 404 if it is not there, else 400.
void AnswerTableError(const absl::Status& status, http::Response* response);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_ADMIN_ERROR_H_
