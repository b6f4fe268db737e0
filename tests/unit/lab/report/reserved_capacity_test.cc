// Reserved capacity of an experiment: what of it is used, what of the provisioned units it covers,
// what it costs, and how much of it pays. The prices of us-east-1 (prices.toml): 100 write units
// cost 150 for a year and 0.0128 for each of its hours, or 180 for three years and 0.0081;
// provisioned ones 0.00065.
#include "tools/lab/report/reserved_capacity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tests/unit/lab/lab_run.h"
#include "tools/lab/report/monthly_bill.h"
#include "tools/lab/report/result_csv.h"
#include "tools/lab/report/result_json.h"
#include "tools/lab/report/summary.h"

namespace dynolith::lab {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::RunExperiment;

constexpr double kYearBlock = 730 * (150.0 / 8'760 + 0.0128);
constexpr double kThreeYearsBlock = 730 * (180.0 / (3 * 8'760) + 0.0081);

PriceList ReservedPrices() {
  auto prices = ParsePriceList("prices.toml", ShippedPrices());
  EXPECT_TRUE(prices.ok()) << prices.status();
  return *std::move(prices);
}

// A write a second of a table with these members; more of the experiment.
std::string ReservedExperiment(std::string_view head, std::string_view table,
                               std::string_view more = "") {
  return Concat("[experiment]\nduration = \"60s\"\narrivals = \"even\"\n", head,
                "\n[[table]]\nname = \"t\"\npartition_key = \"pk\"\nitem_size = 100\n", table,
                "\n[[access]]\nname = \"write\"\noperation = \"PutItem\"\ntable = \"t\"\n"
                "key.pk = { distribution = \"list\", values = [\"one\"] }\nload = { rate = 1 }\n",
                more);
}
constexpr std::string_view kThousandUnits =
    "billing = \"provisioned\"\nunits = { read = 1, write = 1_000 }";

RunResult RunReserved(const std::string& text) {
  return RunExperiment(testing::ReadExperiments(text).front());
}

std::vector<std::string> ReservedPositions(const BillLines& lines) {
  std::vector<std::string> texts;
  for (const BillLine& line : lines) texts.push_back(Concat(line.resource, ": ", line.position));
  return texts;
}

TEST(ReservedCapacity, IsPaidInPlaceOfTheUnitsThatItCovers) {
  const PriceList prices = ReservedPrices();
  const RunResult run = RunReserved(
      ReservedExperiment("reserved = { term = \"one-year\", write = 800 }", kThousandUnits));
  const BillLines lines = MakeBillLines(run, prices);
  EXPECT_THAT(ReservedPositions(lines),
              ElementsAre("t: provisioned write units", "t: provisioned read units", "t: storage",
                          "reserved for one year: 100 write units, with their "
                          "upfront"));
  EXPECT_NEAR(lines[0].quantity, 200 * 730, 1e-6);
  EXPECT_NEAR(lines[3].quantity, 8, 1e-9);
  EXPECT_NEAR(BilledCost(run, prices), 8 * kYearBlock + 200 * 730 * 0.00065 + 730 * 0.00013, 1e-6);
  EXPECT_NEAR(BilledCost(run, std::nullopt, prices), 1'000 * 730 * 0.00065 + 730 * 0.00013, 1e-6);
  const std::optional<ReservedUse> use = UseReserved(run, *run.experiment.reserved, prices);
  ASSERT_TRUE(use);
  EXPECT_NEAR(use->covered.write, 0.8, 1e-9);
  EXPECT_NEAR(use->used.write, 1, 1e-9);
  EXPECT_EQ(use->upfront, 8 * 150);
}

TEST(ReservedCapacity, AsMuchAsPaysIfNoUnitsAreSaid) {
  const PriceList prices = ReservedPrices();
  const std::string units = "billing = \"provisioned\"\nunits = { read = 30, write = 1_040 }";
  const RunResult run =
      RunReserved(ReservedExperiment("reserved = { term = \"three years\" }", units));
  const std::optional<ReservedUse> use = UseReserved(run, *run.experiment.reserved, prices);
  ASSERT_TRUE(use);
  // Of the eleventh block 40 units are used, which cost 0.026 an hour; the block costs 0.01495.
  EXPECT_EQ(use->units.write, 1'100);
  // 30 read units cost 0.0039 an hour; a block costs 0.00297.
  EXPECT_EQ(use->units.read, 100);
  EXPECT_NEAR(use->used.read, 0.3, 1e-9);
  EXPECT_NEAR(use->covered.read, 1, 1e-9);
  const double read_block = 730 * (36.0 / (3 * 8'760) + 0.0016);
  EXPECT_NEAR(BilledCost(run, prices), 11 * kThreeYearsBlock + read_block, 1e-6);
  // Of a year's blocks: 0.02992 an hour, and 0.00592 for reads.
  EXPECT_EQ(UseReserved(run, {.term = "one year", .units = {}}, prices)->units,
            (PerKind<int64_t>{0, 1'000}));
  EXPECT_EQ(FindReserved(run, prices)->term, "three years");
}

// No number of blocks costs less.
TEST(ReservedCapacity, NoOtherNumberOfBlocksIsCheaper) {
  const PriceList prices = ReservedPrices();
  RunResult run = RunReserved(ReservedExperiment("", kThousandUnits));
  ResourceResult& table = run.resources.front();
  // 130, 470, 260 and 350 units, for a quarter of the time each.
  table.provisioned.write = 302.5;
  for (const auto& [second, before, after] :
       {std::tuple(15, 130, 470), {30, 470, 260}, {45, 260, 350}}) {
    table.scalings.push_back({second * kSecond, AccessKind::kWrite, before, after});
  }
  for (const std::string term : {"one year", "three years"}) {
    const auto cost = [&](int64_t units) {
      return BilledCost(run, ReservedCapacity{term, PerKind<int64_t>{0, units}}, prices);
    };
    const int64_t best = UseReserved(run, {.term = term, .units = {}}, prices)->units.write;
    for (int64_t units = 0; units <= 600; units += kReservedUnits) {
      EXPECT_LE(cost(best), cost(units) + 1e-9) << term << " " << units;
    }
  }
  // 130 + 200 + 200 + 200 of 1,210 unit quarters, and of 800.
  const auto use = UseReserved(run, {"one year", PerKind<int64_t>{0, 200}}, prices);
  EXPECT_NEAR(use->covered.write, 730.0 / 1'210, 1e-9);
  EXPECT_NEAR(use->used.write, 730.0 / 800, 1e-9);
}

// As many blocks as the next one does not pay, which take no longer to find if they are many.
TEST(ReservedCapacity, AsManyBlocksAsThereMayBe) {
  const auto count = [](const std::vector<UnitLevel>& levels, double hour) {
    return CountPayingUnits(levels, hour, /*unit_hour=*/0.01);
  };
  EXPECT_EQ(count({}, 0.5), 0);
  EXPECT_EQ(count({{1, 49}}, 0.5), 0);
  EXPECT_EQ(count({{1, 51}}, 0.5), 100);
  EXPECT_EQ(count({{1, 1'000'049}}, 0.5), 1'000'000);
  EXPECT_EQ(count({{1, 1e12}}, 0.5), 1'000'000'000'000);
  // A block for which no hour is paid pays while it is used at all.
  EXPECT_EQ(count({{0.5, 1}, {0.5, 3e15 + 1}}, 0), 3'000'000'000'000'100);
  // Half of the time is the half that pays for nothing.
  EXPECT_EQ(count({{0.5, 200}, {0.5, 1e12}}, 0.5), 200);
  EXPECT_EQ(count({{0.5, 200}, {0.5, 1e12}}, 0.49), 1'000'000'000'000);
  // What no integer represents does not overflow.
  EXPECT_EQ(count({{1, 1e30}}, 0.5), 1'000'000'000'000'000'000);
}

// Moment by moment all tables of the account share it, but those of class Standard-IA.
TEST(ReservedCapacity, IsForAllTablesOfClassStandard) {
  const PriceList prices = ReservedPrices();
  const std::string more =
      "[[table]]\nname = \"u\"\npartition_key = \"pk\"\nitem_size = 100\n"
      "billing = \"provisioned\"\nunits = { read = 1, write = 300 }\n"
      "[[table]]\nname = \"rare\"\nclass = \"standard-ia\"\npartition_key = \"pk\"\nitem_size = "
      "100\n"
      "billing = \"provisioned\"\nunits = { read = 1, write = 500 }\n";
  const RunResult run = RunReserved(
      ReservedExperiment("reserved = { term = \"one-year\", write = 200 }",
                         "billing = \"provisioned\"\nunits = { read = 1, write = 100 }", more));
  const std::optional<ReservedUse> use = UseReserved(run, *run.experiment.reserved, prices);
  ASSERT_TRUE(use);
  EXPECT_NEAR(use->covered.write, 0.5, 1e-9);
  ASSERT_EQ(use->above.size(), 3u);
  EXPECT_NEAR(use->above[0].write, 0.5, 1e-9);
  EXPECT_NEAR(use->above[1].write, 0.5, 1e-9);
  EXPECT_NEAR(use->above[2].write, 1, 1e-9);
  const double reads = 730 * (2 * 0.00013 + 1.25 * 0.00013);
  EXPECT_NEAR(BilledCost(run, prices),
              2 * kYearBlock + 730 * (200 * 0.00065 + 500 * 1.25 * 0.00065) + reads, 1e-6);
}

// Of a table with replicas only reads and the writes of indexes.
TEST(ReservedCapacity, IsNotForReplicatedWrites) {
  const std::string text = ReservedExperiment(
      "reserved = { term = \"one-year\", read = 300, write = 400 }",
      "replicas = [\"eu-west-1\"]\nbilling = \"provisioned\"\nunits = { read = 300, write = 1_000 "
      "}\n"
      "auto_scaling = { write = { minimum = 1_000, maximum = 1_000 } }\n[[table.index]]\n"
      "name = \"i\"\npartition_key = \"g\"\nunits = { read = 1, write = 200 }\n"
      "auto_scaling = { write = { minimum = 200, maximum = 200 } }\n");
  const RunResult run = RunReserved(text);
  const auto use = UseReserved(run, *run.experiment.reserved, ReservedPrices());
  ASSERT_TRUE(use);
  EXPECT_NEAR(use->used.write, 0.5, 1e-9);
  EXPECT_NEAR(use->above[0].write, 1, 1e-9);
  EXPECT_NEAR(use->above[1].write, 0, 1e-9);
  EXPECT_NEAR(use->used.read, 1, 1e-9);
}

// A day of another design has that design's units.
TEST(ReservedCapacity, ADayOfTheWeekendIsThatOfItsDesign) {
  const std::string text =
      ReservedExperiment("reserved = { term = \"one-year\", write = 400 }",
                         "billing = \"provisioned\"\nunits = { read = 1, write = 400 }",
                         "[[design]]\nname = \"workday\"\n"
                         "set.experiment.month.weekends = \"sunday\"\n"
                         "[[design]]\nname = \"sunday\"\nset.table.t.units.write = 50\n");
  std::vector<RunResult> runs;
  for (const Experiment& each : testing::ReadExperiments(text)) runs.push_back(RunExperiment(each));
  ComposeMonths(&runs);
  const auto use = UseReserved(runs.front(), *runs.front().experiment.reserved, ReservedPrices());
  EXPECT_NEAR(use->used.write, (5 * 400 + 2 * 50) / (7 * 400.0), 1e-9);
  EXPECT_NEAR(use->covered.write, 1, 1e-9);
}

TEST(ReservedCapacity, OnDemandItIsPaidInVain) {
  const PriceList prices = ReservedPrices();
  const RunResult run =
      RunReserved(ReservedExperiment("reserved = { term = \"one-year\", write = 300 }", ""));
  EXPECT_NEAR(BilledCost(run, prices) - BilledCost(run, std::nullopt, prices), 3 * kYearBlock,
              1e-6);
  std::vector<std::string> doubts;
  AddBillDoubts(run, prices, &doubts);
  EXPECT_THAT(doubts,
              ElementsAre(AllOf(HasSubstr("300 write units that are reserved for one year"),
                                HasSubstr("cost more than they save: 0 % of them are used"))));
  doubts.clear();
  AddBillDoubts(RunReserved(ReservedExperiment("reserved = { term = \"one-year\", write = 300 }",
                                               kThousandUnits)),
                prices, &doubts);
  EXPECT_THAT(doubts, IsEmpty());
}

// Without the price of a provisioned unit nobody knows what reserved ones save.
TEST(ReservedCapacity, NothingIsSaidOfUnitsWithoutAPrice) {
  PriceList prices = ReservedPrices();
  prices.unit_hour.write.reset();
  const RunResult run = RunReserved(ReservedExperiment(
      "reserved = { term = \"one-year\", read = 100, write = 800 }", kThousandUnits));
  std::vector<std::string> doubts;
  AddBillDoubts(run, prices, &doubts);
  EXPECT_THAT(doubts, Not(Contains(HasSubstr("write units that are reserved"))));
  // One of a hundred read units is used.
  EXPECT_THAT(doubts, Contains(HasSubstr("the 100 read units that are reserved for one year")));
  EXPECT_EQ(UseReserved(run, {.term = "one year", .units = {}}, prices)->units.write, 0);
}

TEST(ReservedCapacity, TextJsonAndCsvShowIt) {
  const PriceList prices = ReservedPrices();
  const RunResult run = RunReserved(
      ReservedExperiment("reserved = { term = \"one-year\", write = 800 }", kThousandUnits));
  const std::string text = SummaryText({run}, prices);
  EXPECT_THAT(text, AllOf(HasSubstr("reserved for one year"), HasSubstr("one year, as billed"),
                          HasSubstr("three years")));
  const std::optional<JsonTree> json = ParseJson(ResultJson({run}, prices), 20);
  ASSERT_TRUE(json);
  const JsonTree& design = json->Find("designs")->elements[0];
  const std::vector<JsonTree>& reserved = design.Find("reserved")->elements;
  ASSERT_EQ(reserved.size(), 3u);  // the experiment's, and what pays of each term
  EXPECT_EQ(reserved[0].Find("term")->text, "one year");
  EXPECT_EQ(reserved[0].Find("write")->Find("units")->text, "800");
  EXPECT_EQ(reserved[0].Find("write")->Find("covered")->text, "0.8");
  EXPECT_EQ(reserved[0].Find("upfront")->text, "1200");
  EXPECT_EQ(reserved[1].Find("write")->Find("units")->text, "1000");
  for (const CsvFile& file : CsvFiles({run}, prices)) {
    if (file.name == "reserved.csv") {
      EXPECT_THAT(file.text, HasSubstr(",one year,1,0,0,0,800,0.8,1,USD,1200,"));
      return;
    }
  }
  ADD_FAILURE() << "there is no reserved.csv";
}

// What would pay if everything were provisioned stands beside what is billed, and says so.
TEST(ReservedCapacity, SaysWhatCountsAsProvisioned) {
  const PriceList prices = ReservedPrices();
  const RunResult run = RunReserved(ReservedExperiment(
      "reserved = { term = \"one-year\", write = 300 }",
      "billing = \"provisioned\"\nunits = { read = 1, write = 300 }",
      "[[table]]\nname = \"u\"\npartition_key = \"pk\"\nitem_size = 100\n"
      "[[access]]\nname = \"more\"\noperation = \"PutItem\"\ntable = \"u\"\n"
      "key.pk = { distribution = \"list\", values = [\"one\"] }\nload = { rate = 1_000 }\n"));
  const std::vector<ReservedOffer> offers = ListReserved(run, prices);
  ASSERT_EQ(offers.size(), 3u);
  EXPECT_EQ(offers[0].use.units.write, 300);
  EXPECT_FALSE(offers[0].all_provisioned);
  EXPECT_EQ(offers[1].use.units.write, 1'300);
  EXPECT_TRUE(offers[1].all_provisioned);
  EXPECT_THAT(SummaryText({run}, prices),
              AllOf(HasSubstr("one year, as billed"), HasSubstr("one year, if all is provisioned"),
                    HasSubstr("three years, if all is provisioned")));
  EXPECT_THAT(ResultJson({run}, prices),
              AllOf(ContainsRegex("\"billed\": ?true,\\s*\"all_provisioned\": ?false"),
                    ContainsRegex("\"billed\": ?false,\\s*\"all_provisioned\": ?true")));
  const RunResult provisioned = RunReserved(ReservedExperiment("", kThousandUnits));
  EXPECT_THAT(SummaryText({provisioned}, prices),
              AllOf(HasSubstr("three years"), Not(HasSubstr("if all is provisioned"))));
}

TEST(ReservedCapacity, WhatItMayBe) {
  const auto error = [](std::string_view reserved) {
    const auto parsed = ParseExperiment(
        "e.toml", ReservedExperiment(Concat("reserved = ", reserved), kThousandUnits),
        [](const std::string& path) {
          return absl::StatusOr<std::string>(absl::NotFoundError(path));
        });
    if (!parsed.ok()) return std::string(parsed.status().message());
    return std::string(CheckPaid(ReservedPrices(), parsed->front()).message());
  };
  EXPECT_EQ(error("{ term = \"one-year\", write = 800 }"), "");
  EXPECT_EQ(error("false"), "");
  EXPECT_THAT(
      error("{ term = \"one-year\", write = 850 }"),
      HasSubstr("e.toml:4:41: experiment.reserved.write is reserved in blocks of 100 units"));
  EXPECT_THAT(
      error("{ term = \"one-yaer\" }"),
      HasSubstr("no price known for capacity reserved for one yaer in us-east-1; did you mean "
                "one year?"));
  EXPECT_THAT(error("{ write = 800 }"), HasSubstr("experiment.reserved.term"));
  EXPECT_THAT(error("{ term = \"one-year\", writes = 800 }"),
              HasSubstr("experiment.reserved.writes is not known here; did you mean"));
  // A design can do without.
  const std::vector<Experiment> designs = testing::ReadExperiments(ReservedExperiment(
      "reserved = { term = \"one-year\", write = 800 }", kThousandUnits,
      "[[design]]\nname = \"a\"\n[[design]]\nname = \"b\"\nset.experiment.reserved = false\n"));
  EXPECT_TRUE(designs[0].reserved.has_value());
  EXPECT_FALSE(designs[1].reserved.has_value());
}

}  // namespace
}  // namespace dynolith::lab
