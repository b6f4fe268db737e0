// What a program sees when a call fails on purpose, and what that leaves behind: nothing half done,
// and all that was done before an answer was lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/value/attachments.h"
#include "tests/unit/api/database/songs.h"

namespace dynolith::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FaultyCallsTest : public ::testing::Test {
 protected:
  FaultyCallsTest() : database_(Database::Open({.in_memory = true, .clock = &clock_}).value()) {
    EXPECT_TRUE(CreateSongs(database_.get()).ok());
  }

  int64_t Add(const FaultRule& rule) {
    const auto id = database_->AddFault(rule);
    EXPECT_TRUE(id.ok()) << id.status();
    return id.value_or(0);
  }
  // Which of the songs 0 to 9 there are.
  std::vector<int> Songs() {
    database_->RemoveFaults();
    std::vector<int> songs;
    for (int i = 0; i < 10; ++i) {
      const auto got = database_->GetItem({.table_name = "songs", .key = SongKey(i)});
      if (got.ok() && got->item) songs.push_back(i);
    }
    return songs;
  }
  absl::StatusOr<BatchWriteItemOutput> PutThree() {
    BatchWriteItemRequest batch;
    auto& [name, writes] = batch.request_items.emplace_back();
    name = "songs";
    for (int i = 0; i < 3; ++i) writes.push_back({.put = SongKey(i)});
    return database_->BatchWriteItem(batch);
  }
  absl::StatusOr<BatchGetItemOutput> GetThree() {
    BatchGetItemRequest batch;
    auto& [name, keys] = batch.request_items.emplace_back();
    name = "songs";
    for (int i = 0; i < 3; ++i) keys.keys.push_back(SongKey(i));
    return database_->BatchGetItem(batch);
  }
  absl::StatusOr<TransactWriteItemsOutput> TransactThree(std::optional<std::string> token = {}) {
    TransactWriteItemsRequest request;
    for (int i = 0; i < 3; ++i) {
      request.transact_items.push_back(
          {.update = TransactAction{.table_name = "songs",
                                    .item = SongKey(i),
                                    .expression_attribute_values = Item{{":one", Value::N(1)}},
                                    .update_expression = "ADD plays :one"}});
    }
    request.client_request_token = std::move(token);
    return database_->TransactWriteItems(request);
  }
  static std::vector<std::string> Codes(const absl::Status& status) {
    std::vector<std::string> codes;
    for (const CancellationReason& reason : AttachedReasons(status)) codes.push_back(reason.code);
    return codes;
  }

  ManualClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  std::unique_ptr<Database> database_;
};

TEST_F(FaultyCallsTest, ThrottlesAsTheTableWould) {
  Add({.fault = FaultKind::kThrottle, .table = "songs"});
  const absl::Status on_demand = PutSong(database_.get(), 0);
  EXPECT_EQ(KindOf(on_demand), ErrorKind::kThrottling);
  EXPECT_THAT(MessageOf(on_demand), HasSubstr("current capacity of your table"));
  ASSERT_EQ(AttachedThrottling(on_demand).size(), 1u);
  EXPECT_EQ(AttachedThrottling(on_demand)[0].reason, "TableWriteKeyRangeThroughputExceeded");
  EXPECT_EQ(AttachedThrottling(on_demand)[0].resource,
            "arn:aws:dynamodb:us-east-1:000000000000:table/songs");
  EXPECT_THAT(Songs(), IsEmpty());

  ASSERT_TRUE(database_
                  ->UpdateTable(
                      {.table_name = "songs",
                       .billing_mode = BillingMode::kProvisioned,
                       .provisioned_throughput = ProvisionedThroughput{.read_capacity_units = 5,
                                                                       .write_capacity_units = 5}})
                  .ok());
  Add({.fault = FaultKind::kThrottle, .operation = "GetItem"});
  const absl::Status provisioned =
      database_->GetItem({.table_name = "songs", .key = SongKey(0)}).status();
  EXPECT_EQ(KindOf(provisioned), ErrorKind::kProvisionedThroughputExceeded);
  EXPECT_EQ(AttachedThrottling(provisioned)[0].reason, "TableReadProvisionedThroughputExceeded");
  Add({.fault = FaultKind::kThrottle, .operation = "DescribeTable"});
  const absl::Status control = database_->DescribeTable({.table_name = "songs"}).status();
  EXPECT_EQ(KindOf(control), ErrorKind::kThrottling);
  EXPECT_EQ(MessageOf(control), "Rate of requests exceeds the allowed throughput.");
}

