// A change of an item in the form in which DynamoDB puts it into a Kinesis stream
// (api/facts/stream_targets.md §5).
#ifndef DYNOLITH_TOOLS_SERVER_KINESIS_KINESIS_RECORD_H_
#define DYNOLITH_TOOLS_SERVER_KINESIS_KINESIS_RECORD_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "api/request/operation_context.h"
#include "engine/model/structures.h"
#include "engine/stream/record.h"
#include "engine/stream/sequence_numbers.h"

namespace dynolith::kinesis {

struct KinesisRecord {
  SequenceNumber number = 0;
  absl::Time created;
  std::string partition_key;  // always the same for an item, different for others
  std::string data;           // a JSON object, without white space

  // As Kinesis counts it.
  size_t bytes() const { return partition_key.size() + data.size(); }
};

KinesisRecord MakeKinesisRecord(const OperationContext& context, std::string_view table,
                                TimestampPrecision precision, SequenceNumber number,
                                const RecordView& record);

}  // namespace dynolith::kinesis

#endif  // DYNOLITH_TOOLS_SERVER_KINESIS_KINESIS_RECORD_H_
