// What the admin endpoint answers when a request comes to nothing.
#ifndef DYNOLITH_TOOLS_DYNOLITH_ADMIN_ERROR_H_
#define DYNOLITH_TOOLS_DYNOLITH_ADMIN_ERROR_H_

#include <string_view>

#include "tools/http/response.h"

namespace dynolith {

inline constexpr std::string_view kAdminErrorMember = "error";

// {"error": message}
void AnswerAdminError(int status, std::string_view message, http::Response* response);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_ADMIN_ERROR_H_
