// Fault rules as JSON texts.
//
//   {"fault": "throttle", "operation": "PutItem", "table": "songs",
//    "key": {"artist": {"S": "Ray"}}, "nth": 3, "probability": 0.5, "seed": 7, "hits_max": 10,
//    "lifetime": 60}
//   {"fault": "latency", "latency": 0.25}      seconds
//   {"fault": "partial_batch", "share": 0.5}
#ifndef DYNOLITH_API_JSON_FAULT_RULE_TEXT_H_
#define DYNOLITH_API_JSON_FAULT_RULE_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "dynolith/faults.h"

namespace dynolith {

// An example, for messages.
inline constexpr std::string_view kFaultExample =
    R"({"fault": "throttle", "operation": "PutItem", "table": "songs", "hits_max": 3})";

// Errors: kInvalidArgument with the fault, its member, and an example. Does not check whether the
// rule is valid (Database::AddFault).
absl::StatusOr<FaultRule> ReadFaultRule(std::string_view json);

// {"faults": [{"id": 1, "fault": "throttle", …, "matches": 5, "hits": 2, "expired": false}, …]}.
// Defaults are not printed. `expires`: seconds since 1970.
void AppendFaultReports(const std::vector<FaultReport>& reports, std::string* out);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_FAULT_RULE_TEXT_H_
