// What a table admits, by how its throughput is divided and saved, and how its partitions change:
// the figures of api/facts/capacity.md §3 and §4.
#include "engine/partition/throughput_model.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/unit/partition/offered_load.h"

namespace dynolith {
namespace {

using testing::Admitted;
using testing::MakePosition;
using testing::Offer;
using testing::Spread;

constexpr AccessKind kRead = AccessKind::kRead;
constexpr AccessKind kWrite = AccessKind::kWrite;

TableRates Provisioned(int64_t reads, int64_t writes) {
  return {.on_demand = false, .units = {reads, writes}, .maximum = {}};
}
TableRates OnDemand(int64_t reads = 12'000, int64_t writes = 4'000) {
  return {.on_demand = true, .units = {reads, writes}, .maximum = {}};
}
CapacitySettings With(Admission admission) {
  CapacitySettings settings;
  settings.admission = admission;
  return settings;
}
std::string OneKey(int64_t) { return MakePosition(5); }

TEST(ThroughputModel, UnusedCapacityOfFiveMinutesIsSpentAtOnceOrOverTime) {
  Micros now = 0;
  ThroughputModel model({}, Provisioned(150, 10), nullptr, now);
  now = 300 * kSecond;
  EXPECT_EQ(model.TableLevel(kRead, now), 45'000 * kTokensPerUnit);
  // 200 a second are served for 900 s, of which 45,000 are saved ones, then 150.
  const Admitted burst = Offer(&model, kRead, 200, 900, Spread, &now);
  EXPECT_EQ(burst.all_refused(), 0);
  const Admitted after = Offer(&model, kRead, 200, 100, Spread, &now);
  EXPECT_NEAR(static_cast<double>(after.served), 150 * 100, 2);
  EXPECT_EQ(after.by(ThroughputLimit::kProvisionedThroughput), after.all_refused());
}

TEST(ThroughputModel, ReadsAndWritesAreApart) {
  Micros now = 0;
  ThroughputModel model({}, Provisioned(10, 1), nullptr, now);
  Offer(&model, kWrite, 100, 10, Spread, &now);
  EXPECT_TRUE(model.Refusal(kWrite, Spread(1), now));
  EXPECT_FALSE(model.Refusal(kRead, Spread(1), now));
}

TEST(ThroughputModel, WhatAReadCostsIsKnownAfterwards) {
  ThroughputModel model({}, Provisioned(1, 1), nullptr, 0);
  const std::string at = OneKey(0);
  model.Charge(kRead, {at, 8}, 299 * kTokensPerUnit, 0);
  EXPECT_FALSE(model.Refusal(kRead, at, 0));
  model.Charge(kRead, {at, 8}, 101 * kTokensPerUnit, 0);
  EXPECT_EQ(model.Refusal(kRead, at, 100 * kSecond), ThroughputLimit::kProvisionedThroughput);
  EXPECT_FALSE(model.Refusal(kRead, at, 100 * kSecond + 1));
}

TEST(ThroughputModel, APartitionHasAMaximumHoweverMuchTheTableHas) {
  Micros now = 0;
  ThroughputModel model({}, Provisioned(12'000, 4'000), nullptr, now);
  EXPECT_EQ(model.partitions().size(), 8);
  const Admitted hot = Offer(&model, kWrite, 2'000, 10, OneKey, &now);
  EXPECT_EQ(hot.served, 1'000 * 10 + 1'000);
  EXPECT_EQ(hot.by(ThroughputLimit::kKeyRange), 20'000 - hot.served);
  // The others do not notice.
  EXPECT_FALSE(model.Refusal(kWrite, MakePosition(uint64_t{1} << 63), now));
}

TEST(ThroughputModel, StaticSharesThrottleUnevenTraffic) {
  Micros now = 0;
  ThroughputModel model(With(Admission::kStatic), Provisioned(4'000, 800), nullptr, now);
  ASSERT_EQ(model.partitions().size(), 3);
  Offer(&model, kWrite, 2'000, 1, OneKey, &now);
  // One of three: a third of 800, though the table has room.
  const Admitted hot = Offer(&model, kWrite, 500, 30, OneKey, &now);
  EXPECT_NEAR(static_cast<double>(hot.served), 30 * 800.0 / 3, 2);
  EXPECT_EQ(hot.by(ThroughputLimit::kKeyRange), hot.all_refused());
}

TEST(ThroughputModel, BurstSpendsWhatTheShareHasSaved) {
  Micros now = 0;
  ThroughputModel model(With(Admission::kBurst), Provisioned(4'000, 900), nullptr, now);
  ASSERT_EQ(model.partitions().size(), 3);
  // 300 a second for it, and 300 s of that saved, which last 450 s at 500, and the second of the
  // share itself.
  const Admitted first = Offer(&model, kWrite, 500, 451, OneKey, &now);
  EXPECT_EQ(first.all_refused(), 0);
  Offer(&model, kWrite, 500, 2, OneKey, &now);
  const Admitted after = Offer(&model, kWrite, 500, 100, OneKey, &now);
  EXPECT_NEAR(static_cast<double>(after.served), 300 * 100, 2);
}

TEST(ThroughputModel, BurstNeedsRoomOnTheNodes) {
  CapacitySettings settings = With(Admission::kBurst);
  settings.nodes = 3;
  settings.node_units = {9'000, 600};
  Nodes nodes(settings, 0);
  Micros now = 0;
  // Both are on all three nodes.
  ThroughputModel model(settings, Provisioned(100, 500), &nodes, now);
  ThroughputModel neighbour(settings, Provisioned(100, 600), &nodes, now);
  Offer(&model, kWrite, 1'000, 2, OneKey, &now);
  const Admitted alone = Offer(&model, kWrite, 1'000, 10, OneKey, &now);
  EXPECT_NEAR(static_cast<double>(alone.served), 6'000, 5);
  // What the neighbour uses is not there any more, but for the share, which is always given.
  Admitted beside;
  for (int i = 0; i < 10'000; ++i) {
    now += kSecond / 1'000;
    const std::string at = OneKey(0);
    if (!neighbour.Refusal(kWrite, at, now)) {
      neighbour.Charge(kWrite, {at, 8}, kTokensPerUnit / 2, now);
    }
    if (model.Refusal(kWrite, at, now)) continue;
    model.Charge(kWrite, {at, 8}, kTokensPerUnit, now);
    ++beside.served;
  }
  EXPECT_NEAR(static_cast<double>(beside.served), 5'000, 5);
}

TEST(ThroughputModel, AdaptiveCapacityGivesTheHotOneWhatOthersLeave) {
  CapacitySettings settings = With(Admission::kAdaptive);
  settings.burst = kSecond;  // so that only the boost is left
  Micros now = 0;
  // The documentation's example: 400 over four partitions, three at 50 and one at 150.
  ThroughputModel model(settings, Provisioned(9'000, 400), nullptr, now);
  ASSERT_EQ(model.partitions().size(), 4);
  const auto uneven = [](int64_t i) {
    const int64_t turn = i % 6;  // three of six are hot
    return MakePosition(turn < 3 ? 7 : static_cast<uint64_t>(turn - 2) << 62);
  };
  const Admitted before = Offer(&model, kWrite, 300, 60, uneven, &now);
  EXPECT_GT(before.by(ThroughputLimit::kKeyRange), 0);
  Offer(&model, kWrite, 300, 600, uneven, &now);
  const Admitted after = Offer(&model, kWrite, 300, 60, uneven, &now);
  EXPECT_LT(after.all_refused(), 300 * 60 / 1'000);
  // When the table uses all it has, boosts go.
  const auto all_over = [](int64_t i) { return MakePosition(static_cast<uint64_t>(i) << 62); };
  Offer(&model, kWrite, 800, 600, all_over, &now);
  const Admitted again = Offer(&model, kWrite, 300, 50, uneven, &now);
  EXPECT_GT(again.by(ThroughputLimit::kKeyRange), 0);
}

TEST(ThroughputModel, OnDemandServesTwiceThePeakOfHalfAnHourAgo) {
  CapacitySettings settings;
  settings.heat.duration = 24 * 60 * kMinute;
  Micros now = 0;
  ThroughputModel model(settings, OnDemand(), nullptr, now);
  EXPECT_EQ(model.partitions().size(), 4);
  const Admitted first = Offer(&model, kWrite, 6'000, 60, Spread, &now);
  EXPECT_NEAR(static_cast<double>(first.served), 4'000 * 61, 10);
  EXPECT_EQ(first.by(ThroughputLimit::kKeyRange), first.all_refused());
  now += 29 * kMinute;
  EXPECT_EQ(Offer(&model, kWrite, 6'000, 10, Spread, &now).served, 4'000 * 11);
  now += 60 * kSecond;
  const Admitted grown = Offer(&model, kWrite, 6'000, 10, Spread, &now);
  EXPECT_EQ(grown.all_refused(), 0);
  EXPECT_EQ(model.partitions().size(), 16);
  // 4,066 a second was the average of that minute.
  EXPECT_NEAR(static_cast<double>(model.state().warm.write), 2 * 4'066, 2);
}

TEST(ThroughputModel, OnDemandMaximumAndQuota) {
  Micros now = 0;
  TableRates rates = OnDemand();
  rates.maximum.read = 50;
  ThroughputModel model({}, rates, nullptr, now);
  const Admitted capped = Offer(&model, kRead, 100, 10, Spread, &now);
  EXPECT_EQ(capped.served, 50 * 10 + 50);
  EXPECT_EQ(capped.by(ThroughputLimit::kMaxOnDemand), capped.all_refused());
  rates.maximum = {};
  model.SetRates(rates, now);
  EXPECT_EQ(Offer(&model, kRead, 100, 10, Spread, &now).all_refused(), 0);

  CapacitySettings settings;
  settings.table_quota = {500, 500};
  ThroughputModel bounded(settings, OnDemand(), nullptr, now);
  const Admitted most = Offer(&bounded, kRead, 1'000, 10, Spread, &now);
  EXPECT_EQ(most.served, 500 * 11);
  EXPECT_EQ(most.by(ThroughputLimit::kAccount), most.all_refused());
}

TEST(ThroughputModel, AHotPartitionIsSplitWhereItsTrafficIs) {
  Micros now = 0;
  ThroughputModel model({}, OnDemand(), nullptr, now);
  std::mt19937_64 random(5);
  // 2,000 a second fall into a thousandth of the first partition.
  const auto narrow = [&](int64_t) { return MakePosition(random() >> 12); };
  const Admitted before = Offer(&model, kWrite, 2'000, 300, narrow, &now);
  EXPECT_NEAR(static_cast<double>(before.served), 1'000 * 301, 10);
  EXPECT_TRUE(model.TakeSplits().empty());
  Offer(&model, kWrite, 2'000, 61, narrow, &now);
  const std::vector<PartitionSplit> splits = model.TakeSplits();
  ASSERT_EQ(splits.size(), 1);
  EXPECT_EQ(splits[0].parent, 1);
  EXPECT_GT(splits[0].boundary, MakePosition(uint64_t{4} << 48));
  EXPECT_LT(splits[0].boundary, MakePosition(uint64_t{12} << 48));
  const Admitted after = Offer(&model, kWrite, 1'900, 60, narrow, &now);
  // Both halves together serve nearly twice as much.
  EXPECT_LT(after.all_refused(), 60 * 1'900 / 10);
  EXPECT_EQ(model.partitions().size(), 5);
}

TEST(ThroughputModel, OneHotItemIsNeverSplit) {
  Micros now = 0;
  ThroughputModel model({}, OnDemand(), nullptr, now);
  Offer(&model, kWrite, 1'100, 1'000, OneKey, &now);
  EXPECT_EQ(model.partitions().size(), 4);
}

TEST(ThroughputModel, HeatThatPausesSplitsNothing) {
  Micros now = 0;
  ThroughputModel model({}, OnDemand(), nullptr, now);
  std::mt19937_64 random(5);
  const auto narrow = [&](int64_t) { return MakePosition(random() >> 12); };
  for (int i = 0; i < 20; ++i) {
    Offer(&model, kWrite, 1'000, 50, narrow, &now);
    now += 10 * kSecond;
  }
  now += 10 * kMinute;
  model.Advance(now);
  EXPECT_EQ(model.partitions().size(), 4);
}

TEST(ThroughputModel, APartitionThatIsFullIsSplit) {
  CapacitySettings settings;
  settings.partition_bytes = 1'000'000;
  ThroughputModel model(settings, Provisioned(5, 5), nullptr, 0);
  std::mt19937_64 random(5);
  int64_t bytes = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string at = MakePosition(random());
    model.AddBytes({at, 8}, 1'000, 0);
    bytes += 1'000;
  }
  EXPECT_EQ(model.partitions().size(), 16);
  for (const Partition& partition : model.partitions().partitions()) {
    bytes -= partition.bytes;
    EXPECT_LT(partition.bytes, 1'000'000);
  }
  EXPECT_EQ(bytes, 0);
}

TEST(ThroughputModel, MoreUnitsDoubleThePartitions) {
  ThroughputModel model(With(Admission::kStatic), Provisioned(5, 3'200), nullptr, 0);
  EXPECT_EQ(model.partitions().size(), 4);
  model.SetRates(Provisioned(5, 3'600), 0);
  EXPECT_EQ(model.partitions().size(), 4);
  model.SetRates(Provisioned(5, 6'000), 0);
  EXPECT_EQ(model.partitions().size(), 8);
  model.SetRates(Provisioned(5, 5'000), 0);
  EXPECT_EQ(model.partitions().size(), 8);
  // 625 of 5,000 for each.
  Micros now = 0;
  Offer(&model, kWrite, 3'000, 1, OneKey, &now);
  EXPECT_NEAR(static_cast<double>(Offer(&model, kWrite, 800, 10, OneKey, &now).served), 6'250, 2);
}

TEST(ThroughputModel, AScaleMakesEverythingSmaller) {
  Micros now = 0;
  CapacitySettings settings;
  settings.scale = 0.01;
  ThroughputModel model(settings, OnDemand(), nullptr, now);
  EXPECT_EQ(model.partitions().size(), 4);
  const Admitted hot = Offer(&model, kWrite, 100, 10, OneKey, &now);
  EXPECT_EQ(hot.served, 10 * 10 + 10);
}

TEST(ThroughputModel, WhatIsKeptIsTheSameAgain) {
  CapacitySettings settings;
  settings.partition_bytes = 1'000;
  ThroughputModel model(settings, OnDemand(), nullptr, 0);
  for (uint64_t i = 0; i < 100; ++i) {
    const std::string at = testing::Spread(static_cast<int64_t>(i));
    model.AddBytes({at, 8}, 100, 0);
  }
  const ThroughputModel again(settings, OnDemand(), nullptr, model.state(), 0);
  ASSERT_EQ(again.partitions().size(), model.partitions().size());
  for (size_t i = 0; i < again.partitions().size(); ++i) {
    EXPECT_EQ(again.partitions()[i].id, model.partitions()[i].id);
    EXPECT_EQ(again.partitions()[i].begin, model.partitions()[i].begin);
  }
}

}  // namespace
}  // namespace dynolith
