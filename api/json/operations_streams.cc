// The operations of the Streams service, from the members of a call to the text of its output.
#include "api/json/operations.h"
#include "api/json/read_streams.h"
#include "api/json/run_operation.h"
#include "api/json/write_streams.h"

namespace dynolith {
namespace {

constexpr OperationRow kRows[] = {
    {"ListStreams", &RunOperation<ListStreamsRequest, ListStreamsOutput, &Database::ListStreams>},
    {"DescribeStream",
     &RunOperation<DescribeStreamRequest, DescribeStreamOutput, &Database::DescribeStream>},
    {"GetShardIterator",
     &RunOperation<GetShardIteratorRequest, GetShardIteratorOutput, &Database::GetShardIterator>},
    {"GetRecords", &RunOperation<GetRecordsRequest, GetRecordsOutput, &Database::GetRecords>},
};

}  // namespace

absl::Span<const OperationRow> StreamOperations() { return kRows; }

}  // namespace dynolith
