// The snapshots for reads with one bound on their lag: only a few, none too old for every read.
#ifndef DYNOLITH_API_STALENESS_SNAPSHOT_HISTORY_H_
#define DYNOLITH_API_STALENESS_SNAPSHOT_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <deque>

#include "absl/time/time.h"
#include "api/staleness/moment.h"

namespace dynolith {

// A moment (a snapshot and its time) is taken just before a commit, so it shows the state since the
// previous commit. The state at time T is therefore that of the first moment after T, or the
// present one if no moment follows. A commit closer than spacing() to the last moment takes none,
// so a read may see up to spacing() more than its bound requires, but never less. Not thread-safe.
class SnapshotHistory {
 public:
  // At most one moment more than this is kept.
  static constexpr int kSpacings = 16;

  explicit SnapshotHistory(absl::Duration bound) : bound_(bound) {}

  absl::Duration bound() const { return bound_; }
  absl::Duration spacing() const { return bound_ / kSpacings; }
  // The next commit at or after this time takes a moment first.
  absl::Time due() const;
  // Requires: `moment` is newer than all others.
  void Keep(MomentPointer moment);
  // The moment that shows the state at `time`, or the one with number `number_min` if that is
  // later; nullptr: the present state.
  MomentPointer At(absl::Time time, uint64_t number_min) const;
  // Drops the moments that are older than the bound at `now`.
  void DropUseless(absl::Time now);
  void Clear() { moments_.clear(); }

  // The oldest first.
  const std::deque<MomentPointer>& moments() const { return moments_; }

 private:
  const absl::Duration bound_;
  std::deque<MomentPointer> moments_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_STALENESS_SNAPSHOT_HISTORY_H_
