// Every operation that reads, beside a table whose reads lag or are held: all that may be stale is,
// as one moment of everything, and nothing else is.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "dynolith/database.h"

namespace dynolith::testing {
namespace {

constexpr absl::Duration kLag = absl::Seconds(2);

class StaleDatabaseTest : public ::testing::Test {
 protected:
  void Open(std::vector<StalenessRule> rules) {
    database_.reset();
    database_ = Database::Open({.in_memory = true,
                                .clock = &clock_,
                                .stream_shards = 1,
                                .staleness = {.rules = std::move(rules)}})
                    .value();
    ASSERT_TRUE(Create().ok());
    clock_.Advance(absl::Minutes(1));
  }

  // Artist and number, a stream; by-year is local and holds keys only, by-genre is global.
  absl::Status Create() {
    CreateTableRequest request;
    request.table_name = "music";
    request.attribute_definitions = {
        {{"artist"}, {"number", Type::kNumber}, {"year", Type::kNumber}, {"genre"}}};
    request.key_schema = {{{"artist"}, {"number", KeyType::kRange}}};
    request.billing_mode = BillingMode::kPayPerRequest;
    request.local_secondary_indexes.emplace().push_back(
        {.index_name = "by-year", .key_schema = {{"artist"}, {"year", KeyType::kRange}}});
    request.local_secondary_indexes->back().projection.projection_type = ProjectionType::kKeysOnly;
    request.global_secondary_indexes.emplace().push_back(ByGenre());
    request.stream_specification = {true, StreamViewType::kNewAndOldImages};
    return database_->CreateTable(request).status();
  }
  static SecondaryIndex ByGenre() {
    SecondaryIndex index{.index_name = "by-genre", .key_schema = {{"genre"}}};
    index.projection.projection_type = ProjectionType::kAll;
    return index;
  }

  static Item Song(int number, int64_t takes) {
    return {{"artist", Value::S("Ray")},
            {"number", Value::N(number)},
            {"year", Value::N(1959)},
            {"genre", Value::S("soul")},
            {"takes", Value::N(takes)}};
  }
  // Both songs at once.
  void Record(int64_t takes) {
    TransactWriteItemsRequest request;
    for (const int number : {1, 2}) {
      TransactAction& put = request.transact_items.emplace_back().put.emplace();
      put.table_name = "music";
      put.item = Song(number, takes);
    }
    const absl::Status status = database_->TransactWriteItems(request).status();
    ASSERT_TRUE(status.ok()) << status;
  }

  // --- Each way to read, as the list of takes

  using Takes = std::vector<int64_t>;
  template <typename Items>
  static Takes CountTakes(const Items& items) {
    Takes takes;
    for (const Item& item : items) takes.push_back(item.Get<int64_t>("takes").value_or(-1));
    return takes;
  }
  Takes Get(bool consistent = false) {
    const auto output =
        database_->GetItem({.table_name = "music",
                            .key = {{"artist", Value::S("Ray")}, {"number", Value::N(1)}},
                            .consistent_read = consistent});
    EXPECT_TRUE(output.ok()) << output.status();
    return output->item ? Takes{output->item->Get<int64_t>("takes").value()} : Takes{};
  }
  Takes BatchGet(bool consistent = false) {
    KeysAndAttributes keys;
    keys.consistent_read = consistent;
    for (const int number : {1, 2}) {
      keys.keys.push_back({{"artist", Value::S("Ray")}, {"number", Value::N(number)}});
    }
    const auto output = database_->BatchGetItem({.request_items = {{"music", keys}}});
    EXPECT_TRUE(output.ok()) << output.status();
    return CountTakes(output->responses.at(0).second);
  }
  Takes Scan(bool consistent = false) {
    const auto output = database_->Scan({.table_name = "music", .consistent_read = consistent});
    EXPECT_TRUE(output.ok()) << output.status();
    return CountTakes(output->items);
  }
  // Of the local index everything, which it fetches from the table.
  Takes Query(const std::string& index, bool consistent = false) {
    QueryRequest request;
    request.table_name = "music";
    request.index_name = index;
    request.select = Select::kAllAttributes;
    request.consistent_read = consistent;
    request.key_condition_expression = index == "by-genre" ? "genre = :v" : "artist = :v";
    request.expression_attribute_values =
        Item{{":v", Value::S(index == "by-genre" ? "soul" : "Ray")}};
    const auto output = database_->Query(request);
    EXPECT_TRUE(output.ok()) << output.status();
    return output.ok() ? CountTakes(output->items) : Takes{-2};
  }
  Takes Statement(const std::string& from, bool consistent = false) {
    const auto output = database_->ExecuteStatement(
        {.statement = "SELECT * FROM " + from, .consistent_read = consistent});
    EXPECT_TRUE(output.ok()) << output.status();
    return CountTakes(output->items);
  }
  Takes Transaction() {
    TransactGetItemsRequest request;
    request.transact_items.emplace_back();
    request.transact_items[0].table_name = "music";
    request.transact_items[0].key = {{"artist", Value::S("Ray")}, {"number", Value::N(1)}};
    const auto output = database_->TransactGetItems(request);
    EXPECT_TRUE(output.ok()) << output.status();
    return Takes{output->responses.at(0)->Get<int64_t>("takes").value()};
  }
  void ExpectEventual(const Takes& both) {
    const Takes one(both.begin(), both.begin() + (both.empty() ? 0 : 1));
    EXPECT_EQ(Get(), one);
    EXPECT_EQ(BatchGet(), both);
    EXPECT_EQ(Scan(), both);
    EXPECT_EQ(Query("by-year"), both);
    EXPECT_EQ(Query("by-genre"), both);
    EXPECT_EQ(Statement("music"), both);
    EXPECT_EQ(Statement("music.\"by-genre\""), both);
  }
  void ExpectStrong(const Takes& both) {
    EXPECT_EQ(Get(true), Takes{both[0]});
    EXPECT_EQ(BatchGet(true), both);
    EXPECT_EQ(Scan(true), both);
    EXPECT_EQ(Query("by-year", true), both);
    EXPECT_EQ(Statement("music", true), both);
    EXPECT_EQ(Transaction(), Takes{both[0]});
  }

  ManualClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  std::unique_ptr<Database> database_;
};

TEST_F(StaleDatabaseTest, EveryEventualReadLagsAndNoOther) {
  Open({{.kind = Staleness::kFixed, .bound = kLag}});
  Record(1);
  ExpectEventual({});
  ExpectStrong({1, 1});
  clock_.Advance(kLag / 2);
  Record(2);
  clock_.Advance(kLag / 2);
  ExpectEventual({1, 1});
  ExpectStrong({2, 2});
  clock_.Advance(kLag / 2);
  ExpectEventual({2, 2});
}

TEST_F(StaleDatabaseTest, HeldWithoutAnyRule) {
  Open({});
  Record(1);
  ASSERT_TRUE(database_->HoldReads({.table = "music"}).ok());
  Record(2);
  clock_.Advance(absl::Hours(100));
  ExpectEventual({1, 1});
  ExpectStrong({2, 2});
  ASSERT_TRUE(database_->ReleaseReads({.table = "music"}).ok());
  ExpectEventual({2, 2});
}

TEST_F(StaleDatabaseTest, AnIndexAloneIsHeld) {
  Open({});
  Record(1);
  ASSERT_TRUE(database_->HoldReads({.table = "music", .index = "by-genre"}).ok());
  Record(2);
  EXPECT_EQ(Query("by-genre"), (Takes{1, 1}));
  EXPECT_EQ(Statement("music.\"by-genre\""), (Takes{1, 1}));
  EXPECT_EQ(Query("by-year"), (Takes{2, 2}));
  EXPECT_EQ(Scan(), (Takes{2, 2}));
  EXPECT_EQ(database_->HoldReads({.table = "music", .index = "by-name"}),
            absl::NotFoundError("there is no music/by-name whose reads could be held"));
  EXPECT_EQ(database_->HoldReads({.table = "musik"}),
            absl::NotFoundError("there is no musik whose reads could be held"));
}

TEST_F(StaleDatabaseTest, SearchesOfVectorsLag) {
  Open({{.of = {.table = "moods", .index = "near"}, .kind = Staleness::kFixed, .bound = kLag}});
  CreateTableRequest request;
  request.table_name = "moods";
  request.attribute_definitions = {{{"pk"}}};
  request.key_schema = {{{"pk"}}};
  request.billing_mode = BillingMode::kPayPerRequest;
  request.vector_indexes = {{.index_name = "near",
                             .vector_attribute = "v",
                             .projection = {ProjectionType::kAll},
                             .dimensions = 1,
                             .distance_function = DistanceFunction::kEuclidean}};
  const absl::Status created = database_->CreateTable(request).status();
  ASSERT_TRUE(created.ok()) << created;
  const Item mood = {{"pk", Value::S("a")}, {"v", Value::L({Value::N(1)})}};
  ASSERT_TRUE(database_->PutItem({.table_name = "moods", .item = mood}).ok());
  const auto found = [&] {
    const auto output = database_->SearchVectors(
        {.table_name = "moods", .index_name = "near", .search_vector = {1}, .top_k = 2});
    EXPECT_TRUE(output.ok()) << output.status();
    return output->search_results.size();
  };
  EXPECT_EQ(found(), 0u);
  clock_.Advance(kLag);
  EXPECT_EQ(found(), 1u);
}

// Why: rows of the old table must not come back in the new one.
TEST_F(StaleDatabaseTest, ATableThatIsMadeAgainShowsNothingYet) {
  Open({{.kind = Staleness::kFixed, .bound = kLag}});
  Record(1);
  clock_.Advance(kLag);
  ExpectEventual({1, 1});
  ASSERT_TRUE(database_->DeleteTable({.table_name = "music"}).ok());
  EXPECT_FALSE(database_->Scan({.table_name = "music"}).ok());
  ASSERT_TRUE(Create().ok());
  ExpectEventual({});
  Record(2);
  ExpectEventual({});
  ExpectStrong({2, 2});
  clock_.Advance(kLag);
  ExpectEventual({2, 2});
}

TEST_F(StaleDatabaseTest, AnIndexThatIsMadeAgainShowsNothingYet) {
  Open({});
  Record(1);
  ASSERT_TRUE(database_->HoldReads({.table = "music"}).ok());
  UpdateTableRequest request;
  request.table_name = "music";
  request.global_secondary_index_updates = {{.delete_index_name = "by-genre"}};
  ASSERT_TRUE(database_->UpdateTable(request).ok());
  request.attribute_definitions = {
      {"artist"}, {"number", Type::kNumber}, {"year", Type::kNumber}, {"genre"}};
  request.global_secondary_index_updates = {{.create = ByGenre()}};
  const absl::Status status = database_->UpdateTable(request).status();
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_TRUE(database_->WaitForBackfills().ok());
  EXPECT_EQ(Query("by-genre"), Takes{});
  EXPECT_EQ(Scan(), (Takes{1, 1}));
  ASSERT_TRUE(database_->ReleaseReads({.table = "music"}).ok());
  EXPECT_EQ(Query("by-genre"), (Takes{1, 1}));
}

// --- Streams

class StaleStreamTest : public StaleDatabaseTest {
 protected:
  std::string Iterator(ShardIteratorType type) {
    const auto streams = database_->ListStreams({.table_name = "music"});
    const std::string arn = streams->streams.at(0).stream_arn;
    const auto described = database_->DescribeStream({.stream_arn = arn});
    const auto output = database_->GetShardIterator(
        {arn, described->stream_description.shards.at(0).shard_id, type, std::nullopt});
    EXPECT_TRUE(output.ok()) << output.status();
    return output->shard_iterator;
  }
  // The numbers of the records from the iterator on, which goes on behind them.
  Takes Records(std::string* iterator) {
    const auto output = database_->GetRecords({.shard_iterator = *iterator});
    EXPECT_TRUE(output.ok()) << output.status();
    *iterator = output->next_shard_iterator.value_or("");
    Takes takes;
    for (const ChangeRecord& record : output->records) {
      takes.push_back(record.dynamodb.new_image->Get<int64_t>("takes").value());
    }
    return takes;
  }
};

TEST_F(StaleStreamTest, RecordsComeLateAndOnce) {
  Open({{.of = {.table = "music", .stream = true}, .kind = Staleness::kFixed, .bound = kLag}});
  std::string oldest = Iterator(ShardIteratorType::kTrimHorizon);
  Record(1);
  std::string latest = Iterator(ShardIteratorType::kLatest);
  EXPECT_EQ(Scan(), (Takes{1, 1})) << "only the stream lags";
  EXPECT_EQ(Records(&oldest), Takes{});
  EXPECT_EQ(Records(&latest), Takes{});
  clock_.Advance(kLag / 2);
  Record(2);
  EXPECT_EQ(Records(&oldest), Takes{});
  clock_.Advance(kLag / 2);
  EXPECT_EQ(Records(&oldest), (Takes{1, 1}));
  EXPECT_EQ(Records(&oldest), Takes{});
  EXPECT_EQ(Records(&latest), Takes{}) << "written before the iterator was made";
  clock_.Advance(kLag / 2);
  EXPECT_EQ(Records(&oldest), (Takes{2, 2}));
  EXPECT_EQ(Records(&latest), (Takes{2, 2}));
  std::string again = Iterator(ShardIteratorType::kTrimHorizon);
  EXPECT_EQ(Records(&again), (Takes{1, 1, 2, 2}));
}

TEST_F(StaleStreamTest, RecordsOfReadsThatGoBackComeOnce) {
  Open({{.of = {.table = "music", .stream = true}, .kind = Staleness::kRandom, .bound = kLag}});
  std::string iterator = Iterator(ShardIteratorType::kTrimHorizon);
  Takes seen;
  Takes wanted;
  for (int64_t i = 0; i < 200; ++i) {
    Record(i);
    wanted.insert(wanted.end(), {i, i});
    clock_.Advance(kLag / 8);
    const Takes records = Records(&iterator);
    seen.insert(seen.end(), records.begin(), records.end());
  }
  clock_.Advance(kLag);
  const Takes records = Records(&iterator);
  seen.insert(seen.end(), records.begin(), records.end());
  EXPECT_EQ(seen, wanted);
}

TEST_F(StaleStreamTest, HeldAndThenClosed) {
  Open({});
  Record(1);
  ASSERT_TRUE(database_->HoldReads({.table = "music", .stream = true}).ok());
  Record(2);
  ASSERT_TRUE(
      database_->UpdateTable({.table_name = "music", .stream_specification = {{false}}}).ok());
  std::string iterator = Iterator(ShardIteratorType::kTrimHorizon);
  EXPECT_EQ(Records(&iterator), (Takes{1, 1}));
  ASSERT_NE(iterator, "") << "there is more";
  ASSERT_TRUE(database_->ReleaseReads({.table = "music", .stream = true}).ok());
  EXPECT_EQ(Records(&iterator), (Takes{2, 2}));
  EXPECT_EQ(iterator, "");
}

}  // namespace
}  // namespace dynolith::testing
