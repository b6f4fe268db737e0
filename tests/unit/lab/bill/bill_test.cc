// What a measured load costs: metrics of CloudWatch, and each way to pay for them.
#include "tools/lab/bill/bill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tools/lab/bill/bill_text.h"
#include "tools/lab/bill/metrics.h"
#include "tools/lab/experiment/paid_features.h"
#include "tools/lab/report/monthly_bill.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kStart = 1'795'564'800;  // 2026-11-25 00:00Z
constexpr int kDay = 1440;                 // minutes

// Round figures: 1 for a million requests, a unit-hour costs as much as ten thousand requests.
PriceList RoundPrices() {
  PriceList prices;
  prices.region = "here";
  prices.date = "today";
  prices.currency = "USD";
  prices.million = {1, 2};
  prices.unit_hour = {0.001, 0.002};
  prices.storage_gb_month = 1;
  prices.infrequent_requests = 1.5;
  prices.infrequent_storage = 0.5;
  prices.hours_month = 1000;
  return prices;
}

// Minutes of `units(minute)` a second.
template <typename Units>
MetricPoints EachMinute(int count, Units units) {
  MetricPoints points;
  for (int i = 0; i < count; ++i) points[kStart + i * 60] = 60.0 * units(i);
  return points;
}

Metrics MetricsOfWrites(MetricPoints points) {
  Metrics metrics;
  metrics.resources["t"].consumed.write = std::move(points);
  return metrics;
}

TEST(Bill, OfASteadyLoad) {
  Metrics metrics = MetricsOfWrites(EachMinute(60, [](int) { return 7; }));
  metrics.resources["t"].provisioned.write = EachMinute(60, [](int) { return 0.5; });
  metrics.resources["t/i"].consumed.read = EachMinute(60, [](int) { return 100; });
  const auto bill = MakeBill(metrics, RoundPrices());
  ASSERT_TRUE(bill.ok()) << bill.status();
  ASSERT_EQ(bill->resources.size(), 2u);
  const ResourceBill& table = bill->resources[0];
  EXPECT_DOUBLE_EQ(table.on_demand, 7 * 3.6 * 2);  // 3.6 million seconds
  EXPECT_DOUBLE_EQ(table.provisioned, 7 * 1000 * 0.002 + 1 * 1000 * 0.001);
  // 7 / 0.7 units, and one read unit, which is the least.
  EXPECT_DOUBLE_EQ(table.scaled, 10 * 1000 * 0.002 + 1 * 1000 * 0.001);
  EXPECT_DOUBLE_EQ(*table.present, 30 * 1000 * 0.002);
  EXPECT_DOUBLE_EQ(bill->resources[1].on_demand, 100 * 3.6 * 1);
  EXPECT_EQ(bill->resources[1].present, std::nullopt);
  EXPECT_DOUBLE_EQ(bill->on_demand, 360 + 50.4);
  // Half of the requests' price more, half of the storage's less.
  EXPECT_DOUBLE_EQ(bill->infrequent_from_gb, bill->on_demand);
  EXPECT_EQ(bill->end - bill->begin, 3600);
}

// Ten minutes with ten units, and thirty with thirty, of which only the ends have points.
TEST(Bill, ProvisionedUnitsLastUntilTheNextPoint) {
  Metrics metrics = MetricsOfWrites(EachMinute(40, [](int) { return 1; }));
  metrics.known_period = 60;
  metrics.resources["t"].provisioned.write = {
      {kStart, 10}, {kStart + 540, 10}, {kStart + 600, 30}, {kStart + 2340, 30}};
  const auto bill = MakeBill(metrics, RoundPrices());
  ASSERT_TRUE(bill.ok()) << bill.status();
  EXPECT_NEAR(bill->resources[0].use.write.provisioned, 25, 1e-9);
}

TEST(Bill, AutoScalingFollowsADay) {
  const auto day = [](int minute) { return 100 * (1.1 - std::cos(minute * 2 * M_PI / kDay)); };
  const auto bill = MakeBill(MetricsOfWrites(EachMinute(2 * kDay, day)), RoundPrices());
  ASSERT_TRUE(bill.ok()) << bill.status();
  const KindUse& use = bill->resources[0].use.write;
  EXPECT_NEAR(use.mean, 110, 1);
  EXPECT_NEAR(use.peak, 210, 1);
  // Near what the load needs at a target of 70 %, and well below the peak's.
  EXPECT_GT(use.scaled, use.mean / 0.7);
  EXPECT_LT(use.scaled, 1.3 * use.mean / 0.7);
  EXPECT_EQ(use.not_served, 0);
}

