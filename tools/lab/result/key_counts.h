// Counts by partition key, for the hottest keys.
#ifndef DYNOLITH_TOOLS_LAB_RESULT_KEY_COUNTS_H_
#define DYNOLITH_TOOLS_LAB_RESULT_KEY_COUNTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/partition/capacity_settings.h"
#include "tools/lab/load/key_generator.h"
#include "tools/lab/load/lab_use.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// Exact until there are very many keys; then those with the least counts are dropped (Manku and
// Motwani's lossy counting, 2002). Thread-compatible.
class KeyCounts {
 public:
  struct Count {
    uint64_t hash = 0;
    uint64_t operations = 0;
    PerKind<double> units = {};
    PerKind<uint64_t> throttled = {};

    uint64_t attempts() const { return operations + throttled.read + throttled.write; }
  };

  KeyCounts() : places_(kPlacesMin, kEmpty) {}

  // Valid until the next call. Requires: the use has texts.
  Count& Of(const LabUse& use);
  // Loads what Of reads into the CPU's caches: first the place, and then, some uses later, the
  // count there.
  void PrefetchPlace(uint64_t hash) const { __builtin_prefetch(&places_[PlaceOf(hash)], 1); }
  void PrefetchCount(uint64_t hash) const {
    const size_t number = places_[PlaceOf(hash)] & kNumberMask;
    // An empty place has the largest number.
    __builtin_prefetch(counts_.data() + std::min(number, counts_.size()), 1);
  }
  std::vector<HotKey> Hottest(size_t count, uint64_t weight) const;
  // Whether there are more than `count` keys, and none has more attempts, or throttles, than chance
  // gives it.
  bool IsEven(size_t count) const;

 private:
  // Of a count; apart from it, since it is read only at the end.
  struct CountedKey {
    KeyNumber number;
    const KeyTexts* texts = nullptr;
  };

  // So many stay in a core's cache.
  static constexpr size_t kKeysMax = 1 << 14;
  static constexpr size_t kPlacesMin = 64;
  static constexpr uint32_t kEmpty = UINT32_MAX;
  // A place holds the number of a count, and above it a part of its hash.
  static constexpr int kNumberBits = 16;
  static constexpr uint32_t kNumberMask = (1U << kNumberBits) - 1;
  static_assert(kKeysMax < kNumberMask);

  // By the high bits of a product, since all hashes of a run may lie in a small range.
  size_t PlaceOf(uint64_t hash) const {
    return static_cast<size_t>((hash * 0x9e3779b97f4a7c15) >> 32) & (places_.size() - 1);
  }
  static uint32_t Tag(uint64_t hash) {
    return static_cast<uint32_t>(hash ^ hash >> 32) & ~kNumberMask;
  }
  void Forget();
  void PlaceAll(size_t places);

  std::vector<Count> counts_;
  std::vector<CountedKey> keys_;  // of each count
  std::vector<uint32_t> places_;  // a hash table with linear probing, at most half full
  uint64_t forgotten_ = 0;        // attempts of dropped keys
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_RESULT_KEY_COUNTS_H_
