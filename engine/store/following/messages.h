// What the following of a writer says.
#ifndef DYNOLITH_ENGINE_STORE_FOLLOWING_MESSAGES_H_
#define DYNOLITH_ENGINE_STORE_FOLLOWING_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string WriterUnreadable(std::string_view folder, std::string_view reason) {
  return Concat("the data folder ", folder, " cannot be listed to follow its writer: ", reason);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_STORE_FOLLOWING_MESSAGES_H_
