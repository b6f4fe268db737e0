#include "engine/partition/access_sample.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "engine/partition/random_numbers.h"

namespace dynolith {

AccessSample::AccessSample(uint64_t seed) : random_(seed) { until_next_ = NextGap(); }

void AccessSample::Clear() {
  samples_.clear();
  keys_.clear();
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
    samples_.push_back({static_cast<uint32_t>(keys_.size()),
                        static_cast<uint32_t>(position.key.size()),
                        static_cast<uint32_t>(position.collection_bytes)});
    keys_.append(position.key);
    if (samples_.size() == kSamplesMax) Thin();
    until_next_ += NextGap();
  }
}

void AccessSample::Thin() {
  std::vector<Access> kept;
  kept.reserve(kSamplesMax);
  std::string keys;
  for (size_t i = 0; i < samples_.size(); i += 2) {
    kept.push_back(samples_[i]);
    kept.back().begin = static_cast<uint32_t>(keys.size());
    keys.append(ToPosition(samples_[i]).key);
  }
  samples_ = std::move(kept);
  keys_ = std::move(keys);
  step_ *= 2;
}

bool AccessSample::IsMonotonic(std::string_view collection, double part) const {
  size_t ascending = 0;
  size_t descending = 0;
  std::optional<std::string_view> last;
  for (const Access& access : samples_) {
    const AccessPosition position = ToPosition(access);
    if (position.collection() != collection) continue;
    if (last) {
      if (*last < position.key) ++ascending;
      if (*last > position.key) ++descending;
    }
    last = position.key;
  }
  const auto pairs = static_cast<double>(ascending + descending);
  return pairs > 0 && static_cast<double>(std::max(ascending, descending)) >= part * pairs;
}

std::optional<std::string> AccessSample::SplitPoint(const SplitRule& rule) const {
  if (!IsTelling()) return std::nullopt;
  std::vector<AccessPosition> sorted;
  for (const Access& access : samples_) sorted.push_back(ToPosition(access));
  std::sort(sorted.begin(), sorted.end(),
            [](const AccessPosition& a, const AccessPosition& b) { return a.key < b.key; });
  // Places in the sorted samples, the most even one first; between equals the lower one.
  std::vector<size_t> places;
  for (size_t i = 1; i < sorted.size(); ++i) {
    const size_t side = std::min(i, sorted.size() - i);
    if (static_cast<double>(side) < rule.least_side * static_cast<double>(sorted.size())) continue;
    if (sorted[i].key != sorted[i - 1].key) places.push_back(i);
  }
  const auto unevenness = [&](size_t i) {
    return std::abs(static_cast<int64_t>(2 * i) - static_cast<int64_t>(sorted.size()));
  };
  std::stable_sort(places.begin(), places.end(),
                   [&](size_t a, size_t b) { return unevenness(a) < unevenness(b); });
  for (const size_t i : places) {
    const AccessPosition& high = sorted[i];
    const bool is_between = sorted[i - 1].collection() != high.collection();
    if (is_between) return std::string(high.collection());
    if (rule.within_collections && !IsMonotonic(high.collection(), rule.monotonic)) {
      return std::string(high.key);
    }
  }
  return std::nullopt;
}

}  // namespace dynolith
