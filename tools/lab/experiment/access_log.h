// Reads a log of calls, DynamoDB's data events of AWS CloudTrail, as the requests of a trace.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_ACCESS_LOG_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_ACCESS_LOG_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tools/server/trace/trace_format.h"
#include "tools/server/trace/trace_reader.h"

namespace dynolith::lab {

// The assumed size of an item if the log does not show it.
inline constexpr int64_t kUnknownItemBytes = 400;

// Assumptions for what a log does not contain.
struct LogAssumptions {
  int64_t item_bytes = kUnknownItemBytes;
  int64_t page_bytes = 0;  // evaluated by a Query or Scan; 0: the size of one item
  // The partition key's name by table; by default the first attribute of a key.
  std::map<std::string, std::string> partition_keys;

  friend bool operator<(const LogAssumptions& left, const LogAssumptions& right);
};

// Whether the text looks like such a log, not like a trace.
bool IsAccessLog(std::string_view text);

// Calls `visit` with each request in the order of time; it is valid during the call. Each line of
// the text is an event in JSON, or an object {"Records": [event, …]}. Events of the same second are
// spread evenly over it. Warnings name the assumptions and count the omitted events. Errors:
// kInvalidArgument with a line "file:line:column: what is expected" for each invalid place.
absl::StatusOr<trace::TraceContents> ReadAccessLog(
    const std::string& file, std::string_view text, const LogAssumptions& assumptions,
    absl::FunctionRef<void(const trace::Request& request)> visit);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_ACCESS_LOG_H_
