#include "api/service/time_text.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "engine/base/strings.h"

namespace dynolith {

absl::Time LatestClockTime() {
  return absl::FromCivil(absl::CivilSecond(2200, 1, 1), absl::UTCTimeZone());
}

std::optional<absl::Time> TimeOfSeconds(double seconds) {
  const auto latest = static_cast<double>(absl::ToUnixSeconds(LatestClockTime()));
  // Written this way round because NaN fails every comparison.
  if (!(seconds >= 0 && seconds <= latest)) return std::nullopt;
  return absl::FromUnixMillis(std::llround(seconds * 1000));
}

std::optional<absl::Time> ParseTimeText(std::string_view text) {
  double seconds = 0;
  if (absl::SimpleAtod(ToAbsl(text), &seconds)) return TimeOfSeconds(seconds);
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, ToAbsl(text), &time, &error)) return std::nullopt;
  if (time < absl::UnixEpoch() || time > LatestClockTime()) return std::nullopt;
  return absl::FromUnixMillis(absl::ToUnixMillis(time));
}

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone());
}

}  // namespace dynolith
