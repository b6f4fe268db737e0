#include "api/stream/get_records.h"

#include "api/staleness/stale_reads.h"
#include "api/stream/messages.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/stream/stream_log.h"

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

ChangeRecord Describe(const OperationContext& context, SequenceNumber number,
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

// The state of the stream that this read sees; nullptr: the newest.
MomentPointer MomentOfStream(const OperationContext& context, const std::string& table) {
  if (context.staleness == nullptr || !context.staleness->any()) return nullptr;
  return context.staleness->Choose({.table = table, .stream = true}, StaleReads::Mode::kEventual);
}

std::optional<StreamLog::ReadPoint> ToReadPoint(const MomentPointer& moment) {
  if (moment == nullptr) return std::nullopt;
  return StreamLog::ReadPoint{moment->snapshot.get(), moment->stream_through};
}

}  // namespace

absl::StatusOr<GetRecordsOutput> GetRecords(const OperationContext& context,
                                            const GetRecordsRequest& request) {
  std::optional<ShardIterator> iterator = ParseShardIterator(request.shard_iterator);
  if (!iterator) return ValidationError(messages::ShardIteratorInvalid());
  const absl::Time now = context.clock->Now();
  if (now - iterator->created > absl::Minutes(kShardIteratorMinutes)) {
    return MakeError(ErrorKind::kExpiredIterator, messages::ShardIteratorExpired());
  }
  // A stream that was switched off must show its end.
  const std::optional<std::string> table = context.streams->FindTableName(iterator->stream);
  if (table) DYNOLITH_RETURN_IF_ERROR(context.streams->FollowTable(*context.catalog, *table));
  const MomentPointer moment = table ? MomentOfStream(context, *table) : nullptr;

  GetRecordsOutput output;
  DYNOLITH_ASSIGN_OR_RETURN(
      const StreamLog::ReadResult result,
      context.streams->Read(
          *iterator, static_cast<size_t>(request.limit.value_or(kStreamRecordsMax)),
          kStreamReadBytesMax,
          [&](SequenceNumber number, const RecordView& record) {
            output.records.push_back(Describe(context, number, record));
          },
          ToReadPoint(moment)));
  if (result.next_position) {
    iterator->kind = ShardIterator::Kind::kPosition;
    iterator->position = *result.next_position;
    iterator->created = now;
    output.next_shard_iterator = EncodeShardIterator(*iterator);
  }
  return output;
}

}  // namespace dynolith
