// Message texts of time to live (api/facts/operations.md §5.4).
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_TTL_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_TTL_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string TimeToLiveAlreadyEnabled() { return "TimeToLive is already enabled"; }
inline std::string TimeToLiveAlreadyDisabled() { return "TimeToLive is already disabled"; }
inline std::string TimeToLiveOnAnotherAttribute(std::string_view current) {
  return Concat("TimeToLive is active on a different AttributeName: current AttributeName is ",
                current);
}
inline std::string TimeToLiveChangedRecently() {
  return "Time to live has been modified multiple times within a fixed interval";
}
inline std::string TimeToLiveWhile(std::string_view state) {
  return Concat("Cannot describe time to live while table is in ", state,
                " state: Current table state is ", state);
}

inline std::string DamagedExpiryFill() {
  return "the row that says whose expiry rows are being filled is damaged";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_TTL_H_
