#include "api/stream/get_shard_iterator.h"

#include "api/stream/messages.h"
#include "api/stream/stream_arn.h"
#include "api/stream/stream_reads.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/stream/messages.h"
#include "engine/stream/stream_log.h"

namespace dynolith {
namespace {

std::string_view ShardIteratorTypeName(ShardIteratorType type) {
  switch (type) {
    case ShardIteratorType::kTrimHorizon:
      return "TRIM_HORIZON";
    case ShardIteratorType::kLatest:
      return "LATEST";
    case ShardIteratorType::kAtSequenceNumber:
      return "AT_SEQUENCE_NUMBER";
    case ShardIteratorType::kAfterSequenceNumber:
      return "AFTER_SEQUENCE_NUMBER";
    case ShardIteratorType::kAtTimestamp:
      return "AT_TIMESTAMP";
  }
  return "";
}

absl::Status CheckTimestamp(const GetShardIteratorRequest& request, absl::Time now) {
  if (request.shard_iterator_type != ShardIteratorType::kAtTimestamp) {
    if (!request.timestamp) return absl::OkStatus();
    return ValidationError(messages::IteratorMemberUnexpected(
        "Timestamp", ShardIteratorTypeName(request.shard_iterator_type)));
  }
  if (!request.timestamp) return ValidationError(messages::TimestampMissing());
  if (*request.timestamp > now) return ValidationError(messages::TimestampInFuture());
  return absl::OkStatus();
}

absl::Status CheckRequest(const GetShardIteratorRequest& request, absl::Time now) {
  const ShardIteratorType type = request.shard_iterator_type;
  const bool is_numbered = type == ShardIteratorType::kAtSequenceNumber ||
                           type == ShardIteratorType::kAfterSequenceNumber;
  if (is_numbered && !request.sequence_number) {
    return ValidationError(messages::SequenceNumberMissing(ShardIteratorTypeName(type)));
  }
  if (!is_numbered && request.sequence_number) {
    return ValidationError(
        messages::IteratorMemberUnexpected("SequenceNumber", ShardIteratorTypeName(type)));
  }
  if (is_numbered && !ParseSequenceText(*request.sequence_number)) {
    return ValidationError(messages::SequenceNumberInvalid(*request.sequence_number));
  }
  return CheckTimestamp(request, now);
}

// The place of a sequence number. Errors: ValidationException if it cannot be one of the shard's
// yet or any more, TrimmedDataAccessException if it is older than all that is left.
absl::StatusOr<SequenceNumber> FindStartPosition(const GetShardIteratorRequest& request,
                                                 const StreamShard& shard,
                                                 SequenceNumber next_number) {
  const SequenceNumber number = *ParseSequenceText(*request.sequence_number);
  if (number >= next_number || (shard.end && number > *shard.end)) {
    return ValidationError(
        messages::SequenceNumberNotInShard(*request.sequence_number, request.shard_id));
  }
  const bool after = request.shard_iterator_type == ShardIteratorType::kAfterSequenceNumber;
  const SequenceNumber position = after ? number + 1 : number;
  if (position <= shard.trimmed_through || position < shard.number) {
    return MakeError(ErrorKind::kTrimmedDataAccess, messages::TrimmedDataAccess());
  }
  return position;
}

}  // namespace

absl::StatusOr<GetShardIteratorOutput> GetShardIterator(const OperationContext& context,
                                                        const GetShardIteratorRequest& request) {
  const absl::Time now = context.clock->Now();
  DYNOLITH_RETURN_IF_ERROR(CheckRequest(request, now));
  DYNOLITH_ASSIGN_OR_RETURN(const StreamName name, ParseStreamArn(context, request.stream_arn));
  DYNOLITH_RETURN_IF_ERROR(CheckReadsStreams(context));
  DYNOLITH_RETURN_IF_ERROR(context.streams->FollowTable(*context.catalog, name.table));
  DYNOLITH_ASSIGN_OR_RETURN(const std::optional<Stream> stream, context.streams->Find(name));
  if (!stream) return StreamNotFound(request.stream_arn);
  const auto shard_number = ParseShardId(request.shard_id);
  const StreamShard* shard = shard_number ? stream->FindShard(*shard_number) : nullptr;
  if (shard == nullptr) {
    return MakeError(ErrorKind::kResourceNotFound, messages::ShardNotFound());
  }

  ShardIterator iterator;
  iterator.kind = ShardIterator::Kind::kPosition;
  iterator.stream = stream->number;
  iterator.shard = shard->number;
  iterator.created = now;
  iterator.stream_arn = request.stream_arn;
  switch (request.shard_iterator_type) {
    case ShardIteratorType::kTrimHorizon:
      iterator.kind = ShardIterator::Kind::kTrimHorizon;
      break;
    case ShardIteratorType::kLatest: {
      DYNOLITH_ASSIGN_OR_RETURN(iterator.position, context.streams->LatestPosition(*shard));
      break;
    }
    case ShardIteratorType::kAtSequenceNumber:
    case ShardIteratorType::kAfterSequenceNumber: {
      DYNOLITH_ASSIGN_OR_RETURN(const SequenceNumber next, context.streams->LatestPosition(*shard));
      DYNOLITH_ASSIGN_OR_RETURN(iterator.position, FindStartPosition(request, *shard, next));
      break;
    }
    case ShardIteratorType::kAtTimestamp: {
      // Records that old have been trimmed: the iterator begins at the oldest one that remains.
      if (*request.timestamp < now - absl::Hours(kStreamRetentionHours)) {
        iterator.kind = ShardIterator::Kind::kTrimHorizon;
        break;
      }
      DYNOLITH_ASSIGN_OR_RETURN(iterator.position,
                                context.streams->PositionAt(*shard, *request.timestamp));
    }
  }
  return GetShardIteratorOutput{EncodeShardIterator(iterator)};
}

}  // namespace dynolith
