#include "engine/partition/heavy_keys.h"

#include <algorithm>
#include <utility>

namespace dynolith {
namespace {

// So that adding one cannot fail any more.
template <typename Element>
void MakeRoomForOne(std::vector<Element>* elements) {
  if (elements->size() < elements->capacity()) return;
  constexpr size_t kAtFirst = 8;
  elements->reserve(std::max(kAtFirst, 2 * elements->size()));
}

}  // namespace

void HeavyKeys::Add(std::string_view key, int64_t weight) {
  const auto it = places_.find(key);
  if (it != places_.end()) {
    Entry& entry = entries_[it->second];
    total_ += weight;
    entry.count.count += weight;
    return Sink(entry.place);
  }
  if (entries_.size() < capacity_) {
    const size_t place = heap_.size();
    Entry entry{std::string(key), {.count = weight}, place};
    MakeRoomForOne(&heap_);
    MakeRoomForOne(&entries_);
    places_.emplace(key, place);
    heap_.push_back(place);
    entries_.push_back(std::move(entry));
    total_ += weight;
    return Rise(place);
  }
  std::string entering(key), entering_place(key);
  Entry& lightest = entries_[heap_[0]];
  auto place = places_.extract(lightest.key);
  place.key() = std::move(entering_place);
  places_.insert(std::move(place));
  const int64_t error = lightest.count.count;
  total_ += weight;
  lightest.key = std::move(entering);
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
