// Where accesses fall: by part of the hashes and slot of time, for as long as there is room, also
// from many threads; and only where somebody looks.
#include "engine/partition/heat_record.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "engine/base/big_endian.h"
#include "engine/partition/table_use.h"

namespace dynolith {
namespace {

constexpr Micros kNoon = 1'700'000'000 * kSecond;

// In the middle of a bucket.
std::string PositionIn(size_t bucket) {
  std::string position;
  const double part = (static_cast<double>(bucket) + 0.5) / HeatRecord::kBuckets;
  AppendBigEndian(static_cast<uint64_t>(part * 0x1p64), &position);
  return position + "key";
}

TEST(HeatRecordTest, BucketsAndSlots) {
  HeatRecord record;
  EXPECT_TRUE(record.Report(0, kNoon).empty());
  record.AddAccess(PositionIn(0), AccessKind::kRead, kTokensPerUnit / 2, 300, kNoon);
  record.AddAccess(PositionIn(999), AccessKind::kWrite, 3 * kTokensPerUnit, 2'500, kNoon + 1);
  record.AddAccess(PositionIn(999), AccessKind::kWrite, kTokensPerUnit, 100, kNoon + 1);
  record.AddThrottled(PositionIn(500), AccessKind::kWrite, ThroughputLimit::kKeyRange, kNoon + 2);
  record.AddAccess("", AccessKind::kRead, kTokensPerUnit, 0, kNoon + HeatRecord::kSlot);
  const std::vector<HeatSlot> slots = record.Report(0, kNoon + HeatRecord::kSlot);
  ASSERT_EQ(slots.size(), 2U);
  const HeatSlot& first = slots[0];
  EXPECT_EQ(first.begin, kNoon);
  EXPECT_EQ(first.operations, (PerKind<uint64_t>{1, 2}));
  EXPECT_EQ(first.consumed, (PerKind<uint64_t>{1, 8}));
  EXPECT_EQ(first.bytes, (PerKind<uint64_t>{300, 2'600}));
  EXPECT_EQ(first.refused.write[static_cast<size_t>(ThroughputLimit::kKeyRange)], 1U);
  EXPECT_EQ(first.refused.read, (std::array<uint64_t, kThroughputLimits>{}));
  ASSERT_EQ(first.cells.size(), 3U);
  EXPECT_EQ(first.cells[0].bucket, 0U);
  EXPECT_EQ(first.cells[0].consumed, 1U);
  EXPECT_EQ(first.cells[1].bucket, 500U);
  EXPECT_EQ(first.cells[1].operations, 0U);
  EXPECT_EQ(first.cells[1].throttled, 1U);
  EXPECT_EQ(first.cells[2].bucket, 999U);
  EXPECT_EQ(first.cells[2].operations, 2U);
  EXPECT_EQ(first.cells[2].bytes, 2'600U);
  EXPECT_EQ(slots[1].begin, kNoon + HeatRecord::kSlot);
  EXPECT_EQ(slots[1].cells[0].bucket, 0U) << "a position without a hash is the first";
}

TEST(HeatRecordTest, RemembersSoManySlots) {
  HeatRecord record;
  constexpr auto kSlots = static_cast<int64_t>(HeatRecord::kSlots);
  for (int64_t i = 0; i < kSlots + 10; ++i) {
    record.AddAccess(PositionIn(7), AccessKind::kRead, kTokensPerUnit * (i + 1), 10,
                     kNoon + i * HeatRecord::kSlot);
  }
  const Micros now = kNoon + (kSlots + 9) * HeatRecord::kSlot;
  std::vector<HeatSlot> slots = record.Report(0, now);
  ASSERT_EQ(slots.size(), HeatRecord::kSlots);
  EXPECT_EQ(slots[0].begin, kNoon + 10 * HeatRecord::kSlot);
  EXPECT_EQ(slots[0].consumed.read, 22U) << "what was there before is gone";
  // A thread that was late by more than all of them.
  record.AddAccess(PositionIn(7), AccessKind::kRead, kTokensPerUnit, 0, kNoon);
  EXPECT_EQ(record.Report(0, now)[0].consumed.read, 22U);
  // One that was late by one slot still counts.
  record.AddAccess(PositionIn(7), AccessKind::kRead, kTokensPerUnit, 10, now - HeatRecord::kSlot);
  slots = record.Report(now - HeatRecord::kSlot, now);
  ASSERT_EQ(slots.size(), 2U) << "only the slots that were asked for";
  EXPECT_EQ(slots[0].operations.read, 2U);
  // The clock was moved: nothing is left of what is longer ago.
  EXPECT_TRUE(record.Report(0, now + kSlots * HeatRecord::kSlot).empty());
  record.AddAccess(PositionIn(8), AccessKind::kRead, kTokensPerUnit, 0,
                   now + 5 * kSlots * HeatRecord::kSlot);
  EXPECT_EQ(record.Report(0, now + 5 * kSlots * HeatRecord::kSlot).size(), 1U);
}

// Also for the thread sanitizer.
TEST(HeatRecordTest, ManyThreadsLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kAccesses = 20'000;
  HeatRecord record;
  const auto access = [&](int thread) {
    for (int i = 0; i < kAccesses; ++i) {
      const Micros now = kNoon + i / 100 * HeatRecord::kSlot;
      const std::string position = PositionIn(static_cast<size_t>(i % 10));
      record.AddAccess(position, AccessKind::kWrite, kTokensPerUnit, 10, now);
      record.AddThrottled(position, AccessKind::kRead, ThroughputLimit::kAccount, now);
      if (thread == 0 && i % 1000 == 0) record.Report(0, now);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(access, i);
  for (std::thread& thread : threads) thread.join();
  uint64_t operations = 0;
  uint64_t consumed = 0;
  uint64_t throttled = 0;
  uint64_t bytes = 0;
  for (const HeatSlot& slot : record.Report(0, kNoon + kAccesses / 100 * HeatRecord::kSlot)) {
    EXPECT_EQ(slot.operations.write, uint64_t{kThreads} * 100);
    EXPECT_EQ(slot.refused.read[static_cast<size_t>(ThroughputLimit::kAccount)],
              uint64_t{kThreads} * 100);
    for (const HeatSlot::Cell& cell : slot.cells) {
      operations += cell.operations;
      consumed += cell.consumed;
      throttled += cell.throttled;
      bytes += cell.bytes;
    }
  }
  EXPECT_EQ(operations, uint64_t{kThreads} * kAccesses);
  EXPECT_EQ(consumed, uint64_t{2} * kThreads * kAccesses);
  EXPECT_EQ(throttled, uint64_t{kThreads} * kAccesses);
  EXPECT_EQ(bytes, uint64_t{10} * kThreads * kAccesses);
}

TEST(TableUseTest, RecordsHeatOnlyForThoseWhoLook) {
  TableUse use({});
  const std::string position = PositionIn(3);
  const ThroughputUse one = {
      .id = 1, .position = {position, position.size()}, .tokens = kTokensPerUnit};
  const TableUse::WatchedIds ids = {{1, KeyWatchMode::kAccessedAndThrottled}};
  const auto slots = [&](Micros now) { return use.FindHeat(1, 0, now); };
  use.WatchKeys(ids);
  use.AddCharges({&one, 1}, kNoon);
  EXPECT_FALSE(slots(kNoon));
  use.WatchKeys(ids, /*records_heat=*/true);
  use.AddCharges({&one, 1}, kNoon);
  // Nobody wanted to know when the request began.
  use.AddCharges({&one, 1}, 0);
  const std::optional<ThroughputLimit> limit = ThroughputLimit::kKeyRange;
  use.AddRefusals({&one, 1}, {&limit, 1}, kNoon);
  ASSERT_EQ(slots(kNoon)->size(), 1U);
  EXPECT_EQ(slots(kNoon)->front().operations.read, 1U);
  EXPECT_EQ(slots(kNoon)->front().cells[0].throttled, 1U);
  EXPECT_FALSE(use.FindHeat(2, 0, kNoon));
  // What goes on is kept; what ends is forgotten.
  use.WatchKeys({{1, KeyWatchMode::kThrottled}}, true);
  EXPECT_EQ(slots(kNoon)->size(), 1U);
  use.WatchKeys(ids);
  EXPECT_FALSE(slots(kNoon));
  use.WatchKeys(ids, true);
  EXPECT_TRUE(slots(kNoon)->empty());
}

}  // namespace
}  // namespace dynolith
