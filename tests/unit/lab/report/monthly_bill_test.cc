// What a month costs: lists of prices by region, and each position of a bill.
#include "tools/lab/report/monthly_bill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"
#include "tools/lab/report/expectations.h"
#include "tools/lab/report/summary.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::OneKey;
using testing::RunExperiment;

RunResult BilledRun(const std::string& text) {
  return RunExperiment(testing::ReadExperiments(text).front());
}

PriceList ReadShippedPrices(std::string_view region = {}) {
  auto prices = ParsePriceList("prices.toml", ShippedPrices(), region);
  EXPECT_TRUE(prices.ok()) << prices.status();
  return *std::move(prices);
}

// 1,000 writes a second of one key for a minute, with these members of the experiment and the
// table.
std::string Steady(std::string_view head, std::string_view table) {
  std::string text = OneKey("60s", 1'000);
  const auto insert = [&text](std::string_view behind, std::string_view more) {
    text.insert(text.find(behind) + behind.size(), Concat(more, "\n"));
  };
  insert("[experiment]\n", head);
  insert("[[table]]\n", table);
  return text;
}

// 2.628 billion writes.
TEST(MonthlyBill, AMonthIsThisRunWithoutEnd) {
  const PriceList prices = ReadShippedPrices();
  const RunResult run = BilledRun(Steady("", ""));
  const MonthlyCost cost = ComputeMonthlyCost(run, prices);
  EXPECT_NEAR(*cost.on_demand, 2'628 * 0.625, 0.1);
  EXPECT_NEAR(*cost.provisioned, 1'000 * 730 * 0.00065, 0.1);
  EXPECT_DOUBLE_EQ(BilledCost(run, prices), *cost.on_demand + *cost.storage);
}

// Requests cost 125 % in either mode, storage 40 %.
TEST(MonthlyBill, StandardIaHasItsOwnPrices) {
  const auto cost = [](std::string_view member) {
    return ComputeMonthlyCost(BilledRun(Steady("", Concat("storage = \"20GB\"\n", member))),
                              ReadShippedPrices());
  };
  const MonthlyCost standard = cost("class = \"standard\"");
  const MonthlyCost infrequent = cost("class = \"standard-ia\"");
  EXPECT_NEAR(*standard.storage, 20 * 0.25, 0.1);
  EXPECT_NEAR(*infrequent.on_demand, 1.25 * *standard.on_demand, 1e-6);
  EXPECT_NEAR(*infrequent.provisioned, 1.25 * *standard.provisioned, 1e-6);
  EXPECT_NEAR(*infrequent.storage, 0.4 * *standard.storage, 1e-6);
}

TEST(MonthlyBill, ARegionHasItsOwnPrices) {
  const PriceList prices = ReadShippedPrices();
  const RunResult run = BilledRun(Steady("region = \"eu-central-1\"", "storage = \"20GB\""));
  EXPECT_NEAR(BilledCost(run, prices), 2'628 * 0.7625 + 20 * 0.306, 0.1);
  EXPECT_EQ(FindPrices(run, prices).date, "2026-09");
  EXPECT_THAT(SummaryText({run}, prices), HasSubstr("prices of eu-central-1, 2026-09"));
  // Whichever list is the first one.
  EXPECT_NEAR(BilledCost(run, ReadShippedPrices("eu-west-1")), BilledCost(run, prices), 1e-9);
}

TEST(MonthlyBill, WhatNoListSaysIsInNoSum) {
  const PriceList prices = ReadShippedPrices();
  const RunResult run = BilledRun(Steady("region = \"eu-west-1\"", "storage = \"20GB\""));
  EXPECT_THAT(UnknownPrices(run, prices),
              ElementsAre("no price known for writes on demand in eu-west-1",
                          "no price known for storage in eu-west-1"));
  EXPECT_EQ(BilledCost(run, prices), 0);
  EXPECT_FALSE(ComputeMonthlyCost(run, prices).on_demand.has_value());
  EXPECT_NEAR(*ComputeMonthlyCost(run, prices).provisioned, 1'000 * 730 * 0.000735, 0.1);
  EXPECT_THAT(SummaryText({run}, prices), HasSubstr("no price known for storage in eu-west-1, so"));
  EXPECT_THAT(CheckComparable(*prices.Of("eu-west-1")).message(),
              HasSubstr("no price known for writes on demand in eu-west-1, so ways to pay cannot"));
  EXPECT_TRUE(CheckComparable(prices).ok());
}

std::string Described(const BillLines& lines) {
  std::string text;
  for (const BillLine& line : lines) {
    text += Concat(line.resource, " ", line.position, " in ", line.region, ": ",
                   ExactText(line.quantity), " ", line.unit, ", ",
                   line.price ? ExactText(*line.price) : "?", "\n");
  }
  return text;
}

// What a table of 100 GB with an index of 10 GB pays beside, with 100 million units of writes or
// 5,000 hours of provisioned ones, and half and a tenth of that for the index.
BillLines Features(bool on_demand, const PaidFeatures& paid, const PriceList& prices) {
  TableUse use = {.on_demand = on_demand};
  use.indexes = {.consumed = {.write = 50e6},
                 .replicated = 50e6,
                 .unit_hours = {.write = 500},
                 .gigabytes = 10};
  use.month = {.resource = "t",
               .consumed = {.write = 100e6},
               .replicated = 100e6,
               .unit_hours = {.write = 5'000},
               .gigabytes = 100};
  return FeatureLines({.paid = paid}, use, prices);
}

// The prices of us-east-1 (prices.toml): 100 GB × 0.2; 7 × 100 × 0.1; 2 × 110 × 0.15, since a
// restored table has its global indexes; 3 nodes × 730 h × 0.255; 4 calls a second are 10.512
// million in 730 h.
TEST(MonthlyBill, WhatIsPaidBesideRequestsAndStorage) {
  PaidFeatures paid = {.pitr = true,
                       .backups = 7,
                       .restores = 2,
                       .exports = 1,
                       .import_bytes = int64_t{5} << 30,
                       .stream_reads = 4,
                       .dax_type = "dax.r5.large",
                       .dax_nodes = 3,
                       .vector_bytes = int64_t{10} << 30,
                       .vector_written_bytes = int64_t{2} << 30,
                       .vector_searched_bytes = int64_t{500} << 30};
  const PriceList prices = ReadShippedPrices();
  const BillLines lines = Features(true, paid, prices);
  EXPECT_EQ(Described(lines),
            "t reads of streams in us-east-1: 10.512 million, 0.2\n"
            "t point-in-time recovery in us-east-1: 100 GB, 0.2\n"
            "t backups in us-east-1: 700 GB, 0.1\n"
            "t restores in us-east-1: 220 GB, 0.15\n"
            "t exports in us-east-1: 100 GB, 0.1\n"
            "t imports in us-east-1: 5 GB, 0.15\n"
            "t vectors stored in us-east-1: 10 GB, 0.25\n"
            "t vectors written in us-east-1: 2 GB, 0.52\n"
            "t vectors searched in us-east-1: 500 GB, 0.002\n"
            "t DAX nodes of dax.r5.large in us-east-1: 2190 hours, 0.255\n");
  const double sum = 2.1024 + 20 + 70 + 33 + 10 + 0.75 + 2.5 + 1.04 + 1 + 2'190 * 0.255;
  EXPECT_NEAR(SumLines(lines).value_or(0), sum, 1e-9);
  // Of another region no source says what exports cost.
  const BillLines elsewhere =
      Features(true, {.pitr = true, .exports = 1}, *prices.Of("eu-central-1"));
  EXPECT_EQ(Described(elsewhere),
            "t point-in-time recovery in eu-central-1: 100 GB, 0.2448\n"
            "t exports in eu-central-1: 100 GB, ?\n");
  EXPECT_NEAR(SumKnownLines(elsewhere), 24.48, 1e-9);
  EXPECT_FALSE(SumLines(elsewhere).has_value());
}

// A replica's writes and its copy are paid in its region, what goes there where it comes from: at
// most 1 KB a unit, 100 million of which are 95.4 GB.
TEST(MonthlyBill, AReplicaIsPaidInItsRegion) {
  const PaidFeatures paid = {.replicas = {"eu-central-1"}};
  PriceList prices = ReadShippedPrices();
  EXPECT_EQ(Described(Features(true, paid, prices)),
            "t replicated writes in eu-central-1: 100 million, 0.7625\n"
            "t writes of indexes of a replica in eu-central-1: 50 million, 0.7625\n"
            "t storage of a replica in eu-central-1: 110 GB, 0.306\n"
            "t transfer to eu-central-1 (at most) in us-east-1: 95.367431640625 GB, 0.02\n");
  EXPECT_THAT(
      Described(Features(false, paid, prices)),
      HasSubstr("t replicated write units in eu-central-1: 5000 hours, 0.000793\n"
                "t write units of indexes of a replica in eu-central-1: 500 hours, 0.000793\n"));
}

TEST(MonthlyBill, MembersOfATable) {
  const PriceList prices = ReadShippedPrices();
  const RunResult run = BilledRun(Steady("",
                                         "storage = \"20GB\"\npitr = true\nbackups = 7\n"
                                         "dax = { type = \"dax.r5.large\", nodes = 3 }"));
  EXPECT_NEAR(BilledCost(run, prices),
              2'628 * 0.625 + 20 * 0.25 + 20 * 0.2 + 140 * 0.1 + 2'190 * 0.255, 0.2);
  EXPECT_THAT(SummaryText({run}, prices), HasSubstr("DAX nodes of dax.r5.large"));
  const auto refused = [&prices](std::string_view member) {
    const Experiment experiment = testing::ReadExperiments(Steady("", member)).front();
    return std::string(CheckPaid(prices, experiment.region, experiment.tables).message());
  };
  EXPECT_EQ(
      refused("dax = { type = \"dax.r5.lrage\", nodes = 3 }"),
      "no price known for DAX nodes of dax.r5.lrage in us-east-1; did you mean dax.r5.large?");
  EXPECT_EQ(refused("replicas = [\"eu-wets-1\"]"),
            "no prices known of eu-wets-1; did you mean eu-west-1?");
  EXPECT_THAT(refused("replicas = [\"us-east-1\"]"), HasSubstr("is no region of a replica of it"));
}

// Five days of 1,000 writes a second and two of 400.
TEST(MonthlyBill, AMonthOfWeekdaysAndWeekends) {
  const PriceList prices = ReadShippedPrices();
  const RunResult run = BilledRun(Steady("month = { weekends = 0.4 }", ""));
  EXPECT_NEAR(BilledCost(run, prices), 2'628 * 0.625 * (5 + 2 * 0.4) / 7, 0.1);
  EXPECT_THAT(SummaryText({run}, prices),
              HasSubstr("a week is five days of this run and two of 0.4 of this run's load"));
}

// What is provisioned is paid on weekends, too, whatever comes.
TEST(MonthlyBill, ProvisionedHoursAreAllHours) {
  const PriceList prices = ReadShippedPrices();
  const std::string units = "billing = \"provisioned\"\nunits = { read = 1, write = 1000 }";
  const RunResult run = BilledRun(Steady("month = { weekends = 0.4 }", units));
  EXPECT_NEAR(BilledCost(run, prices), 1'000 * 730 * 0.00065 + 730 * 0.00013, 0.01);
}

TEST(MonthlyBill, WeekendsMayBeAnotherRun) {
  const PriceList prices = ReadShippedPrices();
  const std::string text = Concat(Steady("", ""), R"(
[[design]]
name = "day"
set.experiment.month.weekends = "weekend"
[[design]]
name = "weekend"
set.access.write.load.rate = 100
)");
  const std::vector<Experiment> experiments = testing::ReadExperiments(text);
  EXPECT_TRUE(CheckMonths(experiments).ok());
  EXPECT_EQ(CheckMonths({experiments.front()}).message(),
            "experiment.month names design weekend, which is none of those that run");
  std::vector<RunResult> runs;
  for (const Experiment& experiment : experiments) runs.push_back(RunExperiment(experiment));
  ComposeMonths(&runs);
  EXPECT_NEAR(BilledCost(runs[0], prices), 2'628 * 0.625 * (5 + 2 * 0.1) / 7, 0.1);
  EXPECT_NEAR(BilledCost(runs[1], prices), 2'628 * 0.625 * 0.1, 0.1);
}

// What has no price might cost anything.
TEST(MonthlyBill, AnExpectedCostNeedsAllPrices) {
  const std::string text =
      Steady("region = \"eu-west-1\"\nexpect = { cost = { most = 1000 } }", "");
  const std::vector<CheckedExpectation> checked =
      CheckExpectations(BilledRun(text), ReadShippedPrices());
  ASSERT_EQ(checked.size(), 1);
  EXPECT_FALSE(checked.front().is_met);
  EXPECT_THAT(checked.front().sentence,
              HasSubstr("but there is no price known for writes on demand in eu-west-1"));
}

// Neither a sum nor a comparison takes the price of one class for that of the other.
TEST(MonthlyBill, AClassWithoutPricesIsNotComparable) {
  PriceList prices = ReadShippedPrices();
  prices.infrequent_requests.reset();
  const std::vector<TableDesign> tables = {{.name = "t", .infrequent_access = true}};
  EXPECT_TRUE(CheckComparable(prices).ok());
  EXPECT_THAT(CheckComparable(prices, tables).message(),
              HasSubstr("no price known for requests of class Standard-IA in us-east-1"));
  EXPECT_FALSE(SumLines(OnDemandLines({.infrequent_access = true, .consumed = {1, 1}}, prices)));
}

TEST(MonthlyBill, ReplicasWithoutPricesAreNotComparable) {
  const PriceList prices = ReadShippedPrices();
  const auto replicated_to = [&prices](const std::string& region) {
    TableDesign table = {.name = "t"};
    table.paid.replicas = {region};
    return CheckComparable(prices, {table});
  };
  EXPECT_TRUE(replicated_to("eu-central-1").ok());
  EXPECT_THAT(replicated_to("eu-west-1").message(),
              HasSubstr("no price known for replicated writes in eu-west-1, so ways to pay"));
}

TEST(PriceLists, EachShippedOneSaysItsSources) {
  const PriceList prices = ReadShippedPrices();
  EXPECT_EQ(prices.region, "us-east-1");
  EXPECT_FALSE(prices.sources.empty());
  for (const std::string_view region : {"us-west-2", "eu-west-1", "eu-central-1", "ap-northeast-1",
                                        "ap-southeast-2", "sa-east-1"}) {
    const PriceList* const list = prices.Of(region);
    ASSERT_NE(list, nullptr) << region;
    EXPECT_FALSE(list->sources.empty()) << region;
    EXPECT_TRUE(list->unit_hour.write) << region;
    EXPECT_EQ(list->reserved.size(), 2) << region;
  }
}

TEST(PriceLists, AnUnknownRegionNamesTheNearest) {
  const auto prices = ParsePriceList("prices.toml", ShippedPrices(), "eu-west-2");
  EXPECT_EQ(prices.status().message(), "no prices known of eu-west-2; did you mean eu-west-1?");
  EXPECT_THAT(CheckRegion(ReadShippedPrices(), "mars").message(),
              HasSubstr("no prices known of mars; there are those of us-east-1, us-west-2, "));
}

// [prices] is a list by itself.
TEST(PriceLists, OneListIsEnough) {
  const auto one = ParsePriceList("p", "[prices]\nregion = \"here\"\ndate = \"now\"\n");
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->region, "here");
  const auto twice = ParsePriceList("p", R"([[prices]]
region = "here"
date = "now"
[[prices]]
region = "here"
date = "then"
)");
  EXPECT_EQ(twice.status().message(), "p:5:10: there are two lists of prices of here");
}

}  // namespace
}  // namespace dynolith::lab
