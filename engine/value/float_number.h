// Numbers as 32-bit floats, as vector indexes store them.
#ifndef DYNOLITH_ENGINE_VALUE_FLOAT_NUMBER_H_
#define DYNOLITH_ENGINE_VALUE_FLOAT_NUMBER_H_

#include <string_view>

#include "engine/value/number.h"

namespace dynolith {

// Whether an encoded number is within the range of floats: it rounds to a finite one. Numbers
// nearer to zero than any float are.
bool FitsFloat(std::string_view encoded_number);

// The nearest float. Requires: FitsFloat.
float NearestFloat(std::string_view encoded_number);

// The shortest decimal that identifies the float. Requires: finite.
NumberBytes EncodeFloat(float number);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_FLOAT_NUMBER_H_
