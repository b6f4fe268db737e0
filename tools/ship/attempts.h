// How often shipping tries again, and after which pauses; how much time has passed.
#ifndef DYNOLITH_TOOLS_SHIP_ATTEMPTS_H_
#define DYNOLITH_TOOLS_SHIP_ATTEMPTS_H_

#include <chrono>
#include <optional>

#include "absl/time/time.h"

namespace dynolith::ship {

// Of the clock that nobody sets: pauses do not grow when the other one is set back.
using SteadyTime = std::chrono::steady_clock::time_point;
inline SteadyTime SteadyNow() { return std::chrono::steady_clock::now(); }
// Whether so much time has passed since then; nullopt: it was long ago.
inline bool HasPassed(absl::Duration pause, std::optional<SteadyTime> since) {
  return !since || absl::FromChrono(SteadyNow() - *since) >= pause;
}

// After a failure, and twice as long after each further one.
inline constexpr absl::Duration kPauseMin = absl::Seconds(1);
inline constexpr absl::Duration kPauseMax = absl::Minutes(1);
// By a store that takes another one's place, which may go on until it knows.
inline constexpr int kAnnouncementsMax = 100;

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_ATTEMPTS_H_
