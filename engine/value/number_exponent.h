// The exponent of a number's text, for rules that depend only on its size (api/facts/values.md §2).
#ifndef DYNOLITH_ENGINE_VALUE_NUMBER_EXPONENT_H_
#define DYNOLITH_ENGINE_VALUE_NUMBER_EXPONENT_H_

#include <string_view>

namespace dynolith {

// Whether PartiQL refuses the text as a number: its exponent, or its scale (digits after the point
// minus the exponent), does not fit 32 bits.
bool HasWideExponent(std::string_view number);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_NUMBER_EXPONENT_H_
