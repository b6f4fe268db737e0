// A log of calls, as AWS CloudTrail has DynamoDB's data events, as the requests of a trace.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_ACCESS_LOG_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_ACCESS_LOG_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tools/trace/trace_format.h"
#include "tools/trace/trace_reader.h"

namespace dynolith::lab {

// Of items of which nothing shows a size.
inline constexpr int64_t kUnknownItemBytes = 400;

// What a log does not say.
struct LogAssumptions {
  int64_t item_bytes = kUnknownItemBytes;
  int64_t page_bytes = 0;  // that a Query or a Scan evaluates; 0: as much as one item
  // By table; of others the first attribute of a key.
  std::map<std::string, std::string> partition_keys;

  friend bool operator<(const LogAssumptions& left, const LogAssumptions& right);
};

// Whether it may be such a log, and is no trace.
bool IsAccessLog(std::string_view text);

// Gives each request to `visit`, in the order of time; it is valid during the call. The text is an
// event in JSON on each line, or {"Records": [event, …]}, also several of these, each on a line.
// Events of one whole second are spread evenly over it. The warnings say what is assumed, and count
// what was left out. Errors: kInvalidArgument with a line "file:line:column: what is expected" for
// each invalid place.
absl::StatusOr<trace::TraceContents> ReadAccessLog(
    const std::string& file, std::string_view text, const LogAssumptions& assumptions,
    absl::FunctionRef<void(const trace::Request& request)> visit);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_ACCESS_LOG_H_
