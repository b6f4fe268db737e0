// What a stream calls: event source mappings, from the options of `dynolith serve`
// (api/facts/stream_targets.md §1).
#ifndef DYNOLITH_TOOLS_SERVER_TARGETS_MAPPING_H_
#define DYNOLITH_TOOLS_SERVER_TARGETS_MAPPING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/server/targets/filter_pattern.h"

namespace dynolith::targets {

enum class StartingPosition : uint8_t { kTrimHorizon, kLatest, kAtTimestamp };

// One mapping: the members of CreateEventSourceMapping, with Lambda's defaults.
struct Mapping {
  std::string table;
  std::string target;  // "http://…", "https://…" or "exec:command"
  bool enabled = true;
  int batch_size = 100;
  absl::Duration batching_window = absl::ZeroDuration();
  StartingPosition start = StartingPosition::kTrimHorizon;
  absl::Time start_time;  // of kAtTimestamp
  FilterSet filters;      // empty: every record passes
  int lanes = 1;          // ParallelizationFactor
  bool bisects = false;   // BisectBatchOnFunctionError
  absl::Duration age_max = absl::InfiniteDuration();
  int retries_max = -1;           // -1: without end
  bool reports_failures = false;  // ReportBatchItemFailures
  std::string on_failure;         // a file's path or "http://…"; empty: none
  absl::Duration tumbling_window = absl::ZeroDuration();  // zero: none
  absl::Duration timeout = absl::Seconds(30);             // of one invocation
};

// "orders=http://127.0.0.1:9001/", "orders=exec:./handle.sh". Errors: kInvalidArgument.
absl::StatusOr<Mapping> ParseOnStream(std::string_view option);

// The mappings of all options. `file`: of --stream-targets, empty if there is none: a JSON object
// like the input of CreateEventSourceMapping, or a list of them. EventSourceArn is the table, by
// its name or an ARN; FunctionName is a target as in --on-stream. Without FunctionName the object
// sets the members of the table's mappings in `on_stream`; with one it is the mapping of that
// target, and a new one if no option names it. Errors: kInvalidArgument, which name the option, or
// the file and the place in it.
absl::StatusOr<std::vector<Mapping>> ReadMappings(const std::vector<std::string>& on_stream,
                                                  const std::string& file);
// The same for the file's text.
absl::StatusOr<std::vector<Mapping>> ParseMappings(const std::vector<std::string>& on_stream,
                                                   std::string_view text);

}  // namespace dynolith::targets

#endif  // DYNOLITH_TOOLS_SERVER_TARGETS_MAPPING_H_
