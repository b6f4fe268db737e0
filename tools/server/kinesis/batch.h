// Which of the records that wait go into the next call of PutRecords.
#ifndef DYNOLITH_TOOLS_SERVER_KINESIS_BATCH_H_
#define DYNOLITH_TOOLS_SERVER_KINESIS_BATCH_H_

#include <cstddef>
#include <deque>
#include <vector>

#include "tools/server/kinesis/kinesis_record.h"

namespace dynolith::kinesis {

struct WaitingRecord {
  KinesisRecord record;
  bool is_sent = false;  // a record before it is not
};

// The places of records, in order: the first of each item that is not sent, as many as fit. Kinesis
// may take some records of a call and not others, so that two of an item in one call could change
// their order. A record beyond kRecordBytesMax, which the endpoint may refuse, is alone.
std::vector<size_t> ChooseBatch(const std::deque<WaitingRecord>& waiting);

}  // namespace dynolith::kinesis

#endif  // DYNOLITH_TOOLS_SERVER_KINESIS_BATCH_H_
