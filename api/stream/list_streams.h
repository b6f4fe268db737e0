// ListStreams: the streams of one table or of all, page by page.
#ifndef DYNOLITH_API_STREAM_LIST_STREAMS_H_
#define DYNOLITH_API_STREAM_LIST_STREAMS_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<ListStreamsOutput> ListStreams(const OperationContext& context,
                                              const ListStreamsRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_STREAM_LIST_STREAMS_H_
