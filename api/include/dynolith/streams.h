// Requests and outputs of ListStreams, DescribeStream, GetShardIterator and GetRecords, with
// DynamoDB's member names in snake_case.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_STREAMS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_STREAMS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "dynolith/requests.h"
#include "engine/catalog/table_meta.h"
#include "engine/value/item.h"

namespace dynolith {

struct ListStreamsRequest {
  std::optional<std::string> table_name;
  std::optional<int64_t> limit;
  std::optional<std::string> exclusive_start_stream_arn;
};

struct StreamSummary {
  std::string stream_arn;
  std::string table_name;
  std::string stream_label;
};

struct ListStreamsOutput {
  std::vector<StreamSummary> streams;
  std::optional<std::string> last_evaluated_stream_arn;
};

enum class ShardFilterType : uint8_t { kChildShards };

struct ShardFilter {
  std::optional<ShardFilterType> type;
  std::optional<std::string> shard_id;
};

struct DescribeStreamRequest {
  std::string stream_arn;
  std::optional<int64_t> limit;
  std::optional<std::string> exclusive_start_shard_id;
  std::optional<ShardFilter> shard_filter;
};

enum class StreamStatus : uint8_t { kEnabling, kEnabled, kDisabling, kDisabled };

struct ShardDescription {
  std::string shard_id;
  std::string starting_sequence_number;
  std::optional<std::string> ending_sequence_number;  // absent: open
  std::optional<std::string> parent_shard_id;
};

struct StreamDescription {
  std::string stream_arn;
  std::string stream_label;
  StreamStatus stream_status = StreamStatus::kEnabled;
  StreamViewType stream_view_type = StreamViewType::kKeysOnly;
  absl::Time creation_request_date_time;
  std::string table_name;
  std::vector<KeySchemaElement> key_schema;
  std::vector<ShardDescription> shards;
  std::optional<std::string> last_evaluated_shard_id;
};

struct DescribeStreamOutput {
  StreamDescription stream_description;
};

enum class ShardIteratorType : uint8_t {
  kTrimHorizon,
  kLatest,
  kAtSequenceNumber,
  kAfterSequenceNumber
};

struct GetShardIteratorRequest {
  std::string stream_arn;
  std::string shard_id;
  ShardIteratorType shard_iterator_type = ShardIteratorType::kTrimHorizon;
  std::optional<std::string> sequence_number;
};

struct GetShardIteratorOutput {
  std::string shard_iterator;
};

struct GetRecordsRequest {
  std::string shard_iterator;
  std::optional<int64_t> limit;
};

enum class OperationType : uint8_t { kInsert, kModify, kRemove };

struct StreamRecord {
  absl::Time approximate_creation_date_time;  // whole seconds
  Item keys;
  std::optional<Item> new_image;
  std::optional<Item> old_image;
  std::string sequence_number;
  int64_t size_bytes = 0;
  StreamViewType stream_view_type = StreamViewType::kKeysOnly;
};

struct UserIdentity {
  std::string principal_id;
  std::string type;
};

struct ChangeRecord {
  std::string event_id;
  OperationType event_name = OperationType::kInsert;
  std::string event_version;
  std::string event_source;
  std::string aws_region;
  StreamRecord dynamodb;
  // Set for what time to live has deleted.
  std::optional<UserIdentity> user_identity;
};

struct GetRecordsOutput {
  std::vector<ChangeRecord> records;
  // Absent: the shard is closed and has been read to its end.
  std::optional<std::string> next_shard_iterator;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_STREAMS_H_
