// The same C++ program against a database in this process and behind an endpoint: what one does,
// the other does. The texts of all operations are held against the endpoint by datadriven_test
// --twin; here is what a program sees, over HTTP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "dynolith/database.h"
#include "dynolith/shards.h"
#include "engine/base/errors.h"
#include "engine/value/attachments.h"
#include "tests/unit/api/database/songs.h"
#include "tests/unit/endpoint/local_endpoint.h"

namespace dynolith::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class TwinPlace { kInThisProcess, kBehindEndpoint };

class TwinsTest : public ::testing::TestWithParam<TwinPlace> {
 protected:
  void SetUp() override {
    if (GetParam() == TwinPlace::kBehindEndpoint) {
      endpoint_ = std::make_unique<LocalEndpoint>();
      database_ = Database::Open({.endpoint = endpoint_->url()}).value();
    } else {
      database_ = Database::Open({.in_memory = true}).value();
    }
    ASSERT_TRUE(CreateSongs(database_.get()).ok());
  }

  std::optional<Item> Get(int number) {
    return database_->GetItem({.table_name = "songs", .key = SongKey(number)}).value().item;
  }
  static std::vector<int> Numbers(const std::vector<Item>& songs) {
    std::vector<int> numbers;
    for (const Item& song : songs) numbers.push_back(song.Get<int>("number").value());
    return numbers;
  }

  std::unique_ptr<LocalEndpoint> endpoint_;
  std::unique_ptr<Database> database_;
};

INSTANTIATE_TEST_SUITE_P(Both, TwinsTest,
                         ::testing::Values(TwinPlace::kInThisProcess, TwinPlace::kBehindEndpoint),
                         [](const auto& tested) {
                           return tested.param == TwinPlace::kInThisProcess ? "InThisProcess"
                                                                            : "BehindEndpoint";
                         });

TEST_P(TwinsTest, EveryKindOfValueComesBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  const Value number = Value::ParseN("-1234567890123456789012345678901234567.8E-100").value();
  Item item = SongKey(1);
  item.Set("text", Value::S("\"\\\n\t\x01 zażółć 𝄞 </script>"));
  item.Set("no text", Value::S(""));
  item.Set("number", Value::N(1));
  item.Set("precise", number);
  item.Set("bytes", Value::B(bytes));
  item.Set("true", Value::Bool(true));
  item.Set("null", Value::Null());
  item.Set("list", Value::L({Value::L({}), number, Value::M(Item{{"n", Value::Null()}})}));
  item.Set("texts", Value::SS({"b", "a", "ä"}));
  item.Set("numbers", Value::NS({Number::Parse("2").value(), Number::Parse("-0.5").value()}));
  item.Set("binaries", Value::BS({std::string("\0\xff", 2), "x"}));
  item.Set("map", Value::M(Item{{"deep", Value::M(Item())}}));
  ASSERT_TRUE(database_->PutItem({.table_name = "songs", .item = item}).ok());
  EXPECT_EQ(Get(1), item);
  EXPECT_EQ(Get(2), std::nullopt);
}