TEST_F(FaultyCallsTest, ErrorsOfTheServer) {
  Add({.fault = FaultKind::kInternalError, .nth = 1});
  Add({.fault = FaultKind::kUnavailable, .nth = 1});
  EXPECT_EQ(KindOf(PutSong(database_.get(), 0)), ErrorKind::kInternalServerError);
  EXPECT_EQ(KindOf(PutSong(database_.get(), 1)), ErrorKind::kServiceUnavailable);
  EXPECT_TRUE(PutSong(database_.get(), 2).ok());
  EXPECT_THAT(Songs(), ElementsAre(2));
}

TEST_F(FaultyCallsTest, ConnectionsThatGoBeforeAndAfter) {
  Add({.fault = FaultKind::kDroppedConnection, .nth = 1});
  Add({.fault = FaultKind::kAnswerLost, .nth = 1});
  const absl::Status dropped = PutSong(database_.get(), 0);
  EXPECT_TRUE(absl::IsUnavailable(dropped)) << dropped;
  EXPECT_THAT(MessageOf(dropped), HasSubstr("nothing has been done"));
  const absl::Status lost = PutSong(database_.get(), 1);
  EXPECT_TRUE(absl::IsUnavailable(lost)) << lost;
  EXPECT_THAT(MessageOf(lost), HasSubstr("has been done"));
  EXPECT_THAT(Songs(), ElementsAre(1));
}

// Why: this is what tokens are for.
TEST_F(FaultyCallsTest, LostAnswerOfATransactionIsDoneOnce) {
  const auto plays = [&] {
    const auto got = database_->GetItem({.table_name = "songs", .key = SongKey(0)});
    return got->item ? got->item->Get<int64_t>("plays").value_or(0) : 0;
  };
  Add({.fault = FaultKind::kAnswerLost, .operation = "TransactWriteItems", .hits_max = 1});
  EXPECT_TRUE(absl::IsUnavailable(TransactThree("token").status()));
  EXPECT_EQ(plays(), 1);
  EXPECT_TRUE(TransactThree("token").ok());
  EXPECT_EQ(plays(), 1) << "with the token";
  Add({.fault = FaultKind::kAnswerLost, .operation = "TransactWriteItems", .hits_max = 1});
  EXPECT_TRUE(absl::IsUnavailable(TransactThree().status()));
  EXPECT_TRUE(TransactThree().ok());
  EXPECT_EQ(plays(), 3) << "without one";
}

TEST_F(FaultyCallsTest, TransactionsAreCancelledForWhatMatches) {
  Add({.fault = FaultKind::kTransactionConflict, .key = {{"number", Value::N(1)}}, .nth = 1});
  const absl::Status conflict = TransactThree().status();
  EXPECT_EQ(KindOf(conflict), ErrorKind::kTransactionCanceled);
  EXPECT_THAT(Codes(conflict), ElementsAre("None", "TransactionConflict", "None"));
  Add({.fault = FaultKind::kThrottle, .key = SongKey(2), .nth = 1});
  const absl::Status throttled = TransactThree().status();
  EXPECT_THAT(Codes(throttled), ElementsAre("None", "None", "ThrottlingError"));
  EXPECT_THAT(Songs(), IsEmpty());
  Add({.fault = FaultKind::kTransactionConflict, .nth = 1});
  const absl::Status single = PutSong(database_.get(), 0);
  EXPECT_EQ(KindOf(single), ErrorKind::kTransactionConflict);
  EXPECT_EQ(MessageOf(single), "Transaction is ongoing for the item");
}

TEST_F(FaultyCallsTest, PartOfAWrittenBatch) {
  Add({.fault = FaultKind::kPartialBatch, .key = SongKey(1)});
  const auto output = PutThree();
  ASSERT_TRUE(output.ok()) << output.status();
  ASSERT_EQ(output->unprocessed_items.size(), 1u);
  ASSERT_EQ(output->unprocessed_items[0].second.size(), 1u);
  EXPECT_EQ(output->unprocessed_items[0].second[0].put, SongKey(1));
  EXPECT_THAT(Songs(), ElementsAre(0, 2));
}

TEST_F(FaultyCallsTest, PartOfAReadBatch) {
  ASSERT_TRUE(PutThree().ok());
  Add({.fault = FaultKind::kPartialBatch, .key = SongKey(1), .nth = 1});
  const auto output = GetThree();
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(output->responses[0].second.size(), 2u);
  ASSERT_EQ(output->unprocessed_keys.size(), 1u);
  EXPECT_THAT(output->unprocessed_keys[0].second.keys, ElementsAre(SongKey(1)));
  Add({.fault = FaultKind::kPartialBatch});
  const auto none = GetThree();
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_THAT(none->responses[0].second, IsEmpty());
  EXPECT_EQ(none->unprocessed_keys[0].second.keys.size(), 3u);
}

