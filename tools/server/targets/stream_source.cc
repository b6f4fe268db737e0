#include "tools/server/targets/stream_source.h"

#include <utility>

#include "api/service/messages.h"
#include "api/stream/stream_arn.h"
#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"
#include "engine/stream/shard_iterator.h"
#include "engine/stream/stream_log.h"
#include "engine/stream/stream_rows.h"

namespace dynolith::targets {
namespace {

constexpr size_t kStreamsMax = 1000;

absl::StatusOr<DatabaseInstance::Use> BeginUse(const DatabaseInstance& database) {
  std::optional<DatabaseInstance::Use> use = database.TryBegin();
  if (use && *use) return *std::move(use);
  return absl::UnavailableError(messages::DatabaseNotOpen());
}

absl::StatusOr<StreamLog::ReadResult> ReadFrom(
    StreamLog* log, const SourceShard& shard, SequenceNumber from, size_t records_max,
    absl::FunctionRef<void(SequenceNumber, const RecordView&)> sink) {
  ShardIterator iterator;
  iterator.kind = from == 0 ? ShardIterator::Kind::kTrimHorizon : ShardIterator::Kind::kPosition;
  iterator.stream = shard.stream;
  iterator.shard = shard.number;
  iterator.position = from;
  return log->Read(iterator, records_max, kStreamReadBytesMax, sink);
}

}  // namespace

absl::StatusOr<std::vector<SourceShard>> StreamSource::Shards(const std::string& table) const {
  DYNOLITH_ASSIGN_OR_RETURN(const DatabaseInstance::Use use, BeginUse(*database_));
  const OperationContext& context = ContextOf(*use.database());
  DYNOLITH_RETURN_IF_ERROR(context.streams->FollowTable(*context.catalog, table));
  std::vector<SourceShard> shards;
  for (const StreamName& name : context.streams->Names(table, std::nullopt, kStreamsMax)) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::optional<Stream> stream, context.streams->Find(name));
    if (!stream) continue;
    for (const StreamShard& shard : stream->shards) {
      shards.push_back({.stream = stream->number,
                        .number = shard.number,
                        .id = ShardIdText(shard.number),
                        .stream_arn = MakeStreamArn(context, name),
                        .parent = shard.parent,
                        .is_closed = shard.end.has_value(),
                        .key = stream->key});
    }
  }
  return shards;
}

absl::StatusOr<SequenceNumber> StreamSource::End() const {
  DYNOLITH_ASSIGN_OR_RETURN(const DatabaseInstance::Use use, BeginUse(*database_));
  return ContextOf(*use.database()).streams->VisibleThrough() + 1;
}

absl::StatusOr<SequenceNumber> StreamSource::PlaceAt(const SourceShard& shard,
                                                     absl::Time time) const {
  DYNOLITH_ASSIGN_OR_RETURN(const DatabaseInstance::Use use, BeginUse(*database_));
  StreamLog* const log = ContextOf(*use.database()).streams;
  const std::optional<std::string> table = log->FindTableName(shard.stream);
  for (const StreamName& name : log->Names(table, std::nullopt, kStreamsMax)) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::optional<Stream> stream, log->Find(name));
    const StreamShard* const found =
        stream && stream->number == shard.stream ? stream->FindShard(shard.number) : nullptr;
    if (found != nullptr) return log->PositionAt(*found, time);
  }
  return SequenceNumber{0};
}

absl::StatusOr<absl::Time> StreamSource::Now() const {
  DYNOLITH_ASSIGN_OR_RETURN(const DatabaseInstance::Use use, BeginUse(*database_));
  return ContextOf(*use.database()).clock->Now();
}

absl::StatusOr<StreamSource::Place> StreamSource::Read(const SourceShard& shard,
                                                       SequenceNumber from, size_t records_max,
                                                       Sink sink) const {
  DYNOLITH_ASSIGN_OR_RETURN(const DatabaseInstance::Use use, BeginUse(*database_));
  const OperationContext& context = ContextOf(*use.database());
  const auto pass_on = [&](SequenceNumber number, const RecordView& record) {
    sink(context, number, record);
  };
  Place place;
  // After a return to a snapshot the numbers may be lower than before.
  const SequenceNumber end = context.streams->VisibleThrough() + 1;
  if (from > end && from > SequenceNumber{shard.number}) {
    place.restarted = true;
    from = 0;
  }
  absl::StatusOr<StreamLog::ReadResult> read =
      ReadFrom(context.streams, shard, from, records_max, pass_on);
  const bool is_trimmed = !read.ok() && KindOf(read.status()) == ErrorKind::kTrimmedDataAccess;
  if (is_trimmed && from != 0) {
    place.trimmed = true;
    read = ReadFrom(context.streams, shard, 0, records_max, pass_on);
  }
  DYNOLITH_RETURN_IF_ERROR(read.status());
  place.ended = !read->next_position;
  place.next = read->next_position.value_or(from);
  return place;
}

}  // namespace dynolith::targets
