// How far a database is behind the process that writes to its folder.
#ifndef DYNOLITH_FOLLOW_REPORT_H_
#define DYNOLITH_FOLLOW_REPORT_H_

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace dynolith {

struct FollowReport {
  // Reads see everything that the writer had acknowledged by then, on the machine's clock.
  absl::Time as_of = absl::InfinitePast();
  // How long ago that was.
  absl::Duration behind = absl::InfiniteDuration();
  // Why the last look at the folder, or what came of it, has failed; else OK. Calls fail with it if
  // there is no state that they could see.
  absl::Status failure;
};

}  // namespace dynolith

#endif  // DYNOLITH_FOLLOW_REPORT_H_
