// Event filter patterns: which records a mapping passes on (api/facts/stream_targets.md §2).
//
//   pattern = { "field": pattern | [rule, …], …, "$or": [pattern, …] }
//   rule    = "text" | number | true | false | null
//           | {"exists": true | false} | {"prefix": p} | {"suffix": p}    ; p = "text" |
//           | {"equals-ignore-case": "text"}                ;  {"equals-ignore-case": "text"}
//           | {"numeric": ["=" | "<" | "<=" | ">" | ">=", number, …]}
//           | {"anything-but": "text" | number | ["text" or number, …]
//                              | {"prefix": t} | {"suffix": t} | {"equals-ignore-case": t}}
//                                                           ; t = "text" | ["text", …]
//
// Every field of a pattern must match; of a list of rules one is enough. A value that is a list
// matches if one of its elements does.
#ifndef DYNOLITH_TOOLS_SERVER_TARGETS_FILTER_PATTERN_H_
#define DYNOLITH_TOOLS_SERVER_TARGETS_FILTER_PATTERN_H_

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/text/json_tree.h"

namespace dynolith::targets {

// A pattern is kept as the JSON that it is: it has been checked. Values are immutable and shared by
// threads.
class FilterSet {
 public:
  // Adds a pattern: its JSON. Errors: kInvalidArgument, the reason.
  absl::Status Add(std::string_view pattern);

  bool empty() const { return patterns_.empty(); }
  // Whether one of the patterns matches; without patterns every event does.
  bool Matches(const JsonTree& event) const;

 private:
  std::vector<JsonTree> patterns_;
};

}  // namespace dynolith::targets

#endif  // DYNOLITH_TOOLS_SERVER_TARGETS_FILTER_PATTERN_H_
