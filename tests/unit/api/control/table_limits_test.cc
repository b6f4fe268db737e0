// The limits of tables and indexes, each at its edge (api/facts/operations.md §5.1, §5.3,
// api/facts/values.md §8, api/facts/capacity.md §2).
#include "api/control/describe_limits.h"
#include "tests/unit/api/update_requests.h"

namespace dynolith {
namespace {

class TableLimitsTest : public UpdateRequests {
 protected:
  static CreateTableRequest WithUnits(std::string name, int64_t read, int64_t write) {
    CreateTableRequest request = Provisioned();
    request.table_name = std::move(name);
    request.provisioned_throughput = {.read_capacity_units = read, .write_capacity_units = write};
    return request;
  }
};

TEST_F(TableLimitsTest, DescribeLimits) {
  const DescribeLimitsOutput limits = DescribeLimits(context_).value();
  EXPECT_EQ(limits.account_max_read_capacity_units, 80000);
  EXPECT_EQ(limits.account_max_write_capacity_units, 80000);
  EXPECT_EQ(limits.table_max_read_capacity_units, 40000);
  EXPECT_EQ(limits.table_max_write_capacity_units, 40000);
}

TEST_F(TableLimitsTest, UnitsPerTable) {
  EXPECT_EQ(CreateOutcome(WithUnits("edge", 40000, 1)), "OK");
  EXPECT_EQ(
      CreateOutcome(WithUnits("over", 40001, 1)),
      "LimitExceededException: The requested ReadCapacityUnits, 40001, is above the per table "
      "maximum for the account in us-east-1. Per table maximum: 40000. Refer to the Amazon "
      "DynamoDB Developer Guide for current limits and how to request higher limits.");
}

TEST_F(TableLimitsTest, UnitsPerIndex) {
  CreateTableRequest request = Provisioned();
  request.global_secondary_indexes = {Index("global", {{"pk", kHash}})};
  request.global_secondary_indexes->back().provisioned_throughput = {.read_capacity_units = 1,
                                                                     .write_capacity_units = 40001};
  EXPECT_EQ(CreateOutcome(request),
            "LimitExceededException: The requested WriteCapacityUnits for index global, 40001, is "
            "above the per index maximum for the account in us-east-1. Per index maximum: 40000. "
            "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request "
            "higher limits.");
}

TEST_F(TableLimitsTest, UnitsPerAccount) {
  Create(WithUnits("one", 40000, 1));
  Create(WithUnits("two", 39999, 1));
  EXPECT_EQ(CreateOutcome(WithUnits("three", 2, 1)),
            "LimitExceededException: This request would have caused the ReadCapacityUnits limit to "
            "be exceeded for the account in us-east-1. Current ReadCapacityUnits reserved by the "
            "account: 79999. Limit: 80000. Requested: 2. Refer to the Amazon DynamoDB Developer "
            "Guide for current limits and how to request higher limits.");
  EXPECT_EQ(CreateOutcome(WithUnits("three", 1, 1)), "OK");
  // What a table already has does not count twice.
  UpdateTableRequest update = Units(39998, 1);
  update.table_name = "two";
  EXPECT_EQ(UpdateOutcome(update), "OK");
}

TEST_F(TableLimitsTest, FourDecreasesADayThenOneAnHour) {
  Create(WithUnits("music", 100, 100));
  for (int64_t read = 99; read > 95; --read) Update(Units(read, 100));
  clock_.Advance(absl::Minutes(10));
  EXPECT_EQ(UpdateOutcome(Units(95, 100)),
            "LimitExceededException: Subscriber limit exceeded: Provisioned throughput decreases "
            "are limited within a given UTC day. After the first 4 decreases, each subsequent "
            "decrease in the same UTC day can be performed at most once every 3600 seconds. Number "
            "of decreases today: 4. Last decrease at Friday, October 9, 2026 at 12:21:34 AM "
            "Coordinated Universal Time. Next decrease can be made at Friday, October 9, 2026 at "
            "1:21:34 AM Coordinated Universal Time.");
  EXPECT_EQ(UpdateOutcome(Units(96, 101)), "OK");  // an increase
  clock_.Advance(absl::Minutes(50));
  EXPECT_EQ(UpdateOutcome(Units(95, 101)), "OK");
  clock_.Advance(absl::Minutes(59));
  EXPECT_NE(UpdateOutcome(Units(94, 101)), "OK");
  clock_.Set(absl::FromCivil(absl::CivilSecond(2026, 10, 10, 0, 0, 0), utc()));
  EXPECT_EQ(UpdateOutcome(Units(94, 101)), "OK");
}

TEST_F(TableLimitsTest, TwoTableClassChangesInThirtyDays) {
  Create(OnDemand());
  const auto change = [&](std::string table_class) {
    UpdateTableRequest update = Named();
    update.table_class = std::move(table_class);
    return UpdateOutcome(update);
  };
  EXPECT_EQ(change("STANDARD_INFREQUENT_ACCESS"), "OK");
  clock_.Advance(absl::Hours(24));
  EXPECT_EQ(change("STANDARD"), "OK");
  EXPECT_EQ(change("STANDARD_INFREQUENT_ACCESS"),
            "LimitExceededException: Subscriber limit exceeded: Updates to TableClass are limited "
            "to 2 times in 30 day(s).");
  clock_.Advance(absl::Hours(24) * 29);
  EXPECT_EQ(change("STANDARD_INFREQUENT_ACCESS"), "OK");
}

TEST_F(TableLimitsTest, FiveLocalIndexes) {
  CreateTableRequest request = WithRange();
  request.local_secondary_indexes = std::vector<SecondaryIndex>();
  for (const char* name : {"in1", "in2", "in3", "in4", "in5"}) {
    request.local_secondary_indexes->push_back(Index(name, {{"pk", kHash}, {"c", kRange}}));
  }
  EXPECT_EQ(CreateOutcome(request), "OK");
  request.table_name = "other";
  request.local_secondary_indexes->push_back(Index("in6", {{"pk", kHash}, {"c", kRange}}));
  EXPECT_EQ(CreateOutcome(request),
            Invalid("Number of LocalSecondaryIndexes exceeds per-table limit of 5"));
}

TEST_F(TableLimitsTest, TwentyGlobalIndexes) {
  CreateTableRequest request = OnDemand();
  request.global_secondary_indexes = std::vector<SecondaryIndex>();
  for (int i = 0; i < 20; ++i) {
    request.global_secondary_indexes->push_back(
        Index("index" + std::to_string(i), {{"pk", kHash}}));
  }
  EXPECT_EQ(CreateOutcome(request), "OK");
  EXPECT_EQ(UpdateOutcome(NewIndex("more", "a")),
            "LimitExceededException: Subscriber limit exceeded: Number of global secondary indexes "
            "exceeds per-table limit of 20");
  request.table_name = "other";
  request.global_secondary_indexes->push_back(Index("more", {{"pk", kHash}}));
  EXPECT_EQ(CreateOutcome(request),
            Invalid("GlobalSecondaryIndex count exceeds the per-table limit of 20"));
}

TEST_F(TableLimitsTest, ProjectedAttributes) {
  CreateTableRequest request = OnDemand();
  request.global_secondary_indexes = std::vector<SecondaryIndex>();
  for (int i = 0; i < 6; ++i) {
    SecondaryIndex index =
        Index("index" + std::to_string(i), {{"pk", kHash}}, ProjectionType::kInclude);
    index.projection.non_key_attributes = std::vector<std::string>();
    const int names = i < 5 ? 20 : 1;
    for (int k = 0; k < names; ++k) {
      index.projection.non_key_attributes->push_back("a" + std::to_string(k));
    }
    request.global_secondary_indexes->push_back(index);
  }
  EXPECT_EQ(CreateOutcome(request).find("ValidationException"), 0u);  // 101
  request.global_secondary_indexes->pop_back();
  EXPECT_EQ(CreateOutcome(request), "OK");  // 100
  request.table_name = "other";
  request.global_secondary_indexes->back().projection.non_key_attributes->push_back("b");
  EXPECT_NE(
      CreateOutcome(request).find(
          "at 'globalSecondaryIndexes.5.member.projection.nonKeyAttributes' failed to satisfy "
          "constraint: Member must have length less than or equal to 20"),
      std::string::npos);
}

TEST_F(TableLimitsTest, FiftyTags) {
  CreateTableRequest request = OnDemand();
  request.tags = std::vector<Tag>();
  for (int i = 0; i < 51; ++i) request.tags->push_back({"k" + std::to_string(i), "v"});
  EXPECT_EQ(CreateOutcome(request),
            Validation("Number of Tags exceed the current limit for the provided ResourceArn"));
  request.tags->pop_back();
  EXPECT_EQ(CreateOutcome(request), "OK");
}

}  // namespace
}  // namespace dynolith