TEST_P(TwinsTest, AFailedConditionShowsTheOldItem) {
  ASSERT_TRUE(PutSong(database_.get(), 1).ok());
  const auto put = database_->PutItem(
      {.table_name = "songs",
       .item = SongKey(1),
       .condition_expression = "attribute_not_exists(#a)",
       .expression_attribute_names = {{{"#a", "artist"}}},
       .return_values_on_condition_check_failure = ReturnValuesOnConditionCheckFailure::kAllOld});
  EXPECT_EQ(put.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(KindOf(put.status()), ErrorKind::kConditionalCheckFailed);
  EXPECT_EQ(MessageOf(put.status()), "The conditional request failed");
  EXPECT_EQ(AttachedItem(put.status()), Get(1));
}

TEST_P(TwinsTest, UpdatesReturnWhatTheyAreAskedFor) {
  ASSERT_TRUE(PutSong(database_.get(), 1).ok());
  const auto update = database_->UpdateItem(
      {.table_name = "songs",
       .key = SongKey(1),
       .return_values = ReturnValues::kUpdatedNew,
       .return_consumed_capacity = ReturnConsumedCapacity::kIndexes,
       .update_expression = "SET plays = if_not_exists(plays, :zero) + :two",
       .expression_attribute_values = Item{{":zero", Value::N(0)}, {":two", Value::N(2)}}});
  ASSERT_TRUE(update.ok()) << update.status();
  EXPECT_EQ(update->attributes, (Item{{"plays", Value::N(2)}}));
  EXPECT_EQ(update->consumed_capacity->table_name, "songs");
  EXPECT_EQ(update->consumed_capacity->table->capacity_units, 1.0);
  EXPECT_EQ(
      database_
          ->DeleteItem(
              {.table_name = "songs", .key = SongKey(1), .return_values = ReturnValues::kAllOld})
          .value()
          .attributes->Get<int>("plays")
          .value(),
      2);
}

TEST_P(TwinsTest, ACancelledTransactionTellsWhy) {
  ASSERT_TRUE(PutSong(database_.get(), 1).ok());
  TransactAction absent{.table_name = "songs",
                        .item = SongKey(1),
                        .condition_expression = "attribute_not_exists(artist)"};
  absent.return_values_on_condition_check_failure = ReturnValuesOnConditionCheckFailure::kAllOld;
  const auto written = database_->TransactWriteItems(
      {.transact_items = {{.put = TransactAction{.table_name = "songs", .item = SongKey(2)}},
                          {.condition_check = absent}}});
  EXPECT_EQ(KindOf(written.status()), ErrorKind::kTransactionCanceled);
  EXPECT_EQ(MessageOf(written.status()),
            "Transaction cancelled, please refer cancellation reasons for specific reasons [None, "
            "ConditionalCheckFailed]");
  const std::vector<CancellationReason> reasons = AttachedReasons(written.status());
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[0].code, "None");
  EXPECT_EQ(reasons[1].code, "ConditionalCheckFailed");
  EXPECT_EQ(reasons[1].message, "The conditional request failed");
  EXPECT_EQ(reasons[1].item, Get(1));
  EXPECT_EQ(Get(2), std::nullopt);
}

TEST_P(TwinsTest, TransactionsWriteAndReadTogether) {
  const TransactWriteItemsRequest request{
      .transact_items = {{.put = TransactAction{.table_name = "songs", .item = SongKey(1)}},
                         {.update = TransactAction{.table_name = "songs",
                                                   .item = SongKey(2),
                                                   .expression_attribute_values =
                                                       Item{{":n", Value::N(3)}},
                                                   .update_expression = "ADD plays :n"}}},
      .client_request_token = "once"};
  ASSERT_TRUE(database_->TransactWriteItems(request).ok());
  ASSERT_TRUE(database_->TransactWriteItems(request).ok());
  const auto read =
      database_->TransactGetItems({.transact_items = {{.table_name = "songs", .key = SongKey(2)},
                                                      {.table_name = "songs", .key = SongKey(9)},
                                                      {.table_name = "songs", .key = SongKey(1)}}});
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->responses.size(), 3u);
  EXPECT_EQ(read->responses[0]->Get<int>("plays").value(), 3);
  EXPECT_EQ(read->responses[1], std::nullopt);
  EXPECT_EQ(read->responses[2], SongKey(1));
}

TEST_P(TwinsTest, BatchesKeepTheOrderOfTheirTables) {
  for (const char* table : {"zulu", "alpha"}) {
    ASSERT_TRUE(database_
                    ->CreateTable({.table_name = table,
                                   .attribute_definitions = {{{"pk"}}},
                                   .key_schema = {{{"pk"}}},
                                   .billing_mode = BillingMode::kPayPerRequest})
                    .ok());
  }
  BatchWriteItemRequest write{.request_items = {{"zulu", {}}, {"alpha", {}}}};
  for (const char* key : {"a", "b", "c"}) {
    write.request_items[0].second.push_back({.put = Item{{"pk", Value::S(key)}}});
  }
  write.request_items[1].second.push_back({.delete_key = Item{{"pk", Value::S("none")}}});
  const auto written = database_->BatchWriteItem(write);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_TRUE(written->unprocessed_items.empty());

  BatchGetItemRequest read{.request_items = {{"zulu", {}}, {"alpha", {}}}};
  read.request_items[0].second.keys = {{{"pk", Value::S("c")}}, {{"pk", Value::S("a")}}};
  read.request_items[1].second.keys = {{{"pk", Value::S("none")}}};
  const auto got = database_->BatchGetItem(read);
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->responses.size(), 2u);
  EXPECT_EQ(got->responses[0].first, "zulu");
  EXPECT_EQ(got->responses[0].second.size(), 2u);
  EXPECT_EQ(got->responses[1].first, "alpha");
  EXPECT_TRUE(got->responses[1].second.empty());
  std::vector<size_t> tables;
  const auto sunk = database_->BatchGetItem(
      read, [&](size_t table, ItemView /*item*/) { tables.push_back(table); });
  ASSERT_TRUE(sunk.ok()) << sunk.status();
  EXPECT_THAT(tables, ElementsAre(0, 0));
  EXPECT_TRUE(sunk->responses.empty());
}

