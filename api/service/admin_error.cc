#include "api/service/admin_error.h"

#include "api/json/json_writer.h"
#include "api/json/messages.h"
#include "api/service/messages.h"
#include "engine/base/errors.h"
#include "engine/text/utf8.h"

namespace dynolith {

void AnswerAdminError(int status, std::string_view message, JsonResponse* answer) {
  answer->http_status = status;
  answer->body.clear();
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  writer.Key(kAdminErrorMember);
  // It may say what a path or a header had, which may be anything.
  writer.String(ReplaceNonUtf8(message));
  writer.EndObject();
}

void AnswerWrongMethod(std::string_view path, std::string_view methods, JsonResponse* answer) {
  answer->allowed_methods = methods;
  AnswerAdminError(405, messages::AdminWrongMethod(path, methods), answer);
}

void AnswerTableError(const absl::Status& status, JsonResponse* answer) {
  const bool is_absent = KindOf(status) == ErrorKind::kResourceNotFound;
  AnswerAdminError(is_absent ? 404 : 400, MessageOf(status), answer);
}

std::string MemberErrorText(SingleMemberError error, std::string_view name,
                            std::string_view example) {
  switch (error) {
    case SingleMemberError::kNotAnObject:
      return messages::AdminNotAnObject(example);
    case SingleMemberError::kOtherMembers:
      return messages::AdminMemberWanted(name, example);
    case SingleMemberError::kOtherType:
      break;
  }
  return messages::AdminWrongType(name, example);
}

void AnswerStateError(const absl::Status& status, JsonResponse* answer) {
  const ErrorKind kind = KindOf(status);
  const int http_status = kind == ErrorKind::kServiceUnavailable ? InfoOf(kind).http_status
                          : kind == ErrorKind::kLimitExceeded    ? 409
                          : kind == ErrorKind::kAccessDenied     ? 409  // it follows a writer
                          : absl::IsNotFound(status)             ? 404
                          : absl::IsAlreadyExists(status)        ? 409
                          : absl::IsFailedPrecondition(status)   ? 409
                          : absl::IsInvalidArgument(status)      ? 400
                                                                 : 500;
  AnswerAdminError(http_status, MessageOf(status), answer);
}

}  // namespace dynolith
