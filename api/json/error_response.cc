// Converts failed statuses to the service's error bodies.
#include "api/json/json_response.h"
#include "api/json/json_writer.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "engine/value/attachments.h"

namespace dynolith {
namespace {

// Two errors have only a type if their message is empty.
bool HasMessage(ErrorKind kind, std::string_view message) {
  return !message.empty() ||
         (kind != ErrorKind::kSerialization && kind != ErrorKind::kUnknownOperation);
}

void WriteAttachment(std::string_view member, Attachment attachment, const absl::Status& status,
                     JsonWriter* writer) {
  const std::string json = AttachedJson(status, attachment);
  if (json.empty()) return;
  writer->Key(member);
  writer->Json(json);
}

}  // namespace

JsonResponse ErrorResponse(const absl::Status& status) {
  const ErrorKind kind = KindOf(status);
  const ErrorInfo& info = InfoOf(kind);
  JsonResponse response;
  response.http_status = info.http_status;
  response.error = kind;
  if (kind == ErrorKind::kInternalServerError) {
    response.cause =
        Concat(ToStd(absl::StatusCodeToString(status.code())), ": ", MessageOf(status));
  }
  JsonWriter writer(&response.body);
  writer.BeginObject();
  writer.Key("__type");
  writer.String(Concat(info.type_prefix, "#", info.exception_name));
  if (HasMessage(kind, MessageOf(status))) {
    writer.Key(info.message_member);
    writer.String(MessageOf(status));
  }
  WriteAttachment("Item", Attachment::kItem, status, &writer);
  WriteAttachment("CancellationReasons", Attachment::kReasons, status, &writer);
  WriteAttachment(kind == ErrorKind::kThrottling ? "throttlingReasons" : "ThrottlingReasons",
                  Attachment::kThrottling, status, &writer);
  writer.EndObject();
  return response;
}

}  // namespace dynolith
