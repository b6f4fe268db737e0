// The heaviest keys of a stream of accesses, in bounded memory, each with an error bound: the
// space-saving sketch (Metwally, Agrawal, El Abbadi: "Efficient computation of frequent and top-k
// elements in data streams", 2005), for weights.
//
// It has room for `capacity` keys. A new key that finds no room replaces the lightest, with that
// one's count as its error. So with N, the weight of all accesses:
//
//   * the true weight of a key is at least count - error and at most count;
//   * no error is above N / capacity;
//   * a key that has more than N / capacity is in it.
#ifndef DYNOLITH_ENGINE_PARTITION_HEAVY_KEYS_H_
#define DYNOLITH_ENGINE_PARTITION_HEAVY_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/strings.h"

namespace dynolith {

// Deterministic: the same calls give the same answers. Thread-compatible.
class HeavyKeys {
 public:
  struct Count {
    int64_t count = 0;
    int64_t error = 0;
  };
  struct CountedKey {
    std::string key;
    Count count;
  };

  // Requires: room for one key at least.
  explicit HeavyKeys(size_t capacity) : capacity_(capacity) {}

  // Requires: a weight of at least 0. O(log capacity), and the copy of a key that enters.
  void Add(std::string_view key, int64_t weight);
  void Clear();

  int64_t total() const { return total_; }
  bool Has(std::string_view key) const { return places_.contains(key); }
  // For a key that is not in it: the most that it may have.
  Count Of(std::string_view key) const;
  // All keys in it, in no order.
  std::vector<CountedKey> All() const;

 private:
  struct Entry {
    std::string key;
    Count count;
    size_t place = 0;  // in heap_
  };

  // Moves the entry at the place, which has become heavier or is new, to its right place.
  void Sink(size_t place);
  void Rise(size_t place);
  int64_t WeightAt(size_t place) const { return entries_[heap_[place]].count.count; }
  void Swap(size_t a, size_t b);

  size_t capacity_;
  int64_t total_ = 0;
  std::vector<Entry> entries_;
  std::vector<size_t> heap_;  // indexes of entries_; the lightest is the first
  std::unordered_map<std::string, size_t, StringViewHash, std::equal_to<>> places_;  // in entries_
};

// The union of two sketches of different times, in no order: each key that is in one of them, with
// the same guarantees for both times together.
std::vector<HeavyKeys::CountedKey> CountsOfBoth(const HeavyKeys& earlier, const HeavyKeys& later);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_HEAVY_KEYS_H_
