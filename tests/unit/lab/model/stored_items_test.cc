// Whether an item is new, told by one bit for each, held against a set that forgets nothing.
#include "tools/lab/model/stored_items.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "engine/partition/random_numbers.h"

namespace dynolith {
namespace {

using lab::StoredItems;

constexpr double kNoEnd = std::numeric_limits<double>::infinity();
constexpr uint64_t kAnn = 0x3000000000000000;

TEST(StoredItems, AnItemIsNewOnceAndGoneOnce) {
  StoredItems items(1, kNoEnd);
  EXPECT_FALSE(items.Has(kAnn, /*was_there=*/false));
  EXPECT_EQ(items.Write(kAnn, /*was_there=*/false), 1);
  EXPECT_TRUE(items.Has(kAnn, /*was_there=*/false));
  EXPECT_EQ(items.Write(kAnn, /*was_there=*/false), 0);
  EXPECT_EQ(items.Delete(kAnn, /*was_there=*/false), -1);
  EXPECT_EQ(items.Delete(kAnn, /*was_there=*/false), 0);
  EXPECT_EQ(items.Write(kAnn, /*was_there=*/false), 1);
}

TEST(StoredItems, WhatWasThereIsNotNew) {
  StoredItems items(1, kNoEnd);
  EXPECT_EQ(items.Write(kAnn, /*was_there=*/true), 0);
  EXPECT_EQ(items.Delete(kAnn, /*was_there=*/true), -1);
  EXPECT_FALSE(items.Has(kAnn, /*was_there=*/true));
  EXPECT_EQ(items.Delete(kAnn, /*was_there=*/true), 0);
  EXPECT_EQ(items.Write(kAnn, /*was_there=*/true), 1);
}

TEST(StoredItems, ManyAreCountedAsASetCountsThem) {
  StoredItems items(1, kNoEnd);
  std::set<uint64_t> exact;
  uint64_t random = 1;
  double count = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    uint64_t number = NextRandom(&random) % 600'000;
    exact.insert(number);
    count += items.Write(NextRandom(&number), /*was_there=*/false);
  }
  const auto expected = static_cast<double>(exact.size());
  EXPECT_NEAR(count, expected, 0.001 * expected);
}

// Of a sample, whose keys are those of the whole, there are never more items than keys.
TEST(StoredItems, ASampleKnowsHowManyThereCanBe) {
  StoredItems items(100, 250);
  uint64_t number = 1;
  EXPECT_NEAR(items.Write(NextRandom(&number), false), 100, 0.01);
  EXPECT_NEAR(items.Write(NextRandom(&number), false), 100, 0.01);
  EXPECT_NEAR(items.Write(NextRandom(&number), false), 50, 0.01);
  EXPECT_EQ(items.Write(NextRandom(&number), false), 0);
}

}  // namespace
}  // namespace dynolith
