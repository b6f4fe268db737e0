// What is said of hot keys: the four lists, since the beginning and of the last minute, also from
// many threads.
#include "engine/partition/key_watch.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "engine/partition/table_use.h"

namespace dynolith {
namespace {

// A position of an item with a sort key; the hash is made up.
KeyNames Names(const std::string& position) {
  return {.position = position,
          .partition_key_bytes = position.find('/'),
          .item_bytes = position.size()};
}

const HotKeyLists::List& FindList(const std::array<HotKeyLists::List, kHotKeyKinds>& lists,
                                  HotKeyKind kind) {
  return lists[static_cast<size_t>(kind)];
}

TEST(KeyWatchTest, FourLists) {
  KeyWatch watch(KeyWatchMode::kAccessedAndThrottled);
  EXPECT_FALSE(watch.Report(10, kMinute).since);
  for (int i = 0; i < 3; ++i) watch.AddAccess(Names("hashA/1"), 500, 5 * kMinute);
  watch.AddAccess(Names("hashA/2"), 1000, 5 * kMinute);
  watch.AddAccess(Names("Hashb/1"), 2000, 5 * kMinute);
  watch.AddThrottled(Names("hashA/2"), 5 * kMinute);
  // A query's: no item.
  watch.AddAccess({.position = "hashA/", .partition_key_bytes = 5}, 100, 5 * kMinute);
  // A scan's.
  watch.AddAccess({.position = "hash"}, 9000, 5 * kMinute);
  const HotKeyLists report = watch.Report(2, 5 * kMinute);
  EXPECT_EQ(report.since, 5 * kMinute);
  const auto& keys = FindList(report.all, HotKeyKind::kAccessedPartitionKeys);
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0].key, "hashA");
  EXPECT_EQ(keys[0].count.count, 2600);
  EXPECT_EQ(keys[1].key, "Hashb");
  const auto& items = FindList(report.all, HotKeyKind::kAccessedItems);
  ASSERT_EQ(items.size(), 2U) << "no more than were asked for";
  EXPECT_EQ(items[0].key, "Hashb/1");
  EXPECT_EQ(items[1].key, "hashA/1");
  EXPECT_EQ(items[1].count.count, 1500);
  const auto& throttled = FindList(report.all, HotKeyKind::kThrottledItems);
  ASSERT_EQ(throttled.size(), 1U);
  EXPECT_EQ(throttled[0].key, "hashA/2");
  EXPECT_EQ(throttled[0].count.count, 1);
  EXPECT_EQ(FindList(report.all, HotKeyKind::kThrottledPartitionKeys).size(), 1U);
}

TEST(KeyWatchTest, ThrottledKeysOnly) {
  KeyWatch watch(KeyWatchMode::kThrottled);
  watch.AddAccess(Names("hashA/1"), 500, kMinute);
  EXPECT_FALSE(watch.Report(10, kMinute).since);
  watch.AddThrottled(Names("hashA/1"), kMinute);
  const HotKeyLists report = watch.Report(10, kMinute);
  EXPECT_TRUE(FindList(report.all, HotKeyKind::kAccessedItems).empty());
  EXPECT_EQ(FindList(report.all, HotKeyKind::kThrottledItems).size(), 1U);
}

TEST(KeyWatchTest, RecentIsThisMinuteAndTheLast) {
  KeyWatch watch(KeyWatchMode::kAccessedAndThrottled);
  const auto recent = [&](Micros now) {
    const HotKeyLists report = watch.Report(10, now);
    EXPECT_EQ(report.recent_since, (now / kMinute - 1) * kMinute);
    int64_t sum = 0;
    for (const auto& counted : FindList(report.recent, HotKeyKind::kAccessedPartitionKeys)) {
      sum += counted.count.count;
    }
    return sum;
  };
  watch.AddAccess(Names("hashA/1"), 1, 10 * kMinute);
  watch.AddAccess(Names("hashA/1"), 2, 11 * kMinute - 1);
  watch.AddAccess(Names("hashA/1"), 4, 11 * kMinute);
  EXPECT_EQ(recent(12 * kMinute - 1), 7);
  EXPECT_EQ(recent(12 * kMinute), 4);
  EXPECT_EQ(recent(13 * kMinute), 0);
  EXPECT_EQ(FindList(watch.Report(10, 13 * kMinute).all, HotKeyKind::kAccessedItems)[0].count.count,
            7);
  watch.AddAccess(Names("hashA/1"), 8, 99 * kMinute);
  EXPECT_EQ(recent(99 * kMinute), 8);
}

