// GetShardIterator: the start of reading a shard.
#ifndef DYNOLITH_API_STREAM_GET_SHARD_ITERATOR_H_
#define DYNOLITH_API_STREAM_GET_SHARD_ITERATOR_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<GetShardIteratorOutput> GetShardIterator(const OperationContext& context,
                                                        const GetShardIteratorRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_STREAM_GET_SHARD_ITERATOR_H_
