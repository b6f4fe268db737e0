#include "api/json/read_streams.h"

#include <utility>

#include "api/json/members.h"
#include "api/json/request_parts.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

constexpr std::pair<std::string_view, ShardFilterType> kFilterTypes[] = {
    {"CHILD_SHARDS", ShardFilterType::kChildShards}};
constexpr std::pair<std::string_view, ShardIteratorType> kIteratorTypes[] = {
    {"TRIM_HORIZON", ShardIteratorType::kTrimHorizon},
    {"LATEST", ShardIteratorType::kLatest},
    {"AT_SEQUENCE_NUMBER", ShardIteratorType::kAtSequenceNumber},
    {"AFTER_SEQUENCE_NUMBER", ShardIteratorType::kAfterSequenceNumber}};

}  // namespace

absl::Status ReadRequest(const Fields& fields, ListStreamsRequest* request) {
  namespace in = members::ListStreamsInput;
  if (fields.Has(in::kTableName)) {
    DYNOLITH_RETURN_IF_ERROR(
        ReadTableName(fields.Text(in::kTableName), &request->table_name.emplace()));
  }
  request->limit = fields.Integer(in::kLimit);
  request->exclusive_start_stream_arn = fields.String(in::kExclusiveStartStreamArn);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, DescribeStreamRequest* request) {
  namespace in = members::DescribeStreamInput;
  request->stream_arn = fields.Text(in::kStreamArn);
  request->limit = fields.Integer(in::kLimit);
  request->exclusive_start_shard_id = fields.String(in::kExclusiveStartShardId);
  if (const JsonValue* value = fields.Find(in::kShardFilter)) {
    const Fields filter(members::ShardFilter::kShape, *value);
    request->shard_filter = {
        .type = ReadEnum(filter, members::ShardFilter::kType, absl::MakeConstSpan(kFilterTypes)),
        .shard_id = filter.String(members::ShardFilter::kShardId)};
  }
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, GetShardIteratorRequest* request) {
  namespace in = members::GetShardIteratorInput;
  request->stream_arn = fields.Text(in::kStreamArn);
  request->shard_id = fields.Text(in::kShardId);
  request->shard_iterator_type =
      ReadEnum(fields, in::kShardIteratorType, absl::MakeConstSpan(kIteratorTypes))
          .value_or(ShardIteratorType::kTrimHorizon);
  request->sequence_number = fields.String(in::kSequenceNumber);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, GetRecordsRequest* request) {
  namespace in = members::GetRecordsInput;
  request->shard_iterator = fields.Text(in::kShardIterator);
  request->limit = fields.Integer(in::kLimit);
  return absl::OkStatus();
}

}  // namespace dynolith
