// The exponent of a number's text, where its size alone decides (api/facts/values.md §2).
#ifndef DYNOLITH_ENGINE_VALUE_NUMBER_EXPONENT_H_
#define DYNOLITH_ENGINE_VALUE_NUMBER_EXPONENT_H_

#include <string_view>

namespace dynolith {

// Whether PartiQL takes the text for no number: its exponent, or its scale (digits behind the point
// minus the exponent), does not fit 32 bits.
bool HasWideExponent(std::string_view number);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_NUMBER_EXPONENT_H_
