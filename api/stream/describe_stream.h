// DescribeStream: the description of a stream and its shards, page by page.
#ifndef DYNOLITH_API_STREAM_DESCRIBE_STREAM_H_
#define DYNOLITH_API_STREAM_DESCRIBE_STREAM_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<DescribeStreamOutput> DescribeStream(const OperationContext& context,
                                                    const DescribeStreamRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_STREAM_DESCRIBE_STREAM_H_
