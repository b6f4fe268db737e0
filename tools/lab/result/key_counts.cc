#include "tools/lab/result/key_counts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

namespace dynolith::lab {
namespace {

// By chance, one of a thousand even loads has a key above what ChanceMost allows.
constexpr double kChance = 1e-3;

// The most that one of so many keys gets by chance alone if each gets `mean` on average: by
// Chernoff's bound of the Poisson distribution, P(X >= k) <= e^-mean (e mean / k)^k.
double ChanceMost(double mean, size_t keys) {
  const double needed = std::log(static_cast<double>(keys) / kChance);
  double low = mean;
  double high = 2 * mean + needed + 1;
  const auto is_above = [&](double count) {
    return count * std::log(count / mean) - (count - mean) > needed;
  };
  while (high - low > 0.5) {
    const double middle = (low + high) / 2;
    (is_above(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

KeyCounts::Count& KeyCounts::Of(const LabUse& use) {
  if (counts_.size() >= kKeysMax) Forget();
  const uint64_t hash = use.position.hash();
  const uint32_t tag = Tag(hash);
  size_t at = PlaceOf(hash);
  for (; places_[at] != kEmpty; at = (at + 1) & (places_.size() - 1)) {
    if (((places_[at] ^ tag) & ~kNumberMask) != 0) continue;
    Count& found = counts_[places_[at] & kNumberMask];
    if (found.hash == hash) return found;
  }
  places_[at] = tag | static_cast<uint32_t>(counts_.size());
  counts_.emplace_back().hash = hash;
  // In place: a copy would have to wait for the stores to its parts.
  CountedKey& key = keys_.emplace_back();
  key.number.number = use.key.number;
  key.number.suffix = use.key.suffix;
  key.number.index_suffix = use.key.index_suffix;
  key.texts = use.texts;
  if (2 * counts_.size() > places_.size()) PlaceAll(2 * places_.size());
  return counts_.back();
}

void KeyCounts::PlaceAll(size_t places) {
  places_.assign(places, kEmpty);
  for (uint32_t i = 0; i < counts_.size(); ++i) {
    size_t at = PlaceOf(counts_[i].hash);
    while (places_[at] != kEmpty) at = (at + 1) & (places_.size() - 1);
    places_[at] = Tag(counts_[i].hash) | i;
  }
}

void KeyCounts::Forget() {
  for (uint64_t least = 1; counts_.size() > kKeysMax / 2; least *= 2) {
    size_t kept = 0;
    for (size_t i = 0; i < counts_.size(); ++i) {
      const uint64_t attempts = counts_[i].attempts();
      if (attempts <= least) {
        forgotten_ += attempts;
        continue;
      }
      counts_[kept] = counts_[i];
      keys_[kept++] = keys_[i];
    }
    counts_.resize(kept);
    keys_.resize(kept);
  }
  PlaceAll(places_.size());
}

std::vector<HotKey> KeyCounts::Hottest(size_t count, uint64_t weight) const {
  std::vector<std::pair<uint64_t, size_t>> all;
  all.reserve(counts_.size());
  for (size_t i = 0; i < counts_.size(); ++i) all.emplace_back(counts_[i].hash, i);
  const size_t most = std::min(count, all.size());
  const auto rank = [this](const auto& entry) {
    const Count& key = counts_[entry.second];
    return std::tuple(-PartitionSeconds(key.units),
                      -static_cast<int64_t>(key.throttled.read + key.throttled.write), entry.first);
  };
  std::partial_sort(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most), all.end(),
      [&rank](const auto& left, const auto& right) { return rank(left) < rank(right); });
  std::vector<HotKey> hottest;
  hottest.reserve(most);
  for (size_t i = 0; i < most; ++i) {
    const Count& key = counts_[all[i].second];
    const CountedKey& counted = keys_[all[i].second];
    hottest.push_back({.key = counted.texts->ToText(counted.number),
                       .position = static_cast<double>(all[i].first >> 32) * 0x1p-32,
                       .operations = key.operations * weight,
                       .throttled = {key.throttled.read * weight, key.throttled.write * weight},
                       .units = {key.units.read * static_cast<double>(weight),
                                 key.units.write * static_cast<double>(weight)}});
  }
  return hottest;
}

bool KeyCounts::IsEven(size_t count) const {
  if (counts_.size() <= count) return false;
  const auto is_chance = [this](uint64_t others, const auto& of) {
    uint64_t all = others;
    uint64_t most = 0;
    for (const Count& key : counts_) {
      all += of(key);
      most = std::max(most, of(key));
    }
    // If keys were dropped there are at least this many.
    const size_t keys = forgotten_ > 0 ? kKeysMax : counts_.size();
    const double mean = static_cast<double>(all) / static_cast<double>(keys);
    return most == 0 || static_cast<double>(most) <= ChanceMost(mean, keys);
  };
  return is_chance(forgotten_, [](const Count& key) { return key.attempts(); }) &&
         is_chance(0, [](const Count& key) { return key.throttled.read + key.throttled.write; });
}

}  // namespace dynolith::lab
