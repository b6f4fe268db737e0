// The distribution of a partition's consumption, and where to divide it: a bounded sample of
// accesses, each with a chance in proportion to its units, in the order of their time.
#ifndef DYNOLITH_ENGINE_PARTITION_ACCESS_SAMPLE_H_
#define DYNOLITH_ENGINE_PARTITION_ACCESS_SAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/partition/partition_map.h"
#include "engine/partition/tokens.h"

namespace dynolith {

struct SplitRule {
  // A split that leaves one side less than this part of the consumption does not help: one item is
  // hot.
  double least_side = 0.1;
  // If at least this part of neighbours in time ascends, or descends, the sort keys of a collection
  // are monotonic: the next ones will all fall on one side.
  double monotonic = 0.9;
  // Whether a boundary may lie within a collection: not in a table with local indexes.
  bool within_collections = true;
};

// Every `step`-th token is sampled, from a start that `seed` gives; when there are too many samples
// every second one is dropped and the step doubles. Thread-compatible.
class AccessSample {
 public:
  static constexpr size_t kSamplesMin = 32;
  static constexpr size_t kSamplesMax = 512;

  explicit AccessSample(uint64_t seed);

  // O(1), except for the copy of a position that becomes a sample.
  void Add(const AccessPosition& position, Tokens tokens) {
    until_next_ -= tokens;
    if (until_next_ <= 0) Sample(position);
  }
  void Clear();
  // Whether there are enough samples for a result.
  bool IsTelling() const { return count_ >= kSamplesMin; }
  // Loads what another sample changes into the CPU's caches.
  void Prefetch() const {
    const char* const end = samples_.data() + samples_.size();
    __builtin_prefetch(end, 1);
    __builtin_prefetch(end + 2 * sizeof(Header), 1);
  }

  // The position that divides the consumption most evenly: samples before it are on the low side.
  // nullopt if no position is good enough, or there are too few samples. O(n log n).
  std::optional<std::string> SplitPoint(const SplitRule& rule) const;

 private:
  // Comes before each key in samples_.
  struct Header {
    uint32_t key_bytes = 0;
    uint32_t collection_bytes = 0;
  };

  // The sample at *at, and moves *at to the next one.
  AccessPosition Next(size_t* at) const;
  void Sample(const AccessPosition& position);
  void Thin();
  Tokens NextGap();
  bool IsMonotonic(std::string_view collection, double part) const;

  Tokens until_next_;
  uint64_t random_;
  Tokens step_ = kTokensPerUnit;
  // In the order of their time, a header and a key each: an access to one of many partitions then
  // misses the CPU's caches once.
  std::string samples_;
  size_t count_ = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_ACCESS_SAMPLE_H_
