// How often shipping tries again, and after which pauses.
#ifndef DYNOLITH_TOOLS_SHIP_ATTEMPTS_H_
#define DYNOLITH_TOOLS_SHIP_ATTEMPTS_H_

#include "absl/time/time.h"

namespace dynolith::ship {

// After a failure, and twice as long after each further one.
inline constexpr absl::Duration kPauseMin = absl::Seconds(1);
inline constexpr absl::Duration kPauseMax = absl::Minutes(1);
// By a store that takes another one's place, which may go on until it knows.
inline constexpr int kAnnouncementsMax = 100;

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_ATTEMPTS_H_
