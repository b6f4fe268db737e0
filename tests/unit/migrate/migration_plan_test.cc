// What a plan says before anything is done: units, cost and time follow from the descriptions.
#include "tools/migrate/migration_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace dynolith::migrate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TableSource Table(uint64_t items, uint64_t bytes) {
  TableSource source;
  source.name = "music";
  source.description = *ParseJson(
      R"({"TableName":"music","BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"},
          "GlobalSecondaryIndexes":[{},{}],"LocalSecondaryIndexes":[{}],
          "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}})",
      16);
  source.items = items;
  source.bytes = bytes;
  return source;
}

TEST(MigrationPlan, UnitsOfConsistentReadsAndAllIndexes) {
  const TableUnits units = EstimateUnits(Table(1000, 1'500'000));
  EXPECT_EQ(units.reads, 367);        // 4 KiB each
  EXPECT_EQ(units.writes, 1000 * 8);  // 1500 bytes are two units, in four places
  EXPECT_EQ(EstimateUnits(Table(0, 0)).reads, 0);
  EXPECT_EQ(EstimateUnits(Table(0, 0)).writes, 0);
  EXPECT_EQ(EstimateUnits(Table(1, 10)).reads, 1);
  EXPECT_EQ(EstimateUnits(Table(1, 10)).writes, 4);
}

TEST(MigrationPlan, SaysCostAndTimeIfTheyAreKnown) {
  MigrationOptions options;
  options.from.place = "http://127.0.0.1:1";
  options.to.place = "./there";
  UnitPrices prices;
  std::string text = PlanText(options, {Table(1'000'000, 1'000'000'000)}, prices);
  EXPECT_THAT(text, HasSubstr("table music: 3 indexes, on demand, a stream (KEYS_ONLY)"));
  EXPECT_THAT(text, HasSubstr("each item then read from the table"));
  EXPECT_THAT(text, Not(HasSubstr("Cost")));
  EXPECT_THAT(text, HasSubstr("as fast as both sides can"));
  prices = {.read_million = 0.125,
            .write_million = 0.625,
            .currency = "USD",
            .region = "x",
            .date = "2026-07"};
  options.write_rate = 1000;
  options.read_rate = 1000;
  text = PlanText(options, {Table(1'000'000, 1'000'000'000)}, prices);
  EXPECT_THAT(text, HasSubstr("0.03 + 2.50 USD"));
  EXPECT_THAT(text, HasSubstr("Time at these rates: 4000 s or more"));
  options.from.place = "./here";
  EXPECT_THAT(PlanText(options, {Table(1, 1)}, prices), HasSubstr("nobody else has the folder"));
}

TEST(MigrationPlan, ACopyThroughABucketUsesNoUnits) {
  MigrationOptions options;
  options.from.place = "http://127.0.0.1:1";
  options.to.place = "http://127.0.0.1:2";
  options.bucket = "moving/now";
  TableSource source = Table(1'000'000, 1'000'000'000);
  const std::string text = PlanText(options, {source}, {});
  EXPECT_THAT(text, HasSubstr("an export to moving/now"));
  EXPECT_THAT(text, HasSubstr("about 0 units to read, 0 to write"));
  designs::SetMember(&source.create, "LocalSecondaryIndexes", designs::ListTree());
  EXPECT_THAT(PlanText(options, {source}, {}), Not(HasSubstr("an export")));
}

TEST(MigrationPlan, TheStateIsBesideTheFolder) {
  MigrationOptions options;
  options.from.place = "http://127.0.0.1:1";
  options.to.place = "./there/";
  EXPECT_EQ(DefaultStateFile(options), "./there.migrate");
  options.to.place = "https://there";
  EXPECT_EQ(DefaultStateFile(options), "dynolith.migrate");
  options.from.place = "here";
  EXPECT_EQ(DefaultStateFile(options), "here.migrate");
}

}  // namespace
}  // namespace dynolith::migrate
