// The moments that are kept for reads with one bound on their lag: few, and none that no read may
// see any more.
#ifndef DYNOLITH_API_STALENESS_KEPT_MOMENTS_H_
#define DYNOLITH_API_STALENESS_KEPT_MOMENTS_H_

#include <cstddef>
#include <cstdint>
#include <deque>

#include "absl/time/time.h"
#include "api/staleness/moment.h"

namespace dynolith {

// A moment is taken just before a commit, and so its state is the newest one up to then: what was
// the newest state at T is what the first moment after T shows, and the newest state of all if
// there is none. Because commits that follow a moment closely have none of their own, a read may
// see up to spacing() more than it has to; never less. Not thread-safe.
class KeptMoments {
 public:
  // So many are kept, and one more when the bound cannot be divided.
  static constexpr int kSpacings = 16;

  explicit KeptMoments(absl::Duration bound) : bound_(bound) {}

  absl::Duration bound() const { return bound_; }
  absl::Duration spacing() const { return bound_ / kSpacings; }
  // From when on a moment is to be taken before the next commit.
  absl::Time due() const;
  // Requires: it is newer than all that are kept.
  void Keep(MomentPointer moment);
  // The state that was the newest at `time`, or at the moment of that number if that is later.
  // nullptr: the newest of all.
  MomentPointer At(absl::Time time, uint64_t number_min) const;
  // Drops what no read sees from `now` on.
  void DropUseless(absl::Time now);
  void Clear() { moments_.clear(); }

  // From the oldest on.
  const std::deque<MomentPointer>& moments() const { return moments_; }

 private:
  const absl::Duration bound_;
  std::deque<MomentPointer> moments_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_STALENESS_KEPT_MOMENTS_H_
