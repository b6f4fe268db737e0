// JSON numbers that no 64-bit integer or double holds.
#ifndef DYNOLITH_API_JSON_NUMBER_RANGE_H_
#define DYNOLITH_API_JSON_NUMBER_RANGE_H_

#include <string>
#include <string_view>

namespace dynolith {

// `json` with every number beyond the machine's range replaced by the nearest one within; whole
// numbers stay whole. The parser refuses such numbers, the service does not: it ignores members
// that it does not know and looks at the types of the others. What is no JSON stays none.
std::string WithNumbersInRange(std::string_view json);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_NUMBER_RANGE_H_
