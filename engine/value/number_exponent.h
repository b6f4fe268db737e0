// The exponent of a number's text, where its size alone decides (api/facts/values.md §2).
#ifndef DYNOLITH_ENGINE_VALUE_NUMBER_EXPONENT_H_
#define DYNOLITH_ENGINE_VALUE_NUMBER_EXPONENT_H_

#include <string_view>

namespace dynolith {

// Whether the text has an exponent that does not fit 32 bits, which PartiQL takes for no number.
bool HasWideExponent(std::string_view number);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_NUMBER_EXPONENT_H_
