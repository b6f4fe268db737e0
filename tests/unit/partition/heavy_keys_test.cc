// Hot keys are counted in bounded memory: what the sketch promises is compared with exact counts of
// random accesses, from one hot key among thousands to all keys alike.
#include "engine/partition/heavy_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>

namespace dynolith {
namespace {

using Exact = std::map<std::string, int64_t>;

std::map<std::string, HeavyKeys::Count> ByKey(std::vector<HeavyKeys::CountedKey> all) {
  std::map<std::string, HeavyKeys::Count> by_key;
  for (HeavyKeys::CountedKey& counted : all) by_key[counted.key] = counted.count;
  EXPECT_EQ(by_key.size(), all.size()) << "no key twice";
  return by_key;
}

void CheckPromises(const std::map<std::string, HeavyKeys::Count>& counted, const Exact& exact,
                   int64_t total, int64_t bound) {
  for (const auto& [key, count] : counted) {
    const auto it = exact.find(key);
    ASSERT_NE(it, exact.end()) << key;
    EXPECT_LE(it->second, count.count) << key;
    EXPECT_GE(it->second, count.count - count.error) << key;
    EXPECT_LE(count.error, bound) << key;
  }
  for (const auto& [key, weight] : exact) {
    if (weight <= bound) continue;
    EXPECT_TRUE(counted.contains(key)) << key << " of " << total;
  }
}

class HeavyKeysTest : public ::testing::Test {
 protected:
  // Accesses of `keys` keys, of which the first ones come more often, the more so the higher
  // `skew`.
  std::string NextKey(int keys, double skew) {
    const double place = std::pow(std::uniform_real_distribution<double>()(random_), 1 + skew);
    return "key" + std::to_string(static_cast<int>(place * keys));
  }

  std::mt19937_64 random_{20260131};
};

TEST_F(HeavyKeysTest, KeepsItsPromises) {
  for (const size_t capacity : {1, 2, 7, 64}) {
    for (const int keys : {1, 5, 64, 65, 3000}) {
      for (const double skew : {0.0, 3.0, 12.0}) {
        HeavyKeys sketch(capacity);
        Exact exact;
        int64_t total = 0;
        for (int i = 0; i < 5000; ++i) {
          const std::string key = NextKey(keys, skew);
          const auto weight = static_cast<int64_t>(random_() % 4);
          sketch.Add(key, weight);
          exact[key] += weight;
          total += weight;
        }
        SCOPED_TRACE(::testing::Message() << capacity << " of " << keys << " keys, " << skew);
        EXPECT_EQ(sketch.total(), total);
        const auto counted = ByKey(sketch.All());
        EXPECT_LE(counted.size(), capacity);
        CheckPromises(counted, exact, total, total / static_cast<int64_t>(capacity));
        for (const auto& [key, weight] : exact) EXPECT_LE(weight, sketch.Of(key).count);
      }
    }
  }
}

TEST_F(HeavyKeysTest, IsExactWhileThereIsRoom) {
  HeavyKeys sketch(3);
  for (const char* key : {"a", "b", "a", "c", "a"}) sketch.Add(key, 2);
  const auto counted = ByKey(sketch.All());
  ASSERT_EQ(counted.size(), 3U);
  EXPECT_EQ(counted.at("a").count, 6);
  EXPECT_EQ(counted.at("a").error, 0);
  EXPECT_EQ(sketch.Of("d").count, 2) << "may have been there, and gone";
  sketch.Add("d", 1);
  EXPECT_EQ(sketch.Of("d").count, 3);
  EXPECT_EQ(sketch.Of("d").error, 2);
  sketch.Clear();
  EXPECT_EQ(sketch.total(), 0);
  EXPECT_TRUE(sketch.All().empty());
}

TEST_F(HeavyKeysTest, TwoTimesTogetherKeepThem) {
  HeavyKeys earlier(16);
  HeavyKeys later(16);
  Exact exact;
  for (int i = 0; i < 10'000; ++i) {
    const std::string key = NextKey(500, 8);
    (i < 4000 ? earlier : later).Add(key, 1);
    ++exact[key];
  }
  const int64_t bound = earlier.total() / 16 + later.total() / 16;
  CheckPromises(ByKey(CountsOfBoth(earlier, later)), exact, 10'000, bound);
}

}  // namespace
}  // namespace dynolith