TEST(Bill, AutoScalingIsTooLateForAWall) {
  const auto wall = [](int minute) { return minute < 120 ? 10 : 2000; };
  const auto bill = MakeBill(MetricsOfWrites(EachMinute(180, wall)), RoundPrices());
  ASSERT_TRUE(bill.ok()) << bill.status();
  EXPECT_GT(bill->resources[0].use.write.not_served, 0.05);
  EXPECT_THAT(BillText(*bill, RoundPrices(), kAnyWidth),
              AllOf(HasSubstr("auto scaling would be too late for"),
                    HasSubstr("Cheapest: provisioned for")));
}

TEST(Bill, BlocksAreReservedThatAreUsed) {
  PriceList prices = RoundPrices();
  // 100 units for an hour: 0.05 and 0.05, half of 100 × 0.002.
  prices.reserved = {{.term = "a year", .years = 1, .upfront = {0, 438}, .hour = {9, 0.05}}};
  // 250 units half of the time, 140 (to be scaled: 200) in the other half.
  const auto steps = [](int minute) { return minute < kDay ? 140 : 175; };
  const auto bill = MakeBill(MetricsOfWrites(EachMinute(2 * kDay, steps)), prices);
  ASSERT_TRUE(bill.ok()) << bill.status();
  ASSERT_EQ(bill->commitments.size(), 1u);
  const Commitment& commitment = bill->commitments[0];
  // Two blocks are always used; of the third a quarter on average, which is below a half.
  EXPECT_EQ(commitment.units.write, 200);
  EXPECT_EQ(commitment.units.read, 0);
  EXPECT_DOUBLE_EQ(commitment.upfront, 2 * 438);
  const double above = bill->resources[0].use.write.scaled - 200;
  EXPECT_NEAR(above, 25, 1);
  EXPECT_NEAR(commitment.month, 1000 * (2 * 0.1 + above * 0.002 + 1 * 0.001), 1e-6);
  EXPECT_LT(commitment.month, bill->scaled);
}

// Their writes can neither be reserved nor be paid for with units that do not scale.
TEST(Bill, ReplicatedWritesScale) {
  PriceList prices = RoundPrices();
  prices.replicated_write_million = 2;
  prices.replicated_write_unit_hour = 0.002;
  prices.reserved = {{.term = "a year", .upfront = {0, 0}, .hour = {0.01, 0.01}}};
  PriceList there = prices;
  there.region = "there";
  prices.elsewhere = {there};
  TableDesign table = {.name = "t"};
  const Metrics metrics = MetricsOfWrites(EachMinute(60, [](int) { return 1'000; }));
  const auto plain = MakeBill(metrics, prices, {table});
  table.paid.replicas = {"there"};
  const auto bill = MakeBill(metrics, prices, {table});
  ASSERT_TRUE(plain.ok() && bill.ok()) << bill.status();
  EXPECT_GT(plain->commitments.at(0).units.write, 0);
  EXPECT_EQ(bill->commitments.at(0).units.write, 0);
  EXPECT_NEAR(bill->commitments.at(0).month, bill->scaled, 1e-6);
  EXPECT_THAT(BillText(*bill, prices, 120), HasSubstr("Cheapest: provisioned, with auto scaling"));
  const std::optional<JsonTree> json = ParseJson(BillJson(*bill, prices), 10);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->Find("provisioned"), nullptr);
}

TEST(Bill, WhatMakesNoSense) {
  const auto error = [](const Metrics& metrics) {
    return std::string(MakeBill(metrics, RoundPrices()).status().message());
  };
  EXPECT_THAT(error(Metrics()), HasSubstr("there is nothing to bill"));
  EXPECT_THAT(error(MetricsOfWrites({{kStart, 1}})), HasSubstr("there is one point in time"));
  EXPECT_THAT(error(MetricsOfWrites({{kStart, 1}, {kStart + 60, 1}, {kStart + 150, 1}})),
              HasSubstr("the points of t do not lie whole periods apart"));
  EXPECT_THAT(error(MetricsOfWrites({{0, 1}, {60, 1}, {kStart, 1}})),
              HasSubstr("more than 2000000 periods"));
}

TEST(Bill, TextAndJson) {
  Metrics metrics = MetricsOfWrites({{kStart, 3000}, {kStart + 300, 6000}});
  metrics.resources["t"].throttled.write = {{kStart, 2}, {kStart + 300, 3}};
  const auto bill = MakeBill(metrics, RoundPrices());
  ASSERT_TRUE(bill.ok()) << bill.status();
  const std::string text = BillText(*bill, RoundPrices(), kAnyWidth);
  EXPECT_THAT(text, HasSubstr("From 2026-11-25 00:00Z to 2026-11-25 00:10Z, by periods of 5 min"));
  EXPECT_THAT(text, HasSubstr("Cheapest: provisioned, with auto scaling, 31.00 USD a month"));
  EXPECT_THAT(text, HasSubstr("t was throttled 5 times"));
  EXPECT_THAT(text, HasSubstr("a period of 5 min hides shorter peaks"));
  const std::optional<JsonTree> json = ParseJson(BillJson(*bill, RoundPrices()), 10);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->Find("resources")->elements[0].Find("write")->Find("peak")->text, "20");
  EXPECT_EQ(json->Find("asProvisioned"), nullptr);
}

std::string Adding(std::string_view text, Metrics* metrics, const std::string& table = "") {
  return std::string(AddMetrics("m.json", text, table, metrics).message());
}

TEST(Metrics, OfGetMetricData) {
  Metrics metrics;
  EXPECT_EQ(Adding(R"({"MetricDataResults": [
    {"Id": "a", "Label": "shop ConsumedReadCapacityUnits", "StatusCode": "Complete",
     "Timestamps": ["2026-11-25T00:01:00+00:00", "2026-11-25T01:00:00+01:00"], "Values": [5, 7.5]},
    {"Id": "b", "Label": "shop by-day WriteThrottleEvents", "Timestamps": [1795564800], "Values": [1]},
    {"Id": "c", "Label": "shop/by-day ProvisionedWriteCapacityUnits", "Timestamps": [], "Values": []}
    ], "Messages": []})",
                   &metrics),
            "");
  EXPECT_EQ(metrics.resources["shop"].consumed.read,
            (MetricPoints{{kStart, 7.5}, {kStart + 60, 5}}));
  EXPECT_EQ(metrics.resources["shop/by-day"].throttled.write, (MetricPoints{{kStart, 1}}));
  EXPECT_EQ(metrics.period(), 60);
  EXPECT_EQ(metrics.begin(), kStart);
  EXPECT_EQ(metrics.end(), kStart + 120);
}

