// Records of streams in the form in which Lambda hands them to a function, and the events that hold
// them (api/facts/stream_targets.md §3).
#ifndef DYNOLITH_TOOLS_SERVER_TARGETS_EVENT_RECORD_H_
#define DYNOLITH_TOOLS_SERVER_TARGETS_EVENT_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "api/json/json_writer.h"
#include "api/request/operation_context.h"
#include "engine/key/schema.h"
#include "engine/stream/record.h"
#include "engine/stream/sequence_numbers.h"

namespace dynolith::targets {

// Members of the object of a change that all forms of records have.
void WriteKeysAndImages(const RecordView& record, JsonWriter* writer);

struct EventRecord {
  SequenceNumber number = 0;
  absl::Time created;
  std::string json;  // an object, without white space
};

// `stream_arn`: of the record's stream.
EventRecord MakeEventRecord(const OperationContext& context, std::string_view stream_arn,
                            SequenceNumber number, const RecordView& record);

// "MODIFY".
std::string_view EventName(StreamEvent event);

// From 0 to below `lanes`: always the same for a partition key.
int LaneOf(const KeySchema& key, ItemView keys, int lanes);

// The whole seconds that records show; tumbling windows go by them.
absl::Time ShownTime(absl::Time created);

// What an event with a tumbling window has besides its records.
struct EventWindow {
  absl::Time start;
  absl::Time end;
  std::string_view state;  // JSON
  std::string_view shard_id;
  std::string_view stream_arn;
  bool is_final = false;
  bool is_terminated_early = false;
};

// {"Records":[…]} and the members of a window; nullptr: none.
std::string MakeEvent(absl::Span<const EventRecord* const> records, const EventWindow* window);

// What a destination is told of records that are given up, with the event as payload.
struct GivenUp {
  std::string_view condition;  // "RetryAttemptsExhausted"
  std::string_view target;
  std::string_view stream_arn;
  std::string_view shard_id;
  int64_t invocations = 0;
  absl::Time now;
  int status = 0;  // of the last answer; 0: there was none
  std::string_view function_error;
};
// One line. Requires: records.
std::string MakeFailureText(const GivenUp& given_up, absl::Span<const EventRecord* const> records,
                            std::string_view event);

}  // namespace dynolith::targets

#endif  // DYNOLITH_TOOLS_SERVER_TARGETS_EVENT_RECORD_H_
