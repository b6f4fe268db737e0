// Failed statuses -> the service's error bodies.
#include "api/json/dispatch.h"
#include "api/json/json_writer.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "engine/value/value.h"

namespace dynolith {
namespace {

// Two errors are nothing but their type when there is nothing more to say.
bool HasMessage(ErrorKind kind, std::string_view message) {
  return !message.empty() ||
         (kind != ErrorKind::kSerialization && kind != ErrorKind::kUnknownOperation);
}

void WriteReasons(const absl::Status& status, JsonWriter* writer) {
  const std::vector<CancellationReason> reasons = AttachedReasons(status);
  if (reasons.empty()) return;
  writer->Key("CancellationReasons");
  writer->BeginArray();
  for (const CancellationReason& reason : reasons) {
    writer->BeginObject();
    writer->Key("Code");
    writer->String(reason.code);
    if (!reason.message.empty()) {
      writer->Key("Message");
      writer->String(reason.message);
    }
    if (reason.item_bytes) {
      writer->Key("Item");
      writer->Item(ItemView::Unchecked(*reason.item_bytes));
    }
    writer->EndObject();
  }
  writer->EndArray();
}

void WriteThrottling(ErrorKind kind, const absl::Status& status, JsonWriter* writer) {
  const std::vector<ThrottlingReason> reasons = AttachedThrottling(status);
  if (reasons.empty()) return;
  writer->Key(kind == ErrorKind::kThrottling ? "throttlingReasons" : "ThrottlingReasons");
  writer->BeginArray();
  for (const ThrottlingReason& reason : reasons) {
    writer->BeginObject();
    writer->Key("reason");
    writer->String(reason.reason);
    writer->Key("resource");
    writer->String(reason.resource);
    writer->EndObject();
  }
  writer->EndArray();
}

}  // namespace

JsonResponse ErrorResponse(const absl::Status& status) {
  const ErrorKind kind = KindOf(status);
  const ErrorInfo& info = InfoOf(kind);
  JsonResponse response;
  response.http_status = info.http_status;
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
  if (const auto item = AttachedItem(status)) {
    writer.Key("Item");
    writer.Item(ItemView::Unchecked(*item));
  }
  WriteReasons(status, &writer);
  WriteThrottling(kind, status, &writer);
  writer.EndObject();
  return response;
}

}  // namespace dynolith
