// Prints encoded bytes with their meaning, for `dynolith dissect`, error reports and tests.
#ifndef DYNOLITH_ENGINE_VALUE_DISSECT_H_
#define DYNOLITH_ENGINE_VALUE_DISSECT_H_

#include <string>
#include <string_view>

#include "engine/value/value.h"

namespace dynolith {

// One line per field: offset, bytes in hex, meaning. Stops at the first damage and describes it.
// Never fails.
std::string DissectItem(std::string_view bytes);
std::string DissectValue(std::string_view bytes);

// A compact, unambiguous one-line text of a value or item for messages and test output: {pk: S "a",
// n: N 12}.
std::string DebugString(ValueView value);
std::string DebugString(ItemView item);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_DISSECT_H_
