// What a program says last when it has not looked at the failure of a loop over pages.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_PAGER_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_PAGER_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string PagerFailureUnseen(std::string_view failure) {
  return Concat("a loop over all pages has failed, and its status() was not looked at: ", failure);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_PAGER_H_
