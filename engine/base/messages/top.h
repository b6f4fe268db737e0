// What `dynolith top` says besides figures.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_TOP_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_TOP_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string TopHotKeys() { return "HOT KEYS"; }
inline std::string TopThrottledKeys() { return "THROTTLED KEYS"; }
inline std::string TopNoCalls() { return "no calls"; }
inline std::string TopNothingUsed() { return "nothing used"; }
inline std::string TopNone() { return "none"; }
inline std::string TopWaitingTag() { return "there is no such index; its tag waits for one"; }
inline std::string TopNobodyWatches() {
  return "nobody watches: serve --hot-keys, or UpdateContributorInsights";
}
inline std::string TopWaits(std::string_view reason) { return Concat(reason, "; trying again"); }
inline std::string TopNotAUrl(std::string_view text) {
  return Concat(text, " is no server's address such as http://127.0.0.1:8000");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_TOP_H_
