// The form in which messages print the value of a key or of a literal.
#ifndef DYNOLITH_ENGINE_EXPR_LITERAL_TEXT_H_
#define DYNOLITH_ENGINE_EXPR_LITERAL_TEXT_H_

#include <string>

#include "engine/value/value.h"

namespace dynolith {

// "AttributeValue: {S:abc}". Requires: S, N or B.
std::string LiteralText(ValueView value);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_EXPR_LITERAL_TEXT_H_
