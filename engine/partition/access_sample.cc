#include "engine/partition/access_sample.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "engine/partition/random_numbers.h"

namespace dynolith {

AccessSample::AccessSample(uint64_t seed) : random_(seed) { until_next_ = NextGap(); }

void AccessSample::Clear() {
  samples_.clear();
  step_ = kTokensPerUnit;
  until_next_ = NextGap();
}

// One step on average, so that a rhythm of the accesses is not that of the samples.
Tokens AccessSample::NextGap() {
  return step_ / 2 + static_cast<Tokens>(NextRandom(&random_) % static_cast<uint64_t>(step_)) + 1;
}

void AccessSample::Sample(AccessPosition position) {
  // An access that is longer than a step counts as often as it is long.
  while (until_next_ <= 0) {
    samples_.push_back({std::string(position.key), position.collection_bytes});
    if (samples_.size() == kSamplesMax) Thin();
    until_next_ += NextGap();
  }
}

void AccessSample::Thin() {
  size_t kept = 0;
  for (size_t i = 0; i < samples_.size(); i += 2) {
    if (kept != i) samples_[kept] = std::move(samples_[i]);
    ++kept;
  }
  samples_.resize(kept);
  step_ *= 2;
}

bool AccessSample::IsMonotonic(std::string_view collection, double part) const {
  size_t ascending = 0;
  size_t descending = 0;
  const Access* last = nullptr;
  for (const Access& access : samples_) {
    if (access.collection() != collection) continue;
    if (last != nullptr) {
      if (last->key < access.key) ++ascending;
      if (last->key > access.key) ++descending;
    }
    last = &access;
  }
  const auto pairs = static_cast<double>(ascending + descending);
  return pairs > 0 && static_cast<double>(std::max(ascending, descending)) >= part * pairs;
}

std::optional<std::string> AccessSample::SplitPoint(const SplitRule& rule) const {
  if (!IsTelling()) return std::nullopt;
  std::vector<const Access*> sorted;
  for (const Access& access : samples_) sorted.push_back(&access);
  std::sort(sorted.begin(), sorted.end(),
            [](const Access* a, const Access* b) { return a->key < b->key; });
  // Places in the sorted samples, the most even one first; between equals the lower one.
  std::vector<size_t> places;
  for (size_t i = 1; i < sorted.size(); ++i) {
    const size_t side = std::min(i, sorted.size() - i);
    if (static_cast<double>(side) < rule.least_side * static_cast<double>(sorted.size())) continue;
    if (sorted[i]->key != sorted[i - 1]->key) places.push_back(i);
  }
  const auto unevenness = [&](size_t i) {
    return std::abs(static_cast<int64_t>(2 * i) - static_cast<int64_t>(sorted.size()));
  };
  std::stable_sort(places.begin(), places.end(),
                   [&](size_t a, size_t b) { return unevenness(a) < unevenness(b); });
  for (const size_t i : places) {
    const Access& high = *sorted[i];
    const bool is_between = sorted[i - 1]->collection() != high.collection();
    if (is_between) return std::string(high.collection());
    if (rule.within_collections && !IsMonotonic(high.collection(), rule.monotonic)) {
      return high.key;
    }
  }
  return std::nullopt;
}

}  // namespace dynolith
