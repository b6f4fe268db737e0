// What the admin endpoint answers when a request comes to nothing.
#ifndef DYNOLITH_API_ADMIN_ADMIN_ERROR_H_
#define DYNOLITH_API_ADMIN_ADMIN_ERROR_H_

#include <string_view>

#include "absl/status/status.h"
#include "api/admin/admin_request.h"

namespace dynolith {

inline constexpr std::string_view kAdminErrorMember = "error";

// {"error": message}
void AnswerAdminError(int status, std::string_view message, AdminAnswer* answer);

// 405, with the methods that there are: a literal.
void AnswerWrongMethod(std::string_view path, std::string_view methods, AdminAnswer* answer);
// What the database says of a table that was asked for: 404 if it is not there, else 400.
void AnswerTableError(const absl::Status& status, AdminAnswer* answer);

}  // namespace dynolith

#endif  // DYNOLITH_API_ADMIN_ADMIN_ERROR_H_
