// Partitions cover all positions once, before and after any splits, and are what they were after
// a restart.
#include "engine/partition/partition_map.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

namespace dynolith {
namespace {

std::string AnyPosition(std::mt19937_64* random) {
  std::string position;
  const size_t bytes = 8 + (*random)() % 6;
  // Few values, so that boundaries within one hash are met.
  for (size_t i = 0; i < bytes; ++i) {
    position.push_back("\x00\x01\x7f\x80\xff"[(*random)() % 5]);
  }
  return position;
}

// The same by looking at each partition.
size_t DullFindIndex(const PartitionMap& map, std::string_view position) {
  size_t found = map.size();
  for (size_t i = 0; i < map.size(); ++i) {
    const bool is_last = i + 1 == map.size();
    if (map[i].begin > position || (!is_last && position >= map[i + 1].begin)) continue;
    EXPECT_EQ(found, map.size()) << "two partitions hold a position";
    found = i;
  }
  return found;
}

TEST(PartitionMap, EqualPartsAtFirst) {
  const PartitionMap map(4);
  ASSERT_EQ(map.size(), 4);
  EXPECT_EQ(map[0].begin, "");
  EXPECT_EQ(map[1].begin, std::string("\x40\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(map[3].begin, std::string("\xc0\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(map[2].weight, 0.25);
  EXPECT_EQ(map.FindMiddle(3), std::string("\xe0\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(PartitionMap(1).FindMiddle(0), std::string("\x80\0\0\0\0\0\0\0", 8));
}

TEST(PartitionMap, SplitsLoseAndDuplicateNothing) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 20; ++round) {
    PartitionMap map(static_cast<int>(1 + random() % 5));
    for (size_t i = 0; i < map.size(); ++i) map.AddBytes(i, 1001);
    const auto bytes = static_cast<int64_t>(map.size() * 1001);
    std::set<uint64_t> ids;
    for (const Partition& partition : map.partitions()) ids.insert(partition.id);
    for (int i = 0; i < 60; ++i) {
      const std::string boundary = AnyPosition(&random);
      const size_t index = map.FindIndex(boundary);
      if (map[index].begin == boundary) continue;
      const uint64_t parent = map[index].id;
      const PartitionSplit split = map.Split(index, boundary);
      EXPECT_EQ(split.parent, parent);
      EXPECT_EQ(map[index].id, split.low);
      EXPECT_EQ(map[index + 1].id, split.high);
      EXPECT_TRUE(ids.insert(split.low).second && ids.insert(split.high).second);
    }
    double weight = 0;
    int64_t left = 0;
    for (const Partition& partition : map.partitions()) {
      weight += partition.weight;
      left += partition.bytes;
    }
    EXPECT_NEAR(weight, 1, 1e-12);
    EXPECT_EQ(left, bytes);
    for (int i = 0; i < 300; ++i) {
      const std::string position = AnyPosition(&random);
      EXPECT_EQ(map.FindIndex(position), DullFindIndex(map, position));
      // Whatever was thought to be likely.
      EXPECT_EQ(map.FindIndex(position, random() % (map.size() + 2)), map.FindIndex(position));
    }
    const auto again = PartitionMap::FromPartitions(map.partitions(), map.next_id());
    ASSERT_TRUE(again.ok());
    for (int i = 0; i < 50; ++i) {
      const std::string position = AnyPosition(&random);
      EXPECT_EQ(again->FindIndex(position), map.FindIndex(position));
    }
  }
}

TEST(PartitionMap, HalvesUntilOneHashIsLeft) {
  PartitionMap map(1);
  int halvings = 0;
  while (const std::optional<std::string> middle = map.FindMiddle(map.size() - 1)) {
    map.Split(map.size() - 1, *middle);
    ++halvings;
  }
  EXPECT_EQ(halvings, 64);
}

TEST(PartitionMap, WhatIsNoMapIsRefused) {
  const std::vector<Partition> good = PartitionMap(3).partitions();
  EXPECT_TRUE(PartitionMap::FromPartitions(good, 4).ok());
  const auto refused = [&](auto damage, uint64_t next_id = 4) {
    std::vector<Partition> bad = good;
    damage(bad);
    const auto map = PartitionMap::FromPartitions(bad, next_id);
    return map.status().code() == absl::StatusCode::kDataLoss;
  };
  EXPECT_TRUE(refused([](auto&) {}, 3));
  EXPECT_TRUE(refused([](auto& bad) { bad.clear(); }));
  EXPECT_TRUE(refused([](auto& bad) { bad[0].begin = "a"; }));
  EXPECT_TRUE(refused([](auto& bad) { std::swap(bad[1], bad[2]); }));
  EXPECT_TRUE(refused([](auto& bad) { bad[1].id = bad[2].id; }));
  EXPECT_TRUE(refused([](auto& bad) { bad[1].id = 0; }));
  EXPECT_TRUE(refused([](auto& bad) { bad[1].weight = -1; }));
}

}  // namespace
}  // namespace dynolith
