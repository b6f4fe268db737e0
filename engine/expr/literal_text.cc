#include "engine/expr/literal_text.h"

#include "engine/expr/messages.h"
#include "engine/value/number.h"

namespace dynolith {

std::string LiteralText(ValueView value) {
  std::string text;
  if (value.type() == Type::kNumber) {
    AppendNumberText(value.number_bytes(), &text);
  } else if (value.type() == Type::kBinary) {
    text = messages::BinaryInMessage(value.binary().size());
  } else {
    text = value.string();
  }
  return messages::LiteralInMessage(TypeName(value.type()), text);
}

}  // namespace dynolith
