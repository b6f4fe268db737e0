// Calls that are not about items have a rate of their own where capacity is enforced: which calls,
// by which message, on a clock that stands still (api/facts/capacity.md §6, §7).
#include "api/request/control_limit.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/value/attachments.h"

namespace dynolith {
namespace {

class ControlLimitTest : public ::testing::Test {
 protected:
  void Open(CapacityMode mode, const ControlRates& rates = {}) {
    DatabaseOptions options;
    options.in_memory = true;
    options.clock = &clock_;
    options.capacity.mode = mode;
    options.control_rates = rates;
    database_ = *Database::Open(options);
  }
  absl::Status Create(int number) {
    CreateTableRequest create;
    create.table_name = "table" + std::to_string(number);
    create.attribute_definitions = {{"pk", Type::kString}};
    create.key_schema = {{"pk", KeyType::kHash}};
    create.billing_mode = BillingMode::kPayPerRequest;
    return database_->CreateTable(create).status();
  }
  absl::Status Describe() { return database_->DescribeTable({.table_name = "table0"}).status(); }
  // Creates tables until one is refused.
  int Created(absl::Status* status) {
    const int first = next_;
    while ((*status = Create(next_)).ok() && next_ < 1'000) ++next_;
    return next_ - first;
  }

  int next_ = 0;
  ManualClock clock_{absl::FromUnixSeconds(1'790'000'000)};
  std::unique_ptr<Database> database_;
};

TEST_F(ControlLimitTest, OneChangeASecondAndTenAtOnce) {
  Open(CapacityMode::kGlobal);
  absl::Status status;
  EXPECT_EQ(Created(&status), 10);
  EXPECT_EQ(KindOf(status), ErrorKind::kThrottling);
  EXPECT_EQ(MessageOf(status),
            "The rate of control plane requests made by this account is too high");
  EXPECT_TRUE(AttachedThrottling(status).empty());
  // Whatever it is that is changed, also what is not there.
  EXPECT_EQ(KindOf(database_->DeleteTable({.table_name = "none"}).status()),
            ErrorKind::kThrottling);
  clock_.Advance(absl::Seconds(2));
  EXPECT_EQ(Created(&status), 2);
  clock_.Advance(absl::Hours(1));
  EXPECT_EQ(Created(&status), 10);
}

TEST_F(ControlLimitTest, DescriptionsHaveARateOfTheirOwn) {
  Open(CapacityMode::kGlobal, {.changes = 1, .descriptions = 2, .stream_descriptions = 1});
  ASSERT_TRUE(Create(0).ok());
  int described = 0;
  while (Describe().ok()) ++described;
  EXPECT_EQ(described, 20);
  EXPECT_EQ(KindOf(Describe()), ErrorKind::kThrottling);
  EXPECT_EQ(MessageOf(Describe()), "Rate exceeded");
  EXPECT_EQ(MessageOf(database_->ListTables({}).status()), "Rate exceeded");
  DescribeStreamRequest stream;
  stream.stream_arn =
      "arn:aws:dynamodb:us-east-1:000000000000:table/table0/stream/2026-01-01T00:00:00.000";
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(KindOf(database_->DescribeStream(stream).status()), ErrorKind::kResourceNotFound);
  }
  EXPECT_EQ(MessageOf(database_->DescribeStream(stream).status()), "Rate exceeded");
  // Neither holds up the other, nor items.
  EXPECT_TRUE(Create(1).ok());
  GetItemRequest get;
  get.table_name = "table0";
  get.key = Item({{"pk", Value::S("a")}});
  for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(database_->GetItem(get).ok());
}

TEST_F(ControlLimitTest, NothingIsRefusedWhereNothingIsEnforcedOrNoRateIsGiven) {
  absl::Status status;
  Open(CapacityMode::kAccount);
  EXPECT_EQ(Created(&status), 1'000);
  next_ = 0;
  Open(CapacityMode::kGlobal, {.changes = 0, .descriptions = 0, .stream_descriptions = 0});
  EXPECT_EQ(Created(&status), 1'000);
  for (int i = 0; i < 2'000; ++i) EXPECT_TRUE(Describe().ok());
}

TEST(ControlCallForOperation, EveryKind) {
  for (const char* operation :
       {"CreateTable", "UpdateTable", "DeleteTable", "TagResource", "UntagResource", "CreateBackup",
        "RestoreTableFromBackup", "UpdateTimeToLive", "ImportTable", "PutResourcePolicy"}) {
    EXPECT_EQ(ControlCallForOperation(operation), ControlCall::kChange) << operation;
  }
  for (const char* operation : {"DescribeTable", "DescribeLimits", "ListTables", "ListStreams",
                                "ListBackups", "GetResourcePolicy", "ListTagsOfResource"}) {
    EXPECT_EQ(ControlCallForOperation(operation), ControlCall::kDescription) << operation;
  }
  EXPECT_EQ(ControlCallForOperation("DescribeStream"), ControlCall::kStreamDescription);
  for (const char* operation :
       {"GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan", "BatchGetItem",
        "BatchWriteItem", "TransactGetItems", "TransactWriteItems", "ExecuteStatement",
        "BatchExecuteStatement", "ExecuteTransaction", "SearchVectors", "GetRecords",
        "GetShardIterator", "DescribeEndpoints"}) {
    EXPECT_EQ(ControlCallForOperation(operation), std::nullopt) << operation;
  }
}

}  // namespace
}  // namespace dynolith