TEST(Metrics, OfGetMetricStatistics) {
  constexpr std::string_view kText = R"({"Label": "ProvisionedReadCapacityUnits", "Datapoints": [
    {"Timestamp": "2026-11-25T00:05:00Z", "Average": 4.0, "Unit": "Count"}]})";
  Metrics metrics;
  EXPECT_EQ(Adding(kText, &metrics, "shop/i"), "");
  EXPECT_EQ(metrics.resources["shop/i"].provisioned.read, (MetricPoints{{kStart + 300, 4}}));
  EXPECT_THAT(Adding(kText, &metrics), HasSubstr("m.json:1:11: Label: ProvisionedReadCapacityUnits "
                                                 "does not say of which table or index"));
}

TEST(Metrics, OfATable) {
  Metrics metrics;
  EXPECT_EQ(Adding("time,shop ConsumedReadCapacityUnits,\"shop/i ProvisionedWriteCapacityUnits\"\n"
                   "2026-11-25T00:00:00Z,5,2.5\n2026/11/25 00:01:00,7,\n1795564920,,3\n",
                   &metrics),
            "");
  EXPECT_EQ(metrics.resources["shop"].consumed.read, (MetricPoints{{kStart, 5}, {kStart + 60, 7}}));
  EXPECT_EQ(metrics.resources["shop/i"].provisioned.write,
            (MetricPoints{{kStart, 2.5}, {kStart + 120, 3}}));
  EXPECT_EQ(Adding("time,ConsumedReadCapacityUnits\n1,x\nnoon,5\n", &metrics, "t"),
            "m.json:2:1: ConsumedReadCapacityUnits must be a number");
  EXPECT_EQ(Adding("time,ConsumedReadCapacityUnits\nnoon,5\n", &metrics, "t"),
            "m.json:2:1: time must have times such as 2026-11-25T12:00:00Z");
  EXPECT_THAT(Adding("time,Latency,ConsumedReadCapacityUnits\n", &metrics),
              AllOf(HasSubstr("m.json:1:1: column 2: Latency is no metric"),
                    HasSubstr("column 3: ConsumedReadCapacityUnits does not say of which table")));
  EXPECT_THAT(Adding("", &metrics), HasSubstr("there are neither"));
  EXPECT_THAT(Adding("time,t ConsumedReadCapacityUnits\n1e300,1\n", &metrics),
              HasSubstr("must have times"));
}

TEST(Metrics, WhatMakesNoSense) {
  Metrics metrics;
  const std::string error = Adding(R"({"MetricDataResults": [
{"Label": "shop Latency", "Timestamps": [], "Values": []},
{"Label": "shop ConsumedReadCapacityUnits", "Timestamps": [1], "Values": []},
{"Label": "shop ConsumedReadCapacityUnits", "Timestamps": ["noon"], "Values": [1]},
{"Label": "shop ConsumedReadCapacityUnits", "Timestamps": [1], "Values": ["x"]}]})",
                                   &metrics);
  EXPECT_THAT(error,
              HasSubstr("m.json:2:11: MetricDataResults[0].Label: shop Latency is no metric"));
  EXPECT_THAT(error, HasSubstr("m.json:3:1: MetricDataResults[1].Timestamps must be as many"));
  EXPECT_THAT(error, HasSubstr("MetricDataResults[2].Timestamps must have times such as"));
  EXPECT_THAT(error, HasSubstr("MetricDataResults[3].Values must be a list of numbers"));
  EXPECT_THAT(Adding("{}", &metrics),
              HasSubstr("there are neither MetricDataResults nor Datapoints"));
  EXPECT_THAT(Adding(R"({"Label": "t ConsumedReadCapacityUnits", "Datapoints": [{"Maximum": 1}]})",
                     &metrics),
              HasSubstr("Datapoints[0].Sum is missing"));
}

