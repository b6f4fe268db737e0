#include "api/stream/change_record.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace dynolith {
namespace {

constexpr std::string_view kEventVersion = "1.1";
constexpr std::string_view kEventSource = "aws:dynamodb";
// Who deletes expired items (api/facts/operations.md §5.4).
constexpr std::string_view kServicePrincipal = "dynamodb.amazonaws.com";
constexpr std::string_view kServiceType = "Service";

OperationType ToOperationType(StreamEvent event) {
  switch (event) {
    case StreamEvent::kInsert:
      return OperationType::kInsert;
    case StreamEvent::kModify:
      return OperationType::kModify;
    case StreamEvent::kRemove:
      break;
  }
  return OperationType::kRemove;
}

}  // namespace

ChangeRecord ToChangeRecord(const OperationContext& context, SequenceNumber number,
                            const RecordView& record) {
  ChangeRecord change;
  change.event_id = MakeEventId(number);
  change.event_name = ToOperationType(record.event);
  change.event_version = kEventVersion;
  change.event_source = kEventSource;
  change.aws_region = context.region;
  if (record.by_time_to_live) {
    change.user_identity = {std::string(kServicePrincipal), std::string(kServiceType)};
  }
  StreamRecord& body = change.dynamodb;
  body.approximate_creation_date_time = absl::FromUnixSeconds(absl::ToUnixSeconds(record.created));
  body.keys = Item::Copy(record.keys);
  if (record.new_image) body.new_image = Item::Copy(*record.new_image);
  if (record.old_image) body.old_image = Item::Copy(*record.old_image);
  body.sequence_number = SequenceText(number);
  body.size_bytes = static_cast<int64_t>(RecordBytes(record));
  body.stream_view_type = record.view_type;
  return change;
}

}  // namespace dynolith
