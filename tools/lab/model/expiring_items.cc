#include "tools/lab/model/expiring_items.h"

#include <utility>

#include "tools/lab/load/key_generator.h"

namespace dynolith::lab {
namespace {

uint64_t HashItemKey(size_t table, const LabPosition& position) {
  return position.mixed() ^ Scrambled(table);
}

ExpiringItem MakeExpiringItem(absl::Span<const LabUse> uses) {
  ExpiringItem item{.is_new = uses.front().growth == Growth::kAlways,
                    .was_there = uses.front().was_there};
  for (size_t i = 0; i < uses.size(); ++i) {
    const LabUse& use = uses[i];
    const bool is_entry = use.growth == Growth::kAsItsItem || use.growth == Growth::kAsEntry;
    // The next item of a transaction.
    if (i > 0 && !is_entry && use.growth != Growth::kNone) break;
    const bool is_new =
        is_entry && use.entry != EntryChange::kMoveFrom && use.entry != EntryChange::kRemove;
    if (i > 0 && !is_new) continue;
    item.parts.push_back(
        {use.resource, use.position, use.bytes, use.added_bytes, use.item, i > 0 && use.was_there});
  }
  return item;
}

}  // namespace

void ExpiringItems::Write(absl::Span<const LabUse> uses, Micros now) {
  for (size_t i = 0; i < uses.size(); ++i) {
    if (uses[i].lives > 0) WriteOne(uses.subspan(i), now / kSecond);
  }
}

void ExpiringItems::WriteOne(absl::Span<const LabUse> uses, int64_t second) {
  const LabUse& use = uses.front();
  const int64_t least = kExpiryDelayLeast / kSecond;
  const int64_t most = kExpiryDelayMost / kSecond;
  const auto delay =
      least + static_cast<int64_t>(NextBelow(&random_, static_cast<uint64_t>(most - least)));
  const int64_t at = second + use.lives + delay;
  if (use.growth != Growth::kAlways) {
    const auto found = times_.find(HashItemKey(use.resource, use.position));
    if (found != times_.end()) {
      found->second = at;
      return;
    }
    if (at < end_) times_.emplace(HashItemKey(use.resource, use.position), at);
  }
  if (at < end_) by_second_[at].push_back(MakeExpiringItem(uses));
}

void ExpiringItems::Advance(Micros now, absl::FunctionRef<void(const ExpiringItem&)> remove) {
  while (!by_second_.empty() && by_second_.begin()->first <= now / kSecond) {
    auto due = by_second_.extract(by_second_.begin());
    for (ExpiringItem& item : due.mapped()) {
      if (!item.is_new) {
        const auto found =
            times_.find(HashItemKey(item.parts.front().resource, item.parts.front().position));
        if (found->second > due.key()) {
          if (found->second < end_) by_second_[found->second].push_back(std::move(item));
          continue;
        }
        times_.erase(found);
      }
      remove(item);
    }
  }
}

}  // namespace dynolith::lab
