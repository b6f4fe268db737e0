// What a month costs: lists of prices by region, and each position of a bill.
#include "tools/lab/report/monthly_bill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"
#include "tools/lab/report/summary.h"

namespace dynolith::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::OneKey;
using testing::RunOf;

RunResult RunText(const std::string& text) { return RunOf(testing::ExperimentsOf(text).front()); }

PriceList ShippedPricesOf(std::string_view region = {}) {
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
  const PriceList prices = ShippedPricesOf();
  const RunResult run = RunText(Steady("", ""));
  const MonthlyCost cost = CostOf(run, prices);
  EXPECT_NEAR(*cost.on_demand, 2'628 * 0.625, 0.1);
  EXPECT_NEAR(*cost.provisioned, 1'000 * 730 * 0.00065, 0.1);
  EXPECT_DOUBLE_EQ(BilledCost(run, prices), *cost.on_demand + *cost.storage);
}

// Requests cost 125 % in either mode, storage 40 %.
TEST(MonthlyBill, StandardIaHasItsOwnPrices) {
  const auto cost = [](std::string_view member) {
    return CostOf(RunText(Steady("", Concat("storage = \"20GB\"\n", member))), ShippedPricesOf());
  };
  const MonthlyCost standard = cost("class = \"standard\"");
  const MonthlyCost infrequent = cost("class = \"standard-ia\"");
  EXPECT_NEAR(*standard.storage, 20 * 0.25, 0.1);
  EXPECT_NEAR(*infrequent.on_demand, 1.25 * *standard.on_demand, 1e-6);
  EXPECT_NEAR(*infrequent.provisioned, 1.25 * *standard.provisioned, 1e-6);
  EXPECT_NEAR(*infrequent.storage, 0.4 * *standard.storage, 1e-6);
}

TEST(MonthlyBill, ARegionHasItsOwnPrices) {
  const PriceList prices = ShippedPricesOf();
  const RunResult run = RunText(Steady("region = \"eu-central-1\"", "storage = \"20GB\""));
  EXPECT_NEAR(BilledCost(run, prices), 2'628 * 0.7625 + 20 * 0.306, 0.1);
  EXPECT_EQ(PricesOf(run, prices).date, "2026-09");
  EXPECT_THAT(SummaryText({run}, prices), HasSubstr("prices of eu-central-1, 2026-09"));
  // Whichever list is the first one.
  EXPECT_NEAR(BilledCost(run, ShippedPricesOf("eu-west-1")), BilledCost(run, prices), 1e-9);
}

TEST(MonthlyBill, WhatNoListSaysIsInNoSum) {
  const PriceList prices = ShippedPricesOf();
  const RunResult run = RunText(Steady("region = \"eu-west-1\"", "storage = \"20GB\""));
  EXPECT_THAT(UnknownPrices(run, prices),
              ElementsAre("no price known for writes on demand in eu-west-1",
                          "no price known for storage in eu-west-1"));
  EXPECT_EQ(BilledCost(run, prices), 0);
  EXPECT_FALSE(CostOf(run, prices).on_demand.has_value());
  EXPECT_NEAR(*CostOf(run, prices).provisioned, 1'000 * 730 * 0.000735, 0.1);
  EXPECT_THAT(SummaryText({run}, prices), HasSubstr("no price known for storage in eu-west-1, so"));
  EXPECT_THAT(CheckComparable(*prices.Of("eu-west-1")).message(),
              HasSubstr("no price known for writes on demand in eu-west-1, so ways to pay cannot"));
  EXPECT_TRUE(CheckComparable(prices).ok());
}

TEST(PriceLists, EachShippedOneSaysItsSources) {
  const PriceList prices = ShippedPricesOf();
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
  EXPECT_THAT(CheckRegion(ShippedPricesOf(), "mars").message(),
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