TEST_P(TwinsTest, PagersReadEveryPage) {
  ASSERT_TRUE(PutSongs(database_.get(), 10).ok());
  for (const int limit : {1, 3, 5, 10, 11}) {
    QueryRequest query = SongsOfRay();
    query.limit = limit;
    query.scan_index_forward = false;
    auto queried = database_->QueryAll(query);
    std::vector<Item> songs;
    for (const Item& song : queried) songs.push_back(song);
    ASSERT_TRUE(queried.status().ok()) << queried.status();
    EXPECT_THAT(Numbers(songs), ElementsAre(9, 8, 7, 6, 5, 4, 3, 2, 1, 0)) << limit;
    auto scanned =
        database_->ScanAll({.table_name = "songs",
                            .limit = limit,
                            .filter_expression = "even = :t",
                            .expression_attribute_values = Item{{":t", Value::Bool(true)}}});
    songs.clear();
    for (const Item& song : scanned) songs.push_back(song);
    ASSERT_TRUE(scanned.status().ok()) << scanned.status();
    EXPECT_THAT(Numbers(songs), ElementsAre(0, 2, 4, 6, 8)) << limit;
    EXPECT_EQ(scanned.count(), 5);
    EXPECT_EQ(scanned.scanned_count(), 10);
  }
}

TEST_P(TwinsTest, SinksGetTheItemsAndMayCallTheDatabase) {
  ASSERT_TRUE(PutSongs(database_.get(), 3).ok());
  int found = 0;
  const auto got = database_->GetItem({.table_name = "songs", .key = SongKey(1)},
                                      [&](ItemView item) { found += item.Find("even") ? 1 : 0; });
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(found, 1);
  EXPECT_EQ(got->item, std::nullopt);
  std::vector<int> numbers;
  const auto page = database_->Scan({.table_name = "songs"}, [&](ItemView item) {
    const int number = item.Get<int>("number").value();
    numbers.push_back(Get(number)->Get<int>("number").value());
  });
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(numbers, ElementsAre(0, 1, 2));
  EXPECT_EQ(page->count, 3);
  EXPECT_TRUE(page->items.empty());
}

TEST_P(TwinsTest, ASinkEndsAPage) {
  ASSERT_TRUE(PutSongs(database_.get(), 5).ok());
  for (const std::optional<int64_t> limit : {std::optional<int64_t>(), std::optional<int64_t>(4)}) {
    for (int last = 0; last < 4; ++last) {
      QueryRequest request = SongsOfRay();
      request.limit = limit;
      std::vector<int> numbers;
      const auto page = database_->Query(request, [&](ItemView item) {
        numbers.push_back(item.Get<int>("number").value());
        return numbers.back() == last ? SinkAnswer::kStop : SinkAnswer::kContinue;
      });
      ASSERT_TRUE(page.ok()) << page.status();
      EXPECT_EQ(page->count, last + 1);
      EXPECT_EQ(page->scanned_count, last + 1);
      ASSERT_EQ(page->last_evaluated_key, SongKey(last));
      request.exclusive_start_key = page->last_evaluated_key;
      request.limit.reset();
      EXPECT_EQ(Numbers(database_->Query(request).value().items).front(), last + 1);
    }
  }
}

TEST_P(TwinsTest, ASinkEndsThePageOfAnIndex) {
  ASSERT_TRUE(
      database_
          ->CreateTable({.table_name = "plays",
                         .attribute_definitions = {{{"id"}, {"song"}, {"at", Type::kNumber}}},
                         .key_schema = {{{"id"}}},
                         .global_secondary_indexes =
                             {{{.index_name = "by-song",
                                .key_schema = {{"song"}, {"at", KeyType::kRange}},
                                .projection = {.projection_type = ProjectionType::kAll}}}},
                         .billing_mode = BillingMode::kPayPerRequest})
          .ok());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(database_
                    ->PutItem({.table_name = "plays",
                               .item = {{"id", Value::S(std::to_string(i))},
                                        {"song", Value::S("Hi")},
                                        {"at", Value::N(10 - i)}}})
                    .ok());
  }
  const auto page = database_->Query({.table_name = "plays",
                                      .index_name = "by-song",
                                      .key_condition_expression = "song = :s",
                                      .expression_attribute_values = Item{{":s", Value::S("Hi")}}},
                                     [](ItemView /*item*/) { return SinkAnswer::kStop; });
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->last_evaluated_key,
            (Item{{"id", Value::S("2")}, {"song", Value::S("Hi")}, {"at", Value::N(8)}}));
}

