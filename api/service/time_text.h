// Times as users and tests write them.
#ifndef DYNOLITH_API_SERVICE_TIME_TEXT_H_
#define DYNOLITH_API_SERVICE_TIME_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace dynolith {

// The latest time of a clock: 2200-01-01, well within 64 bits of nanoseconds.
absl::Time LatestClockTime();

// Seconds since 1970 as a time in whole milliseconds; nullopt unless in [1970, LatestClockTime].
std::optional<absl::Time> TimeOfSeconds(double seconds);
// "2026-01-31T12:00:00Z", with a fraction or another offset too, or seconds since 1970.
std::optional<absl::Time> ParseTimeText(std::string_view text);
// "2026-01-31T12:00:00.000Z"
std::string TimeText(absl::Time time);

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_TIME_TEXT_H_
