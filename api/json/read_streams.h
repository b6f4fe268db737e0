// JSON -> requests of ListStreams, DescribeStream, GetShardIterator and GetRecords.
#ifndef DYNOLITH_API_JSON_READ_STREAMS_H_
#define DYNOLITH_API_JSON_READ_STREAMS_H_

#include "absl/status/status.h"
#include "api/json/fields.h"
#include "dynolith/streams.h"

namespace dynolith {

// As in read_items.h.
absl::Status ReadRequest(const Fields& fields, ListStreamsRequest* request);
absl::Status ReadRequest(const Fields& fields, DescribeStreamRequest* request);
absl::Status ReadRequest(const Fields& fields, GetShardIteratorRequest* request);
absl::Status ReadRequest(const Fields& fields, GetRecordsRequest* request);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_READ_STREAMS_H_
