#include "api/stream/list_streams.h"

#include "api/request/arn.h"
#include "api/stream/stream_arn.h"
#include "api/stream/stream_reads.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/stream/stream_log.h"

namespace dynolith {

absl::StatusOr<ListStreamsOutput> ListStreams(const OperationContext& context,
                                              const ListStreamsRequest& request) {
  std::optional<std::string> table;
  if (request.table_name) {
    DYNOLITH_ASSIGN_OR_RETURN(table, ResolveTableName(context, *request.table_name));
  }
  std::optional<StreamName> after;
  if (request.exclusive_start_stream_arn) {
    DYNOLITH_ASSIGN_OR_RETURN(after, ParseStreamArn(context, *request.exclusive_start_stream_arn));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckReadsStreams(context));
  DYNOLITH_RETURN_IF_ERROR(context.streams->FollowAll(*context.catalog));

  const auto limit = static_cast<size_t>(request.limit.value_or(kStreamPageMax));
  ListStreamsOutput output;
  // One more than asked for tells whether there is another page.
  for (const StreamName& name : context.streams->Names(table, after, limit + 1)) {
    if (output.streams.size() == limit) {
      output.last_evaluated_stream_arn = output.streams.back().stream_arn;
      break;
    }
    output.streams.push_back({MakeStreamArn(context, name), name.table, name.label});
  }
  return output;
}

}  // namespace dynolith
