#include "api/stream/get_records.h"

#include "api/staleness/stale_reads.h"
#include "api/stream/change_record.h"
#include "api/stream/messages.h"
#include "api/stream/stream_reads.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/partition/access_observer.h"
#include "engine/stream/stream_log.h"

namespace dynolith {
namespace {

// The state of the stream that this read sees; nullptr: the newest.
MomentPointer MomentOfStream(const OperationContext& context, const std::string& table) {
  if (context.staleness == nullptr || !context.staleness->any()) return nullptr;
  return context.staleness->Choose({.table = table, .stream = true}, StaleReads::Mode::kEventual);
}

std::optional<StreamLog::ReadPoint> ToReadPoint(const MomentPointer& moment) {
  if (moment == nullptr) return std::nullopt;
  return StreamLog::ReadPoint{moment->snapshot.get(), moment->stream_through};
}

void NoteRead(AccessObserver& observer, std::string_view table, std::string_view stream_arn,
              const std::vector<ChangeRecord>& records) {
  ObservedStreamRead read = {
      .table = table, .stream_arn = stream_arn, .records = static_cast<int64_t>(records.size())};
  for (const ChangeRecord& record : records) read.bytes += record.dynamodb.size_bytes;
  observer.NoteStreamRead(read);
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
  DYNOLITH_RETURN_IF_ERROR(CheckReadsStreams(context));
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
            output.records.push_back(ToChangeRecord(context, number, record));
          },
          ToReadPoint(moment)));
  if (table && context.observer != nullptr) {
    NoteRead(*context.observer, *table, iterator->stream_arn, output.records);
  }
  if (result.next_position) {
    iterator->kind = ShardIterator::Kind::kPosition;
    iterator->position = *result.next_position;
    iterator->created = now;
    output.next_shard_iterator = EncodeShardIterator(*iterator);
  }
  return output;
}

}  // namespace dynolith
