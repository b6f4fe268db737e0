// Where a hot partition is divided: where its consumption is, and not where that would help nobody.
#include "engine/partition/access_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace dynolith {
namespace {

struct Key {
  std::string key;
  size_t collection_bytes;
};

std::string Number(uint64_t number) {
  std::string text(8, '\0');
  for (size_t i = 8; i-- > 0; number >>= 8) text[i] = static_cast<char>(number);
  return text;
}
// An item without a sort key.
Key Item(uint64_t hash) { return {Number(hash), 8}; }
// An item of the collection.
Key Member(uint64_t hash, uint64_t sort_key) { return {Number(hash) + Number(sort_key), 8}; }

std::optional<std::string> FindSplit(const std::function<Key(int)>& access, const SplitRule& rule,
                                     int accesses = 20'000) {
  AccessSample sample(3);
  for (int i = 0; i < accesses; ++i) {
    const Key key = access(i);
    sample.Add({key.key, key.collection_bytes}, kTokensPerUnit);
  }
  return sample.SplitPoint(rule);
}

TEST(AccessSample, TheWeightedMedian) {
  std::mt19937_64 random(1);
  // Squares crowd at the low end: half of them lie below a quarter.
  const auto boundary = FindSplit(
      [&](int) {
        const uint64_t root = random() % 10'000;
        return Item(root * root);
      },
      {});
  ASSERT_TRUE(boundary);
  // With some 400 samples the middle is met within a tenth.
  EXPECT_GT(*boundary, Number(4'000 * 4'000));
  EXPECT_LT(*boundary, Number(6'000 * 6'000));
}

TEST(AccessSample, WeightIsUnits) {
  AccessSample sample(3);
  // The key at 900 is read rarely, but for twice as much as all others.
  for (uint64_t i = 0; i < 20'000; ++i) {
    const bool is_large = i % 100 == 0;
    const Key key = is_large ? Item(900) : Item(i % 100);
    sample.Add({key.key, key.collection_bytes}, is_large ? 198 * kTokensPerUnit : kTokensPerUnit);
  }
  EXPECT_EQ(sample.SplitPoint({}), Number(900));
}

TEST(AccessSample, OneHotItemIsNotDivided) {
  std::mt19937_64 random(1);
  EXPECT_EQ(FindSplit([&](int) { return Item(7); }, {}), std::nullopt);
  EXPECT_EQ(
      FindSplit([&](int) { return random() % 20 > 0 ? Item(1 << 20) : Item(random() >> 40); }, {}),
      std::nullopt);
  // Half of all: it gets apart from what lies on one side of it.
  const auto apart =
      FindSplit([&](int) { return random() % 2 == 0 ? Item(1 << 23) : Item(random() >> 40); }, {});
  EXPECT_TRUE(apart == Number(1 << 23) || apart > Number(1 << 23)) << apart.has_value();
}

TEST(AccessSample, ACollectionIsDividedAlongItsSortKeys) {
  std::mt19937_64 random(1);
  const auto any = [&](int) { return Member(5, random() % 1000); };
  const auto boundary = FindSplit(any, {});
  ASSERT_TRUE(boundary);
  EXPECT_GT(*boundary, Member(5, 350).key);
  EXPECT_LT(*boundary, Member(5, 650).key);
  // Beside a local index it stays whole.
  EXPECT_EQ(FindSplit(any, {.within_collections = false}), std::nullopt);
}

TEST(AccessSample, MonotonicSortKeysAreNotDivided) {
  EXPECT_EQ(FindSplit([](int i) { return Member(5, static_cast<uint64_t>(i)); }, {}), std::nullopt);
  EXPECT_EQ(FindSplit([](int i) { return Member(5, static_cast<uint64_t>(1'000'000 - i)); }, {}),
            std::nullopt);
  // Two of them: between.
  const auto between =
      FindSplit([](int i) { return Member(i % 2 == 0 ? 5 : 9, static_cast<uint64_t>(i)); }, {});
  EXPECT_EQ(between, Number(9));
}

TEST(AccessSample, BoundariesBetweenCollectionsBesideALocalIndex) {
  std::mt19937_64 random(1);
  const auto boundary =
      FindSplit([&](int) { return Member(random() % 3, random()); }, {.within_collections = false});
  EXPECT_TRUE(boundary == Number(1) || boundary == Number(2));
}

TEST(AccessSample, TooLittleSaysNothing) {
  EXPECT_EQ(FindSplit([](int i) { return Item(static_cast<uint64_t>(i % 7)); }, {}, 10),
            std::nullopt);
}

TEST(AccessSample, TheSameSeedTheSamePoint) {
  const auto squares = [](int i) {
    const auto root = static_cast<uint64_t>(i * 7919 % 10'007);
    return Item(root * root);
  };
  EXPECT_EQ(FindSplit(squares, {}), FindSplit(squares, {}));
}

}  // namespace
}  // namespace dynolith