TEST_F(FaultyCallsTest, WholeBatchLeftOutWritesNothing) {
  Add({.fault = FaultKind::kPartialBatch});
  const auto output = PutThree();
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(output->unprocessed_items[0].second.size(), 3u);
  EXPECT_THAT(Songs(), IsEmpty());
}

// A batch fails only if nothing of it can be done.
TEST_F(FaultyCallsTest, ThrottledBatches) {
  Add({.fault = FaultKind::kThrottle, .key = SongKey(0), .nth = 1});
  const auto part = PutThree();
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_EQ(part->unprocessed_items[0].second.size(), 1u);
  EXPECT_THAT(Songs(), ElementsAre(1, 2));
  Add({.fault = FaultKind::kThrottle});
  EXPECT_EQ(KindOf(PutThree().status()), ErrorKind::kThrottling);
  EXPECT_EQ(KindOf(GetThree().status()), ErrorKind::kThrottling);
}

TEST_F(FaultyCallsTest, StatementsByTableAndKey) {
  const auto insert = [&](int number) {
    return database_
        ->ExecuteStatement({.statement = "INSERT INTO songs VALUE {'artist': 'Ray', 'number': " +
                                         std::to_string(number) + "}"})
        .status();
  };
  Add({.fault = FaultKind::kThrottle, .table = "songs", .key = SongKey(1)});
  EXPECT_TRUE(insert(0).ok());
  EXPECT_EQ(KindOf(insert(1)), ErrorKind::kThrottling);
  BatchExecuteStatementRequest batch;
  for (const char* number : {"0", "1"}) {
    batch.statements.push_back(
        {.statement =
             "SELECT * FROM songs WHERE artist = 'Ray' AND number = " + std::string(number)});
  }
  const auto output = database_->BatchExecuteStatement(batch);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_TRUE(output->responses[0].error.ok());
  EXPECT_TRUE(output->responses[0].item);
  EXPECT_EQ(KindOf(output->responses[1].error), ErrorKind::kThrottling);
  EXPECT_EQ(AttachedThrottling(output->responses[1].error)[0].reason,
            "TableReadKeyRangeThroughputExceeded");
}

TEST_F(FaultyCallsTest, TablesByArn) {
  Add({.fault = FaultKind::kUnavailable, .table = "songs"});
  const std::string arn = "arn:aws:dynamodb:us-east-1:000000000000:table/songs";
  EXPECT_EQ(KindOf(database_->Scan({.table_name = arn}).status()), ErrorKind::kServiceUnavailable);
  EXPECT_EQ(KindOf(database_->ListTagsOfResource({.resource_arn = arn}).status()),
            ErrorKind::kServiceUnavailable);
  EXPECT_EQ(
      KindOf(
          database_->ExportTableToPointInTime({.table_arn = arn, .s3_bucket = "archive"}).status()),
      ErrorKind::kServiceUnavailable);
  EXPECT_TRUE(database_->ListTables({}).ok());
}

TEST_F(FaultyCallsTest, LatencyIsRealTimeAndEndsWithTheProcess) {
  Add({.fault = FaultKind::kLatency, .latency = absl::Milliseconds(50)});
  const absl::Time start = absl::Now();
  EXPECT_TRUE(PutSong(database_.get(), 0).ok());
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(50));
  database_->RemoveFaults();
  Add({.fault = FaultKind::kLatency, .latency = absl::Minutes(15)});
  std::thread end([&] { database_->Interrupt(); });
  EXPECT_TRUE(PutSong(database_.get(), 1).ok());
  end.join();
}

TEST_F(FaultyCallsTest, PagersAndSweepsGoOn) {
  ASSERT_TRUE(PutThree().ok());
  Add({.fault = FaultKind::kInternalError, .operation = "Query", .nth = 2});
  QueryRequest query = SongsOfRay();
  query.limit = 2;
  auto songs = database_->QueryAll(query);
  int count = 0;
  for ([[maybe_unused]] const Item& song : songs) ++count;
  EXPECT_EQ(count, 2);
  EXPECT_EQ(KindOf(songs.status()), ErrorKind::kInternalServerError);
  Add({.fault = FaultKind::kInternalError});
  EXPECT_TRUE(database_->SweepExpiredItems().ok());
}

}  // namespace
}  // namespace dynolith::testing
