// The minutes of a server that runs for weeks must not grow without end: age and memory bound them,
// of one database and of all together, and what is kept is right.
#include "tools/server/cloudwatch/minute_store.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace dynolith::cloudwatch {
namespace {

constexpr Minute kStart = 28'000'000;

Series SeriesOf(const std::string& table) {
  return {.metric = Metric::kConsumedReadCapacityUnits, .table = table};
}

Statistic One(double value) {
  Statistic statistic;
  statistic.Add(value);
  return statistic;
}

size_t MinutesIn(const MinuteStore& store, const Series& series) {
  return store.Read(series, 0, 2 * kStart).size();
}

TEST(MinuteStore, SamplesOfAMinuteAddUp) {
  MinuteStore store;
  store.Add(SeriesOf("a"), kStart, One(1));
  store.Add(SeriesOf("a"), kStart, One(2));
  store.Add(SeriesOf("a"), kStart + 2, One(5));
  store.Add(SeriesOf("b"), kStart + 1, One(9));
  const auto read = store.Read(SeriesOf("a"), kStart, kStart + 3);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].first, kStart);
  EXPECT_EQ(read[0].second.sum(), 3);
  EXPECT_EQ(read[1].second.sum(), 5);
  EXPECT_EQ(store.Read(SeriesOf("a"), kStart, kStart + 2).size(), 1u) << "the end is not included";
  EXPECT_TRUE(store.Read(SeriesOf("c"), 0, 2 * kStart).empty());
  EXPECT_EQ(store.List(kStart, kStart + 3), (std::vector{SeriesOf("a"), SeriesOf("b")}));
  EXPECT_EQ(store.List(kStart + 2, kStart + 3), std::vector{SeriesOf("a")});
}

TEST(MinuteStore, OldMinutesAreForgotten) {
  MinuteStore store({.minutes_max = 100});
  for (Minute i = 0; i < 1'000; ++i) store.Add(SeriesOf("a"), kStart + i, One(1));
  const auto read = store.Read(SeriesOf("a"), 0, 2 * kStart);
  // They go by the hour.
  EXPECT_GE(read.size(), 100u);
  EXPECT_LE(read.size(), 161u);
  EXPECT_EQ(read.back().first, kStart + 999);
  const size_t before = store.bytes();
  store.Add(SeriesOf("a"), kStart, One(1));  // too late
  EXPECT_EQ(store.bytes(), before);
}

TEST(MinuteStore, TheMemoryIsBounded) {
  const auto memory = std::make_shared<MemoryShare>();
  memory->bytes_max = 100'000;
  MinuteStore store({.memory = memory});
  for (Minute i = 0; i < 3'000; ++i) {
    for (const char* const table : {"a", "b", "c"}) store.Add(SeriesOf(table), kStart + i, One(1));
    ASSERT_LE(memory->bytes, memory->bytes_max);
    ASSERT_EQ(memory->bytes, store.bytes());
  }
  EXPECT_GT(MinutesIn(store, SeriesOf("a")), 60u);
  EXPECT_FALSE(store.Read(SeriesOf("c"), kStart + 2'999, kStart + 3'000).empty());
}

TEST(MinuteStore, MoreSeriesInAMinuteThanThereIsRoomFor) {
  const auto memory = std::make_shared<MemoryShare>();
  memory->bytes_max = 10'000;
  MinuteStore store({.memory = memory});
  for (int i = 0; i < 10'000; ++i) store.Add(SeriesOf(std::to_string(i)), kStart, One(1));
  EXPECT_LE(memory->bytes, memory->bytes_max);
  EXPECT_EQ(MinutesIn(store, SeriesOf("0")), 1u) << "those that came first stay";
  EXPECT_EQ(MinutesIn(store, SeriesOf("9999")), 0u);
}

TEST(MinuteStore, AllStoresShareTheMemory) {
  const auto memory = std::make_shared<MemoryShare>();
  memory->bytes_max = 100'000;
  {
    MinuteStore first({.memory = memory});
    for (Minute i = 0; i < 3'000; ++i) first.Add(SeriesOf("a"), kStart + i, One(1));
    MinuteStore second({.memory = memory});
    const size_t kept = MinutesIn(first, SeriesOf("a"));
    first.DropOlderHalf();
    EXPECT_NEAR(static_cast<double>(MinutesIn(first, SeriesOf("a"))), static_cast<double>(kept) / 2,
                1);
    second.Add(SeriesOf("b"), kStart, One(1));
    EXPECT_EQ(MinutesIn(second, SeriesOf("b")), 1u);
    EXPECT_EQ(memory->bytes, first.bytes() + second.bytes());
  }
  EXPECT_EQ(memory->bytes, 0u);
}

TEST(MinuteStore, AReturnToAnEarlierState) {
  MinuteStore store({.minutes_max = 100});
  for (Minute i = 0; i < 500; ++i) store.Add(SeriesOf("a"), kStart + i, One(1));
  store.Add(SeriesOf("b"), kStart + 499, One(1));
  store.DropFrom(kStart + 450);
  EXPECT_EQ(store.Read(SeriesOf("a"), 0, 2 * kStart).back().first, kStart + 449);
  EXPECT_EQ(store.List(0, 2 * kStart), std::vector{SeriesOf("a")});
  // To a time of which everything was forgotten: from there on it is kept again.
  store.DropFrom(kStart + 10);
  EXPECT_EQ(store.bytes(), 0u);
  store.Add(SeriesOf("a"), kStart + 11, One(1));
  EXPECT_EQ(MinutesIn(store, SeriesOf("a")), 1u);
}

TEST(MinuteStore, ThreadsAddAndRead) {
  const auto memory = std::make_shared<MemoryShare>();
  memory->bytes_max = 200'000;
  MinuteStore store({.memory = memory});
  MinuteStore other({.memory = memory});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (Minute i = 0; i < 1'000; ++i) {
        (t % 2 == 0 ? store : other).Add(SeriesOf(std::to_string(t)), kStart + i, One(1));
        if (i % 100 == 0) store.List(0, 2 * kStart);
        if (i % 300 == 0) other.DropOlderHalf();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(memory->bytes, store.bytes() + other.bytes());
}

}  // namespace
}  // namespace dynolith::cloudwatch
