// The texts of `dynolith top`'s figures.
#ifndef DYNOLITH_TOOLS_PROGRAM_TOP_MESSAGES_H_
#define DYNOLITH_TOOLS_PROGRAM_TOP_MESSAGES_H_

#include <string>
#include <string_view>

namespace dynolith::messages {

inline std::string TopHotKeys() { return "HOT PARTITION KEYS"; }
inline std::string TopHotItems() { return "HOT ITEMS"; }
inline std::string TopThrottledKeys() { return "THROTTLED PARTITION KEYS"; }
inline std::string TopThrottledItems() { return "THROTTLED ITEMS"; }
inline constexpr std::string_view kTopCut = "cut off";
inline constexpr std::string_view kTopPaused = "paused";
inline std::string TopNoCalls() { return "no calls"; }
inline std::string TopNothingUsed() { return "nothing used"; }
inline std::string TopNone() { return "none"; }
inline std::string TopWaitingTag() { return "there is no such index; its tag waits for one"; }
inline std::string TopNobodyWatches() {
  return "nobody watches: serve --hot-keys, or UpdateContributorInsights";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_PROGRAM_TOP_MESSAGES_H_
