// GetRecords: the next records of a shard.
#ifndef DYNOLITH_API_STREAM_GET_RECORDS_H_
#define DYNOLITH_API_STREAM_GET_RECORDS_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<GetRecordsOutput> GetRecords(const OperationContext& context,
                                            const GetRecordsRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_STREAM_GET_RECORDS_H_
