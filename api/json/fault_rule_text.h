// Rules of faults on purpose as JSON texts, for whoever adds them from outside.
//
//   {"fault": "throttle", "operation": "PutItem", "table": "songs", "key": {"artist": {"S":
//   "Ray"}},
//    "nth": 3, "probability": 0.5, "seed": 7, "hits_max": 10, "lifetime": 60}
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

// One, for messages.
inline constexpr std::string_view kFaultExample =
    R"({"fault": "throttle", "operation": "PutItem", "table": "songs", "hits_max": 3})";

// Errors: kInvalidArgument with what is wrong, which member it is, and an example. What a rule may
// be is not checked (Database::AddFault).
absl::StatusOr<FaultRule> ReadFaultRule(std::string_view json);

// {"faults": [{"id": 1, "fault": "throttle", …, "matches": 5, "hits": 2, "expired": false}, …]}.
// What was left to its default is not printed. `expires`: seconds since 1970.
void AppendFaultReports(const std::vector<FaultReport>& reports, std::string* out);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_FAULT_RULE_TEXT_H_
