#include "engine/partition/access_sample.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "engine/partition/random_numbers.h"

namespace dynolith {

AccessSample::AccessSample(uint64_t seed) : random_(seed) { until_next_ = NextGap(); }

void AccessSample::Clear() {
  samples_.clear();
  count_ = 0;
  step_ = kTokensPerUnit;
  until_next_ = NextGap();
}

// A random gap, one step on average, so that samples do not fall in step with periodic accesses.
Tokens AccessSample::NextGap() {
  return step_ / 2 + static_cast<Tokens>(NextRandom(&random_) % static_cast<uint64_t>(step_)) + 1;
}

void AccessSample::Sample(const AccessPosition& position) {
  // An access that is longer than a step counts as often as it is long.
  while (until_next_ <= 0) {
    const Header header = {static_cast<uint32_t>(position.key.size()),
                           static_cast<uint32_t>(position.collection_bytes)};
    samples_.append(reinterpret_cast<const char*>(&header), sizeof(header));
    samples_.append(position.key);
    if (++count_ == kSamplesMax) Thin();
    until_next_ += NextGap();
  }
}

AccessPosition AccessSample::Next(size_t* at) const {
  Header header;
  std::memcpy(&header, samples_.data() + *at, sizeof(header));
  const size_t begin = *at + sizeof(header);
  *at = begin + header.key_bytes;
  return {std::string_view(samples_).substr(begin, header.key_bytes), header.collection_bytes};
}

void AccessSample::Thin() {
  size_t kept = 0;
  size_t at = 0;
  for (size_t i = 0; i < count_; ++i) {
    const size_t begin = at;
    Next(&at);
    if (i % 2 != 0) continue;
    std::memmove(samples_.data() + kept, samples_.data() + begin, at - begin);
    kept += at - begin;
  }
  samples_.resize(kept);
  count_ = (count_ + 1) / 2;
  step_ *= 2;
}

bool AccessSample::IsMonotonic(std::string_view collection, double part) const {
  size_t ascending = 0;
  size_t descending = 0;
  std::optional<std::string_view> last;
  for (size_t at = 0; at < samples_.size();) {
    const AccessPosition position = Next(&at);
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
  for (size_t at = 0; at < samples_.size();) sorted.push_back(Next(&at));
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
