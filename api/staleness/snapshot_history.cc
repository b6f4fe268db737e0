#include "api/staleness/snapshot_history.h"

#include <algorithm>
#include <utility>

namespace dynolith {

absl::Time SnapshotHistory::due() const {
  return moments_.empty() ? absl::InfinitePast() : moments_.back()->taken + spacing();
}

void SnapshotHistory::Keep(MomentPointer moment) { moments_.push_back(std::move(moment)); }

MomentPointer SnapshotHistory::At(absl::Time time, uint64_t number_min) const {
  const auto is_seen = [&](const MomentPointer& moment) {
    return moment->taken > time && moment->number >= number_min;
  };
  const auto found = std::find_if(moments_.begin(), moments_.end(), is_seen);
  return found == moments_.end() ? nullptr : *found;
}

void SnapshotHistory::DropUseless(absl::Time now) {
  while (!moments_.empty() && moments_.front()->taken <= now - bound_) moments_.pop_front();
}

}  // namespace dynolith
