// Calls as the wire's JSON, and answers parsed from it (api/facts/wire.md §7).
#ifndef DYNOLITH_TOOLS_LAB_MEASURE_CALL_JSON_H_
#define DYNOLITH_TOOLS_LAB_MEASURE_CALL_JSON_H_

#include <string>
#include <string_view>

#include "tools/lab/measure/service_call.h"

namespace dynolith::lab {

// "PutItem"
std::string_view OperationName(const ServiceCall& call);
std::string ToJson(const ServiceCall& call);

// Parses a body. A body that is not JSON is a failed call.
CallAnswer AnswerOfJson(int status, std::string_view body);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_CALL_JSON_H_
