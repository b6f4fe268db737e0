#include "tools/server/targets/event_record.h"

#include "api/json/json_writer.h"
#include "api/request/arn.h"
#include "api/service/time_text.h"
#include "engine/base/strings.h"

namespace dynolith::targets {
namespace {

std::string_view ViewTypeName(StreamViewType type) {
  switch (type) {
    case StreamViewType::kKeysOnly:
      return "KEYS_ONLY";
    case StreamViewType::kNewImage:
      return "NEW_IMAGE";
    case StreamViewType::kOldImage:
      return "OLD_IMAGE";
    case StreamViewType::kNewAndOldImages:
      break;
  }
  return "NEW_AND_OLD_IMAGES";
}

void WriteText(std::string_view name, std::string_view text, JsonWriter* writer) {
  writer->Key(name);
  writer->String(text);
}

// "2019-11-14T00:13:19Z"
std::string WholeSeconds(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

void WriteChange(SequenceNumber number, const RecordView& record, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("ApproximateCreationDateTime");
  writer->Integer(absl::ToUnixSeconds(ShownTime(record.created)));
  WriteKeysAndImages(record, writer);
  WriteText("SequenceNumber", SequenceText(number), writer);
  writer->Key("SizeBytes");
  writer->Integer(static_cast<int64_t>(RecordBytes(record)));
  WriteText("StreamViewType", ViewTypeName(record.view_type), writer);
  writer->EndObject();
}

void WriteWindow(const EventWindow& window, JsonWriter* writer) {
  writer->Key("window");
  writer->BeginObject();
  WriteText("start", WholeSeconds(window.start), writer);
  WriteText("end", WholeSeconds(window.end), writer);
  writer->EndObject();
  writer->Key("state");
  writer->Json(window.state);
  WriteText("shardId", window.shard_id, writer);
  WriteText("eventSourceARN", window.stream_arn, writer);
  writer->Key("isFinalInvokeForWindow");
  writer->Bool(window.is_final);
  writer->Key("isWindowTerminatedEarly");
  writer->Bool(window.is_terminated_early);
}

}  // namespace

void WriteKeysAndImages(const RecordView& record, JsonWriter* writer) {
  writer->Key("Keys");
  writer->Item(record.keys);
  if (record.new_image) {
    writer->Key("NewImage");
    writer->Item(*record.new_image);
  }
  if (record.old_image) {
    writer->Key("OldImage");
    writer->Item(*record.old_image);
  }
}

std::string_view EventName(StreamEvent event) {
  switch (event) {
    case StreamEvent::kInsert:
      return "INSERT";
    case StreamEvent::kModify:
      return "MODIFY";
    case StreamEvent::kRemove:
      break;
  }
  return "REMOVE";
}

absl::Time ShownTime(absl::Time created) {
  return absl::FromUnixSeconds(absl::ToUnixSeconds(created));
}

EventRecord MakeEventRecord(const OperationContext& context, std::string_view stream_arn,
                            SequenceNumber number, const RecordView& record) {
  EventRecord made = {.number = number, .created = record.created, .json = ""};
  JsonWriter writer(&made.json);
  writer.BeginObject();
  WriteText("eventID", MakeEventId(number), &writer);
  WriteText("eventName", EventName(record.event), &writer);
  WriteText("eventVersion", "1.1", &writer);
  WriteText("eventSource", "aws:dynamodb", &writer);
  WriteText("awsRegion", context.region, &writer);
  writer.Key("dynamodb");
  WriteChange(number, record, &writer);
  if (record.by_time_to_live) {
    writer.Key("userIdentity");
    writer.BeginObject();
    WriteText("principalId", "dynamodb.amazonaws.com", &writer);
    WriteText("type", "Service", &writer);
    writer.EndObject();
  }
  WriteText("eventSourceARN", stream_arn, &writer);
  writer.EndObject();
  return made;
}

int LaneOf(const KeySchema& key, ItemView keys, int lanes) {
  if (lanes == 1) return 0;
  std::string text;
  JsonWriter writer(&text);
  for (const KeyAttribute& attribute : key.hash) {
    if (const auto value = keys.Find(attribute.name)) writer.Attribute(*value);
  }
  // FNV-1a: the same in every process.
  uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return static_cast<int>(hash % static_cast<uint64_t>(lanes));
}

std::string MakeEvent(absl::Span<const EventRecord* const> records, const EventWindow* window) {
  std::string text;
  size_t bytes = 1024;
  for (const EventRecord* record : records) bytes += record->json.size() + 1;
  text.reserve(bytes);
  JsonWriter writer(&text);
  writer.BeginObject();
  writer.Key("Records");
  writer.BeginArray();
  for (const EventRecord* record : records) writer.Json(record->json);
  writer.EndArray();
  if (window != nullptr) WriteWindow(*window, &writer);
  writer.EndObject();
  return text;
}

std::string MakeFailureText(const GivenUp& given_up, absl::Span<const EventRecord* const> records,
                            std::string_view event) {
  const EventRecord& first = *records.front();
  const EventRecord& last = *records.back();
  std::string text;
  JsonWriter writer(&text);
  writer.BeginObject();
  writer.Key("requestContext");
  writer.BeginObject();
  WriteText("requestId", MakeEventId(first.number), &writer);
  WriteText("functionArn", given_up.target, &writer);
  WriteText("condition", given_up.condition, &writer);
  writer.Key("approximateInvokeCount");
  writer.Integer(given_up.invocations);
  writer.EndObject();
  if (given_up.status != 0) {
    writer.Key("responseContext");
    writer.BeginObject();
    writer.Key("statusCode");
    writer.Integer(given_up.status);
    WriteText("executedVersion", "$LATEST", &writer);
    if (!given_up.function_error.empty()) {
      WriteText("functionError", given_up.function_error, &writer);
    }
    writer.EndObject();
  }
  WriteText("version", "1.0", &writer);
  WriteText("timestamp", TimeText(given_up.now), &writer);
  writer.Key("DDBStreamBatchInfo");
  writer.BeginObject();
  WriteText("shardId", given_up.shard_id, &writer);
  WriteText("startSequenceNumber", SequenceText(first.number), &writer);
  WriteText("endSequenceNumber", SequenceText(last.number), &writer);
  WriteText("approximateArrivalOfFirstRecord", WholeSeconds(first.created), &writer);
  WriteText("approximateArrivalOfLastRecord", WholeSeconds(last.created), &writer);
  writer.Key("batchSize");
  writer.Integer(static_cast<int64_t>(records.size()));
  WriteText("streamArn", given_up.stream_arn, &writer);
  writer.EndObject();
  WriteText("payload", event, &writer);
  writer.EndObject();
  text += '\n';
  return text;
}

}  // namespace dynolith::targets
