// The texts about data models of AWS's design tools.
#ifndef DYNOLITH_TOOLS_LAB_DATA_MODEL_MESSAGES_H_
#define DYNOLITH_TOOLS_LAB_DATA_MODEL_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string LabModelAbove(std::string_view path, int most) {
  return Concat(path, " must be at most ", most);
}
inline std::string LabModelWithoutPatterns() {
  return "it has no access_patterns that are calls to DynamoDB, so there is nothing to simulate";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_LAB_DATA_MODEL_MESSAGES_H_