TEST_P(TwinsTest, StreamsAreRead) {
  const auto made = database_->CreateTable(
      {.table_name = "watched",
       .attribute_definitions = {{{"pk"}}},
       .key_schema = {{{"pk"}}},
       .billing_mode = BillingMode::kPayPerRequest,
       .stream_specification = StreamSpecification{true, StreamViewType::kNewAndOldImages}});
  ASSERT_TRUE(made.ok()) << made.status();
  const Item item = {{"pk", Value::S("a")}, {"n", Value::N(1)}};
  ASSERT_TRUE(database_->PutItem({.table_name = "watched", .item = item}).ok());
  ASSERT_TRUE(
      database_->DeleteItem({.table_name = "watched", .key = {{"pk", Value::S("a")}}}).ok());
  const auto stream = database_->DescribeStream({.stream_arn = *made->latest_stream_arn});
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ(stream->stream_description.stream_view_type, StreamViewType::kNewAndOldImages);
  std::vector<ChangeRecord> records;
  for (const ShardDescription& shard : stream->stream_description.shards) {
    const auto iterator =
        database_->GetShardIterator({.stream_arn = *made->latest_stream_arn,
                                     .shard_id = shard.shard_id,
                                     .shard_iterator_type = ShardIteratorType::kTrimHorizon});
    ASSERT_TRUE(iterator.ok()) << iterator.status();
    const auto got = database_->GetRecords({.shard_iterator = iterator->shard_iterator});
    ASSERT_TRUE(got.ok()) << got.status();
    records.insert(records.end(), got->records.begin(), got->records.end());
  }
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].event_name, OperationType::kInsert);
  EXPECT_EQ(records[0].dynamodb.new_image, item);
  EXPECT_EQ(records[1].event_name, OperationType::kRemove);
  EXPECT_EQ(records[1].dynamodb.old_image, item);
  EXPECT_EQ(records[1].dynamodb.new_image, std::nullopt);
}

TEST_P(TwinsTest, StatementsAreExecuted) {
  ASSERT_TRUE(PutSongs(database_.get(), 3).ok());
  const auto selected = database_->ExecuteStatement(
      {.statement = "SELECT number FROM songs WHERE artist = ? AND number > ?",
       .parameters = {Value::S("Ray"), Value::N(0)}});
  ASSERT_TRUE(selected.ok()) << selected.status();
  EXPECT_THAT(Numbers(selected->items), ElementsAre(1, 2));
  const std::string insert = "INSERT INTO songs VALUE {'artist': 'Ray', 'number': ?}";
  const auto batch = database_->BatchExecuteStatement(
      {.statements = {{.statement = insert, .parameters = {Value::N(3)}},
                      {.statement = insert, .parameters = {Value::N(1)}},
                      {.statement = "DELETE FROM none WHERE artist = 'Ray'"}}});
  ASSERT_TRUE(batch.ok()) << batch.status();
  ASSERT_EQ(batch->responses.size(), 3u);
  EXPECT_TRUE(batch->responses[0].error.ok());
  EXPECT_EQ(batch->responses[0].table_name, "songs");
  EXPECT_EQ(KindOf(batch->responses[1].error), ErrorKind::kDuplicateItem);
  EXPECT_THAT(batch->responses[1].error.ToString(), HasSubstr("Duplicate primary key"));
  EXPECT_EQ(KindOf(batch->responses[2].error), ErrorKind::kResourceNotFound);
  EXPECT_EQ(Get(3), SongKey(3));
}

TEST_P(TwinsTest, TablesAreDescribedAndChanged) {
  auto songs = database_->DescribeTable({.table_name = "songs"});
  ASSERT_TRUE(songs.ok()) << songs.status();
  EXPECT_EQ(songs->table_status, TableStatus::kActive);
  EXPECT_EQ(songs->billing_mode_summary->billing_mode, BillingMode::kPayPerRequest);
  EXPECT_LT(absl::AbsDuration(absl::Now() - *songs->creation_date_time), absl::Hours(1));
  EXPECT_EQ(database_->ListTables({}).value().table_names, std::vector<std::string>{"songs"});

  ASSERT_TRUE(database_
                  ->UpdateTimeToLive(
                      {.table_name = "songs", .time_to_live_specification = {true, "expires"}})
                  .ok());
  const auto expiry = database_->DescribeTimeToLive({.table_name = "songs"});
  ASSERT_TRUE(expiry.ok()) << expiry.status();
  EXPECT_EQ(expiry->time_to_live_description.attribute_name, "expires");

  ASSERT_TRUE(
      database_->TagResource({.resource_arn = songs->table_arn, .tags = {{"team", "a"}}}).ok());
  const auto tags = database_->ListTagsOfResource({.resource_arn = songs->table_arn});
  ASSERT_TRUE(tags.ok()) << tags.status();
  ASSERT_EQ(tags->tags.size(), 1u);
  EXPECT_EQ(tags->tags[0].value, "a");

  const auto updated =
      database_->UpdateTable({.table_name = "songs",
                              .billing_mode = BillingMode::kProvisioned,
                              .provisioned_throughput = ProvisionedThroughput{
                                  .read_capacity_units = 7, .write_capacity_units = 9}});
  ASSERT_TRUE(updated.ok()) << updated.status();
  songs = database_->DescribeTable({.table_name = "songs"});
  EXPECT_EQ(songs->provisioned_throughput.read_capacity_units, 7);
  ASSERT_TRUE(database_->DeleteTable({.table_name = "songs"}).ok());
  EXPECT_TRUE(database_->ListTables({}).value().table_names.empty());
}

