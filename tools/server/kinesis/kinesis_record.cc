#include "tools/server/kinesis/kinesis_record.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "api/json/json_writer.h"
#include "api/remote/signature.h"
#include "tools/server/targets/event_record.h"

namespace dynolith::kinesis {
namespace {

// Digits of a partition key: as many as were seen in records of the service.
constexpr size_t kPartitionKeyDigits = 32;

// "8b29bf28-de2e-4171-b2cd-5dff8a131f3e"
std::string DashedId(const std::string& digits) {
  std::string id;
  size_t begin = 0;
  for (const size_t length : {8, 4, 4, 4, 12}) {
    if (begin > 0) id += '-';
    id.append(digits, begin, length);
    begin += length;
  }
  return id;
}

std::string PartitionKeyOf(ItemView keys) {
  std::string digits = http::Hex(http::Sha256(keys.bytes())).substr(0, kPartitionKeyDigits);
  absl::AsciiStrToUpper(&digits);
  return digits;
}

void WriteChange(TimestampPrecision precision, const RecordView& record, JsonWriter* writer) {
  const bool is_micro = precision == TimestampPrecision::kMicrosecond;
  writer->BeginObject();
  writer->Key("ApproximateCreationDateTime");
  writer->Integer(is_micro ? absl::ToUnixMicros(record.created)
                           : absl::ToUnixMillis(record.created));
  targets::WriteKeysAndImages(record, writer);
  writer->Key("SizeBytes");
  writer->Integer(static_cast<int64_t>(RecordBytes(record)));
  if (is_micro) {
    writer->Key("ApproximateCreationDateTimePrecision");
    writer->String("MICROSECOND");
  }
  writer->EndObject();
}

void WriteUser(const RecordView& record, JsonWriter* writer) {
  writer->Key("userIdentity");
  if (!record.by_time_to_live) return writer->Null();
  writer->BeginObject();
  writer->Key("type");
  writer->String("Service");
  writer->Key("principalId");
  writer->String("dynamodb.amazonaws.com");
  writer->EndObject();
}

}  // namespace

KinesisRecord MakeKinesisRecord(const OperationContext& context, std::string_view table,
                                TimestampPrecision precision, SequenceNumber number,
                                const RecordView& record) {
  KinesisRecord made = {.number = number,
                        .created = record.created,
                        .partition_key = PartitionKeyOf(record.keys),
                        .data = ""};
  JsonWriter writer(&made.data);
  const auto text = [&](std::string_view name, std::string_view value) {
    writer.Key(name);
    writer.String(value);
  };
  writer.BeginObject();
  text("awsRegion", context.region);
  text("eventID", DashedId(MakeEventId(number)));
  text("eventName", targets::EventName(record.event));
  WriteUser(record, &writer);
  text("recordFormat", "application/json");
  text("tableName", table);
  writer.Key("dynamodb");
  WriteChange(precision, record, &writer);
  text("eventSource", "aws:dynamodb");
  writer.EndObject();
  return made;
}

}  // namespace dynolith::kinesis
