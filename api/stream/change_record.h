// A record of the change log as clients get it (api/facts/operations.md §6).
#ifndef DYNOLITH_API_STREAM_CHANGE_RECORD_H_
#define DYNOLITH_API_STREAM_CHANGE_RECORD_H_

#include "api/request/operation_context.h"
#include "dynolith/requests.h"
#include "engine/stream/record.h"
#include "engine/stream/sequence_numbers.h"

namespace dynolith {

// Copies the record's items.
ChangeRecord ToChangeRecord(const OperationContext& context, SequenceNumber number,
                            const RecordView& record);

}  // namespace dynolith

#endif  // DYNOLITH_API_STREAM_CHANGE_RECORD_H_
