#include "engine/store/sorted/key_samples.h"

#include <algorithm>
#include <utility>

namespace dynolith {

void KeySamples::Keep(std::string_view key, uint64_t offset) {
  if (samples_.size() == kSamplesMax) {
    for (size_t i = 0; 2 * i < samples_.size(); ++i) {
      if (i > 0) samples_[i] = std::move(samples_[2 * i]);
    }
    samples_.resize(kSamplesMax / 2);
    distance_bytes_ *= 2;
  }
  samples_.push_back({std::string(key), offset});
  next_ = offset + distance_bytes_;
}

const KeySamples::Sample& KeySamples::Before(std::string_view key) const {
  const auto behind =
      std::upper_bound(samples_.begin(), samples_.end(), key,
                       [](std::string_view left, const Sample& right) { return left < right.key; });
  return behind == samples_.begin() ? samples_.front() : *std::prev(behind);
}

uint64_t KeySamples::BytesAt(size_t i) const {
  if (i + 1 < samples_.size()) return samples_[i + 1].offset - samples_[i].offset;
  return i == 0 ? distance_bytes_ : samples_.back().offset / i;
}

std::vector<std::string> DivideKeys(const std::vector<const KeySamples*>& of, size_t parts) {
  struct WeightedKey {
    std::string_view key;
    uint64_t bytes;  // that begin there
  };
  std::vector<WeightedKey> keys;
  uint64_t total = 0;
  for (const KeySamples* samples : of) {
    for (size_t i = 0; i < samples->samples().size(); ++i) {
      keys.push_back({samples->samples()[i].key, samples->BytesAt(i)});
      total += samples->BytesAt(i);
    }
  }
  std::sort(keys.begin(), keys.end(),
            [](const WeightedKey& left, const WeightedKey& right) { return left.key < right.key; });
  std::vector<std::string> bounds;
  uint64_t before = 0;
  for (const WeightedKey& next : keys) {
    const bool is_full = before > 0 && before >= total * (bounds.size() + 1) / parts;
    const bool is_new = next.key > keys.front().key && (bounds.empty() || bounds.back() < next.key);
    if (is_full && is_new && bounds.size() + 1 < parts) bounds.emplace_back(next.key);
    before += next.bytes;
  }
  return bounds;
}

}  // namespace dynolith
