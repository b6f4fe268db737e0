// JSON numbers that fit neither a 64-bit integer nor a double.
#ifndef DYNOLITH_API_JSON_NUMBER_RANGE_H_
#define DYNOLITH_API_JSON_NUMBER_RANGE_H_

#include <string>
#include <string_view>

namespace dynolith {

// `json` with every number beyond the machine's range replaced by the nearest one within; integers
// stay integers. The parser refuses such numbers, the service does not: it ignores unknown members
// and checks only the types of the others. Invalid JSON stays invalid.
std::string WithNumbersInRange(std::string_view json);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_NUMBER_RANGE_H_