TEST(Metrics, TheQueriesLeadToLabelsThatAreRead) {
  const std::optional<JsonTree> queries = ParseJson(MetricQueries({"shop", "shop/by-day"}, 60), 10);
  ASSERT_TRUE(queries);
  ASSERT_EQ(queries->elements.size(), 12u);
  for (const JsonTree& query : queries->elements) {
    Metrics metrics;
    const std::string answer =
        Concat(R"({"MetricDataResults": [{"Timestamps": [0], "Values": [1], "Label": ")",
               query.Find("Label")->text, "\"}]}");
    EXPECT_EQ(Adding(answer, &metrics), "");
    EXPECT_EQ(metrics.resources.size(), 1u);
  }
  const JsonTree& metric = *queries->elements.back().Find("MetricStat")->Find("Metric");
  EXPECT_EQ(metric.Find("Dimensions")->elements[1].Find("Value")->text, "by-day");
}

// Requests of a table of class Standard-IA cost half more, its GB half as much, and nothing is
// reserved for it; a table that is not measured is none of this bill.
TEST(Bill, WhatIsKnownOfTheTables) {
  const Metrics metrics = MetricsOfWrites(EachMinute(60, [](int) { return 1'000; }));
  PriceList prices = RoundPrices();
  prices.pitr_gb_month = 0.1;
  prices.reserved = {{.term = "a year", .upfront = {0, 0}, .hour = {0.01, 0.01}}};
  const auto plain = MakeBill(metrics, prices);
  const auto tables = ParsePaidTables("p", R"([[table]]
name = "t"
storage = "100GB"
class = "standard-ia"
pitr = true
exports = 2
)");
  ASSERT_TRUE(plain.ok() && tables.ok()) << tables.status();
  const auto bill = MakeBill(metrics, prices, *tables);
  ASSERT_TRUE(bill.ok()) << bill.status();
  EXPECT_NEAR(bill->on_demand, 1.5 * plain->on_demand, 1e-6);
  EXPECT_NEAR(bill->scaled, 1.5 * plain->scaled, 1e-6);
  EXPECT_EQ(plain->commitments.size(), 1);
  EXPECT_TRUE(bill->commitments.empty());
  EXPECT_NEAR(SumKnownLines(bill->beside), 100 * 0.5 + 100 * 0.1, 1e-9);
  EXPECT_THAT(BillText(*bill, prices, 120),
              AllOf(HasSubstr("a month, and 60.00 USD for storage and more"),
                    HasSubstr("no price known for exports in here, so it is in no sum")));
  // Of known storage each class has its costs.
  ASSERT_EQ(bill->classes.size(), 2u);
  EXPECT_TRUE(plain->classes.empty());
  EXPECT_FALSE(bill->classes[0].is_present);
  EXPECT_NEAR(bill->classes[0].on_demand, plain->on_demand, 1e-6);
  EXPECT_NEAR(bill->classes[0].storage, 100, 1e-9);
  EXPECT_TRUE(bill->classes[1].is_present);
  EXPECT_NEAR(bill->classes[1].on_demand, bill->on_demand, 1e-6);
  EXPECT_NEAR(bill->classes[1].scaled, bill->scaled, 1e-6);
  EXPECT_NEAR(bill->classes[1].storage, 50, 1e-9);
  EXPECT_THAT(BillText(*bill, prices, 120), HasSubstr("standard-ia, as it is"));
  const std::optional<JsonTree> json = ParseJson(BillJson(*bill, prices), 10);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->Find("classes")->elements[1].Find("class")->text, "standard-ia");
  const auto unknown = MakeBill(metrics, prices, {{.name = "tt"}});
  EXPECT_EQ(unknown.status().message(), "there are no metrics of tt; did you mean t?");
}

TEST(Bill, AFileOfTablesHasNothingElse) {
  const auto wrong = ParsePaidTables("p", "[[table]]\nname = \"t\"\npitrr = true\n");
  EXPECT_THAT(wrong.status().message(),
              HasSubstr("p:3:1: table.t.pitrr is not known here; did you mean pitr?"));
}

}  // namespace
}  // namespace dynolith::lab
