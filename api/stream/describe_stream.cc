#include "api/stream/describe_stream.h"

#include <memory>

#include "api/stream/messages.h"
#include "api/stream/stream_arn.h"
#include "api/stream/stream_reads.h"
#include "api/table/table_definition.h"
#include "api/table/table_lifecycle.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/stream/stream_log.h"

namespace dynolith {
namespace {

absl::Status CheckFilter(const ShardFilter& filter) {
  if (!filter.type && filter.shard_id) {
    return ValidationError(messages::ShardFilterNeedsType());
  }
  if (filter.type && !filter.shard_id) {
    return ValidationError(messages::ShardFilterNeedsShard());
  }
  return absl::OkStatus();
}

ShardDescription Describe(const StreamShard& shard) {
  ShardDescription description;
  description.shard_id = ShardIdText(shard.number);
  description.sequence_number_range.starting_sequence_number = SequenceText(shard.number);
  if (shard.end) {
    description.sequence_number_range.ending_sequence_number = SequenceText(*shard.end);
  }
  if (shard.parent) description.parent_shard_id = ShardIdText(*shard.parent);
  return description;
}

bool Passes(const StreamShard& shard, const DescribeStreamRequest& request) {
  if (request.exclusive_start_shard_id &&
      ShardIdText(shard.number) <= *request.exclusive_start_shard_id) {
    return false;
  }
  if (!request.shard_filter || !request.shard_filter->type) return true;
  return shard.parent && ShardIdText(*shard.parent) == *request.shard_filter->shard_id;
}

// ENABLING or DISABLING while the table is still changing its stream (api/facts/operations.md §6).
absl::StatusOr<StreamStatus> FindStreamStatus(const OperationContext& context,
                                              const StreamName& name, const Stream& stream) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, FindSettled(context, name.table));
  const StreamStatus settled = stream.closed ? StreamStatus::kDisabled : StreamStatus::kEnabled;
  if (table == nullptr) return settled;
  const std::shared_ptr<const TableMeta> meta = table->meta();
  const bool is_busy =
      meta->status == TableStatus::kCreating ||
      (meta->status == TableStatus::kUpdating && meta->change == TableChange::kStream);
  if (!is_busy || meta->stream.label != name.label) return settled;
  return meta->stream.enabled ? StreamStatus::kEnabling : StreamStatus::kDisabling;
}

}  // namespace

absl::StatusOr<DescribeStreamOutput> DescribeStream(const OperationContext& context,
                                                    const DescribeStreamRequest& request) {
  if (request.shard_filter) DYNOLITH_RETURN_IF_ERROR(CheckFilter(*request.shard_filter));
  DYNOLITH_ASSIGN_OR_RETURN(const StreamName name, ParseStreamArn(context, request.stream_arn));
  DYNOLITH_RETURN_IF_ERROR(CheckReadsStreams(context));
  DYNOLITH_RETURN_IF_ERROR(context.streams->FollowTable(*context.catalog, name.table));
  // Closes shards that are due now, so that the answer does not depend on when the last sweep was.
  DYNOLITH_RETURN_IF_ERROR(context.streams->RollOldShards());
  DYNOLITH_ASSIGN_OR_RETURN(const std::optional<Stream> stream, context.streams->Find(name));
  if (!stream) return StreamNotFound(request.stream_arn);

  DescribeStreamOutput output;
  StreamDescription& description = output.stream_description;
  description.stream_arn = request.stream_arn;
  description.stream_label = name.label;
  DYNOLITH_ASSIGN_OR_RETURN(description.stream_status, FindStreamStatus(context, name, *stream));
  description.stream_view_type = stream->view_type;
  description.creation_request_date_time = stream->created;
  description.table_name = name.table;
  description.key_schema = ToKeySchemaElements(stream->key);
  const auto limit = static_cast<size_t>(request.limit.value_or(kStreamPageMax));
  for (const StreamShard& shard : stream->shards) {
    if (!Passes(shard, request)) continue;
    if (description.shards.size() == limit) {
      description.last_evaluated_shard_id = description.shards.back().shard_id;
      break;
    }
    description.shards.push_back(Describe(shard));
  }
  return output;
}

}  // namespace dynolith
