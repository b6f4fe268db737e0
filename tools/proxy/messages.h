// The texts of the proxy.
#ifndef DYNOLITH_TOOLS_PROXY_MESSAGES_H_
#define DYNOLITH_TOOLS_PROXY_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string ProxyPlace(std::string_view endpoint) {
  return Concat("calls go to ", endpoint);
}
inline std::string ProxyPlaceWithShadow(std::string_view endpoint, std::string_view shadow) {
  return Concat("calls go to ", endpoint, ", and for comparison to ", shadow);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_PROXY_MESSAGES_H_
