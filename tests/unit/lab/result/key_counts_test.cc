// Counts of keys, beside a std::map that forgets by the same rule.
#include "tools/lab/result/key_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "engine/base/strings.h"

namespace dynolith::lab {
namespace {

constexpr size_t kKept = 1 << 14;

class Texts final : public KeyTexts {
 public:
  std::string ToText(const KeyNumber& key) const override { return Concat(key.number); }
};

class MapOfCounts {
 public:
  void Count(uint64_t key) {
    if (counts_.size() >= kKept) Forget();
    ++counts_[key];
  }
  std::vector<uint64_t> Most(size_t count) const {
    std::vector<uint64_t> all;
    for (const auto& [key, times] : counts_) all.push_back(times);
    std::sort(all.rbegin(), all.rend());
    all.resize(std::min(count, all.size()));
    return all;
  }

 private:
  void Forget() {
    for (uint64_t least = 1; counts_.size() > kKept / 2; least *= 2) {
      std::erase_if(counts_, [least](const auto& entry) { return entry.second <= least; });
    }
  }

  std::map<uint64_t, uint64_t> counts_;
};

// The bits in which the hashes of keys differ.
enum class HashBits { kAny, kLowest, kHighest };

void CountBeside(uint64_t keys, uint64_t times, HashBits bits) {
  const Texts texts;
  KeyCounts counts;
  MapOfCounts model;
  uint64_t random = 1;
  for (uint64_t i = 0; i < times; ++i) {
    // The lower ones more often.
    const uint64_t key = NextBelow(&random, NextBelow(&random, keys) + 1);
    LabUse use;
    use.position.SetHash(bits == HashBits::kLowest    ? key
                         : bits == HashBits::kHighest ? key << 44
                                                      : Scrambled(key));
    use.texts = &texts;
    use.key.number = key;
    counts.PrefetchPlace(use.position.hash());
    counts.PrefetchCount(use.position.hash());
    KeyCounts::Count& count = counts.Of(use);
    ++count.operations;
    count.units.read += 1;
    model.Count(key);
  }
  std::vector<uint64_t> found;
  for (const HotKey& hot : counts.Hottest(50, 1)) found.push_back(hot.operations);
  EXPECT_EQ(found, model.Most(50)) << keys;
}

TEST(KeyCountsTest, AreThoseOfAMap) {
  CountBeside(10, 1'000, HashBits::kAny);
  CountBeside(5'000, 50'000, HashBits::kAny);
  CountBeside(500'000, 200'000, HashBits::kAny);
  CountBeside(500'000, 100'000, HashBits::kLowest);
  CountBeside(500'000, 100'000, HashBits::kHighest);
}

}  // namespace
}  // namespace dynolith::lab
