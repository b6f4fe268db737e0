// The admin endpoint's answers to failed requests.
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
// For success without a result.
inline constexpr std::string_view kNothing = "{}";

// {"error": message}
void AnswerAdminError(int status, std::string_view message, JsonResponse* answer);

// 405, with the allowed methods: a literal.
void AnswerWrongMethod(std::string_view path, std::string_view methods, JsonResponse* answer);
// The reason for which the body of a request is not an object with one member.
std::string MemberErrorText(SingleMemberError error, std::string_view name,
                            std::string_view example);
// For a named snapshot or database: 404 if it does not exist, 409 if it exists already or the data
// folder does not allow the request, also because this process only reads it, 400 if it is
// impossible, 503 if there is no room to open it, else 500.
void AnswerStateError(const absl::Status& status, JsonResponse* answer);
// The database's error about a table: 404 if it does not exist, else 400.
void AnswerTableError(const absl::Status& status, JsonResponse* answer);

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_ADMIN_ERROR_H_
