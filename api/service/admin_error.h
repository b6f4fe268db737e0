// What the admin endpoint answers when a request comes to nothing.
#ifndef DYNOLITH_API_SERVICE_ADMIN_ERROR_H_
#define DYNOLITH_API_SERVICE_ADMIN_ERROR_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "api/json/json_response.h"
#include "api/json/single_member.h"
#include "api/service/admin_request.h"

namespace dynolith {

inline constexpr std::string_view kAdminErrorMember = "error";
// Of what was done and has nothing to say.
inline constexpr std::string_view kNothing = "{}";

// {"error": message}
void AnswerAdminError(int status, std::string_view message, JsonResponse* answer);

// 405, with the methods that there are: a literal.
void AnswerWrongMethod(std::string_view path, std::string_view methods, JsonResponse* answer);
// Why the body of a request is not an object with one member.
std::string MemberFaultText(SingleMemberFault fault, std::string_view name,
                            std::string_view example);
// Of a snapshot or a database that was named: 404 if it is not there, 409 if it is already or
// the data folder does not allow it, 400 if it cannot be, 503 if there is no room to open it, else
// 500.
void AnswerStateError(const absl::Status& status, JsonResponse* answer);
// What the database says of a table that was asked for: 404 if it is not there, else 400.
void AnswerTableError(const absl::Status& status, JsonResponse* answer);

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_ADMIN_ERROR_H_
