// Rows are locked one writer at a time, in one order, without deadlock.
#include "engine/store/row_locks.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dynolith {
namespace {

std::vector<std::string_view> Views(const std::vector<std::string>& keys) {
  return {keys.begin(), keys.end()};
}

TEST(RowLocksTest, HoldsUntilTheGuardGoes) {
  RowLocks locks;
  RowLocks::Guard second;
  const std::vector<std::string_view> key = {"a"};
  {
    const RowLocks::Guard first = locks.Lock("a");
    std::thread([&] {
      RowLocks::Guard other;
      EXPECT_FALSE(locks.TryLock(key, &other));
    }).join();
  }
  EXPECT_TRUE(locks.TryLock(key, &second));
}

TEST(RowLocksTest, LocksASharedStripeOnce) {
  RowLocks locks(1);
  const RowLocks::Guard guard = locks.Lock(Views({"a", "b", "a", "c"}));
  RowLocks wide;
  const RowLocks::Guard twice = wide.Lock(Views({"same", "same"}));
}

TEST(RowLocksTest, FailedTryHoldsNothing) {
  RowLocks locks;
  std::thread([&] {
    RowLocks::Guard middle = locks.Lock("m");
    std::thread([&] {
      RowLocks::Guard all;
      const std::vector<std::string> keys = {"a", "b", "c", "m", "x", "y", "z"};
      EXPECT_FALSE(locks.TryLock(Views(keys), &all));
      RowLocks::Guard rest;
      EXPECT_TRUE(locks.TryLock(Views({"a", "b", "c", "x", "y", "z"}), &rest));
    }).join();
  }).join();
}

TEST(RowLocksTest, MovedGuardHolds) {
  RowLocks locks;
  const std::vector<std::string_view> key = {"a"};
  RowLocks::Guard first = locks.Lock("a");
  RowLocks::Guard second = std::move(first);
  first = RowLocks::Guard();
  std::thread([&] {
    RowLocks::Guard other;
    EXPECT_FALSE(locks.TryLock(key, &other));
  }).join();
  second = locks.Lock("b");
  RowLocks::Guard third;
  EXPECT_TRUE(locks.TryLock(key, &third));
}

// Why: transactions lock up to 100 rows in any order, on few stripes; the counters would race and
// the threads hang if the locks were wrong.
TEST(RowLocksTest, ManyThreadsManyRows) {
  constexpr int kThreads = 4, kRounds = 500, kRows = 16;
  RowLocks locks(8);
  std::vector<int> counts(kRows, 0);
  std::vector<std::thread> threads;
  for (uint32_t seed = 0; seed < kThreads; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int round = 0; round < kRounds; ++round) {
        std::vector<std::string> keys;
        for (int i = 0; i < 3; ++i) keys.push_back(std::to_string(random() % kRows));
        const RowLocks::Guard guard = locks.Lock(Views(keys));
        for (const std::string& key : keys) ++counts[std::stoul(key)];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int sum = 0;
  for (const int count : counts) sum += count;
  EXPECT_EQ(sum, kThreads * kRounds * 3);
}

}  // namespace
}  // namespace dynolith