TEST_P(TwinsTest, KeysAreQueriedTogether) {
  const SuffixedKeys keys("day", 3);
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(
        database_
            ->PutItem({.table_name = "songs",
                       .item = {{"artist", Value::S(keys.All()[i % 3])}, {"number", Value::N(i)}}})
            .ok());
  }
  TogetherRequest request{
      .query = {.table_name = "songs", .limit = 4, .key_condition_expression = "artist = :key"},
      .keys = keys.All()};
  std::vector<Item> songs;
  do {
    const auto page = QueryTogether(database_.get(), request);
    ASSERT_TRUE(page.ok()) << page.status();
    songs.insert(songs.end(), page->items.begin(), page->items.end());
    request.next_token = page->next_token;
  } while (request.next_token);
  EXPECT_THAT(Numbers(songs), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
  request.query.index_name = "none";
  EXPECT_EQ(MessageOf(QueryTogether(database_.get(), request).status()),
            "The table does not have the specified index: none");
}

TEST_P(TwinsTest, ThreadsShareADatabase) {
  constexpr int kThreads = 8;
  constexpr int kUpdates = 25;
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int update = 0; update < kUpdates; ++update) {
        const auto updated =
            database_->UpdateItem({.table_name = "songs",
                                   .key = SongKey(1),
                                   .update_expression = "ADD plays :one",
                                   .expression_attribute_values = Item{{":one", Value::N(1)}}});
        if (!updated.ok()) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(Get(1)->Get<int>("plays").value(), kThreads * kUpdates);
}

TEST(TwinErrors, AreTheSame) {
  const LocalEndpoint endpoint;
  const std::unique_ptr<Database> here = Database::Open({.in_memory = true}).value();
  const std::unique_ptr<Database> there = Database::Open({.endpoint = endpoint.url()}).value();
  std::vector<std::vector<absl::Status>> errors;
  for (Database* const database : {here.get(), there.get()}) {
    ASSERT_TRUE(CreateSongs(database).ok());
    errors.push_back(
        {database->GetItem({.table_name = "", .key = {}}).status(),
         database->GetItem({.table_name = "none", .key = SongKey(1)}).status(),
         database->GetItem({.table_name = "songs", .key = {}}).status(),
         database->PutItem({.table_name = "songs", .item = {}}).status(),
         database
             ->PutItem({.table_name = "songs", .item = SongKey(1), .condition_expression = "a ="})
             .status(),
         database
             ->UpdateItem({.table_name = "songs", .key = SongKey(1), .update_expression = "SET x"})
             .status(),
         database->Query({.table_name = "songs", .limit = 0}).status(),
         database->Scan({.table_name = "songs", .segment = 3}).status(),
         database->BatchWriteItem({}).status(), database->TransactGetItems({}).status(),
         database->ExecuteStatement({.statement = "SELECT"}).status(), CreateSongs(database),
         database->DescribeTable({.table_name = "none"}).status(),
         database->DescribeStream({.stream_arn = "arn"}).status(),
         database->GetRecords({.shard_iterator = "none"}).status(),
         database->TagResource({.resource_arn = "arn", .tags = {}}),
         database->DescribeGlobalTable({.global_table_name = "none"})});
  }
  for (size_t i = 0; i < errors[0].size(); ++i) {
    EXPECT_FALSE(errors[0][i].ok()) << i;
    EXPECT_EQ(errors[0][i].code(), errors[1][i].code()) << errors[1][i];
    EXPECT_EQ(KindOf(errors[0][i]), KindOf(errors[1][i])) << errors[1][i];
    EXPECT_EQ(MessageOf(errors[0][i]), MessageOf(errors[1][i]));
  }
}

}  // namespace
}  // namespace dynolith::testing
