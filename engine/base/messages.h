// The texts of this room.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string OneValidationError(std::string_view text) {
  return Concat("1 validation error detected: ", text);
}
inline std::string NotEnoughMemory() { return "there is not enough memory"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_H_