// Also for the thread sanitizer.
TEST(TableUseTest, ManyThreadsLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kAccesses = 5000;
  TableUse use({.counts = true});
  constexpr KeyWatchMode kAll = KeyWatchMode::kAccessedAndThrottled;
  use.WatchKeys({{1, kAll}, {2, kAll}, {3, kAll}});
  const auto access = [&](uint64_t first_id) {
    for (int i = 0; i < kAccesses; ++i) {
      const std::string position = "hash" + std::to_string(i % 10);
      ThroughputUse one;
      one.id = first_id + static_cast<uint64_t>(i) % 3;
      one.kind = AccessKind::kWrite;
      one.position = {position, position.size()};
      one.named_key = position;
      one.partition_key_bytes = position.size();
      one.tokens = kTokensPerUnit / 2;
      use.AddCharges({&one, 1}, kMinute);
      const std::optional<ThroughputLimit> limit = ThroughputLimit::kKeyRange;
      use.AddRefusals({&one, 1}, {&limit, 1}, kMinute);
      if (i % 100 == 0) use.FindHotKeys(one.id, 5, kMinute);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(access, 1);
  for (std::thread& thread : threads) thread.join();
  int64_t consumed = 0;
  uint64_t refused = 0;
  int64_t of_keys = 0;
  for (uint64_t id = 1; id <= 3; ++id) {
    const UseTotals totals = use.FindTotals(id);
    consumed += totals.consumed.write;
    refused += totals.refused.write[static_cast<size_t>(ThroughputLimit::kKeyRange)];
    const auto lists = use.FindHotKeys(id, 100, kMinute);
    for (const auto& counted : FindList(lists->all, HotKeyKind::kAccessedPartitionKeys)) {
      of_keys += counted.count.count;
    }
  }
  EXPECT_EQ(consumed, kThreads * kAccesses * kThousandths / 2);
  EXPECT_EQ(refused, uint64_t{kThreads} * kAccesses);
  EXPECT_EQ(of_keys, consumed);
  EXPECT_EQ(use.FindTotals(4).consumed.write, 0);
}

TEST(TableUseTest, WatchesWhomItIsTold) {
  TableUse use({});
  EXPECT_FALSE(use.is_watched());
  use.WatchKeys({{1, KeyWatchMode::kThrottled}, {2, KeyWatchMode::kAccessedAndThrottled}});
  EXPECT_TRUE(use.is_watched());
  ThroughputUse one = {
      .id = 2, .tokens = kTokensPerUnit, .named_key = "hash1", .partition_key_bytes = 5};
  use.AddCharges({&one, 1}, kMinute);
  EXPECT_TRUE(use.FindHotKeys(2, 1, kMinute)->since);
  EXPECT_FALSE(use.FindHotKeys(3, 1, kMinute));
  // What goes on is kept, another mode begins anew.
  use.WatchKeys({{2, KeyWatchMode::kAccessedAndThrottled}});
  EXPECT_TRUE(use.FindHotKeys(2, 1, kMinute)->since);
  EXPECT_FALSE(use.FindHotKeys(1, 1, kMinute));
  use.WatchKeys({{2, KeyWatchMode::kThrottled}});
  EXPECT_FALSE(use.FindHotKeys(2, 1, kMinute)->since);
  use.WatchKeys({});
  EXPECT_FALSE(use.is_watched());
  EXPECT_EQ(use.FindTotals(2).consumed.read, 0) << "nobody has asked for it";
}

}  // namespace
}  // namespace dynolith
