#include "engine/partition/key_watch.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dynolith {
namespace {

void KeepHeaviest(size_t most, HotKeyLists::List* list) {
  std::sort(list->begin(), list->end(),
            [](const HeavyKeys::CountedKey& a, const HeavyKeys::CountedKey& b) {
              if (a.count.count != b.count.count) return a.count.count > b.count.count;
              return a.key < b.key;
            });
  if (list->size() > most) list->resize(most);
}

void Append(std::vector<HeavyKeys::CountedKey> more, HotKeyLists::List* list) {
  list->insert(list->end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

}  // namespace

void KeyWatch::AddAccess(const KeyNames& names, int64_t consumed, Micros now) {
  if (mode_ == KeyWatchMode::kThrottled || consumed == 0) return;
  Add(names, HotKeyKind::kAccessedPartitionKeys, HotKeyKind::kAccessedItems, consumed, now);
}

void KeyWatch::AddThrottled(const KeyNames& names, Micros now) {
  Add(names, HotKeyKind::kThrottledPartitionKeys, HotKeyKind::kThrottledItems, 1, now);
}

void KeyWatch::Part::TurnTo(Micros now) {
  const Micros last = std::exchange(minute, std::max(minute, now / kMinute));
  if (minute == last) return;
  for (Counts& counts : lists) {
    std::swap(counts.last_minute, counts.this_minute);
    counts.this_minute.Clear();
    if (minute != last + 1) counts.last_minute.Clear();
  }
}

void KeyWatch::Add(const KeyNames& names, HotKeyKind partition_keys, HotKeyKind items,
                   int64_t weight, Micros now) {
  if (names.partition_key_bytes == 0) return;
  const std::string_view partition_key = names.position.substr(0, names.partition_key_bytes);
  // The position begins with the key's hash.
  Part& part = parts_[static_cast<unsigned char>(partition_key[0]) % kParts];
  absl::MutexLock lock(&part.mutex);
  part.TurnTo(now);
  if (!part.since) part.since = now;
  part.Count(partition_keys, partition_key, weight);
  if (names.item_bytes > 0) part.Count(items, names.position.substr(0, names.item_bytes), weight);
}

void KeyWatch::Part::Count(HotKeyKind list, std::string_view key, int64_t weight) {
  Counts& counts = lists[static_cast<size_t>(list)];
  counts.all.Add(key, weight);
  counts.this_minute.Add(key, weight);
}

HotKeyLists KeyWatch::Report(size_t most, Micros now) const {
  HotKeyLists report;
  report.recent_since = (now / kMinute - 1) * kMinute;
  for (Part& part : parts_) {
    absl::MutexLock lock(&part.mutex);
    part.TurnTo(now);
    if (part.since) report.since = std::min(*part.since, report.since.value_or(*part.since));
    for (size_t i = 0; i < kHotKeyKinds; ++i) {
      const Counts& counts = part.lists[i];
      Append(counts.all.All(), &report.all[i]);
      Append(CountsOfBoth(counts.last_minute, counts.this_minute), &report.recent[i]);
    }
  }
  for (HotKeyLists::List& list : report.all) KeepHeaviest(most, &list);
  for (HotKeyLists::List& list : report.recent) KeepHeaviest(most, &list);
  return report;
}

}  // namespace dynolith
