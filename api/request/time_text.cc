#include "api/request/time_text.h"

#include "engine/base/strings.h"

namespace dynolith {

// absl::FormatTime cannot write a day and hour without a leading zero.
std::string LongUtcTime(absl::Time time) {
  const absl::TimeZone utc = absl::UTCTimeZone();
  const absl::CivilSecond second = absl::ToCivilSecond(time, utc);
  const int hour = second.hour() % 12 == 0 ? 12 : second.hour() % 12;
  return Concat(absl::FormatTime("%A, %B ", time, utc), second.day(), ", ", second.year(), " at ",
                hour, absl::FormatTime(":%M:%S ", time, utc), second.hour() < 12 ? "AM" : "PM",
                " Coordinated Universal Time");
}

}  // namespace dynolith
