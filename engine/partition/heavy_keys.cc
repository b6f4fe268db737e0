#include "engine/partition/heavy_keys.h"

#include <utility>

namespace dynolith {

void HeavyKeys::Add(std::string_view key, int64_t weight) {
  total_ += weight;
  const auto it = places_.find(key);
  if (it != places_.end()) {
    Entry& entry = entries_[it->second];
    entry.count.count += weight;
    return Sink(entry.place);
  }
  if (entries_.size() < capacity_) {
    const size_t place = heap_.size();
    places_.emplace(key, entries_.size());
    heap_.push_back(entries_.size());
    entries_.push_back({std::string(key), {.count = weight}, place});
    return Rise(place);
  }
  Entry& lightest = entries_[heap_[0]];
  const int64_t error = lightest.count.count;
  places_.erase(lightest.key);
  places_.emplace(key, heap_[0]);
  lightest.key = key;
  lightest.count = {.count = error + weight, .error = error};
  Sink(0);
}

void HeavyKeys::Clear() {
  total_ = 0;
  entries_.clear();
  heap_.clear();
  places_.clear();
}

HeavyKeys::Count HeavyKeys::Of(std::string_view key) const {
  const auto it = places_.find(key);
  if (it != places_.end()) return entries_[it->second].count;
  if (entries_.size() < capacity_) return {};
  return {.count = WeightAt(0), .error = WeightAt(0)};
}

std::vector<HeavyKeys::CountedKey> HeavyKeys::All() const {
  std::vector<CountedKey> all;
  all.reserve(entries_.size());
  for (const Entry& entry : entries_) all.push_back({entry.key, entry.count});
  return all;
}

void HeavyKeys::Swap(size_t a, size_t b) {
  std::swap(heap_[a], heap_[b]);
  entries_[heap_[a]].place = a;
  entries_[heap_[b]].place = b;
}

void HeavyKeys::Sink(size_t place) {
  for (;;) {
    size_t lightest = place;
    for (const size_t child : {2 * place + 1, 2 * place + 2}) {
      if (child < heap_.size() && WeightAt(child) < WeightAt(lightest)) lightest = child;
    }
    if (lightest == place) return;
    Swap(place, lightest);
    place = lightest;
  }
}

void HeavyKeys::Rise(size_t place) {
  while (place > 0 && WeightAt(place) < WeightAt((place - 1) / 2)) {
    Swap(place, (place - 1) / 2);
    place = (place - 1) / 2;
  }
}

std::vector<HeavyKeys::CountedKey> CountsOfBoth(const HeavyKeys& earlier, const HeavyKeys& later) {
  std::vector<HeavyKeys::CountedKey> both = earlier.All();
  std::vector<HeavyKeys::CountedKey> others = later.All();
  both.reserve(both.size() + others.size());
  for (HeavyKeys::CountedKey& counted : both) {
    const HeavyKeys::Count more = later.Of(counted.key);
    counted.count.count += more.count;
    counted.count.error += more.error;
  }
  for (HeavyKeys::CountedKey& counted : others) {
    if (earlier.Has(counted.key)) continue;
    const HeavyKeys::Count before = earlier.Of(counted.key);
    counted.count.count += before.count;
    counted.count.error += before.error;
    both.push_back(std::move(counted));
  }
  return both;
}

}  // namespace dynolith
