// Indexes in shards from C++: what may be asked of them, and that queries are whole while an index
// moves under them, its table is written to, and reads lag.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dynolith/database.h"
#include "engine/base/strings.h"

namespace dynolith::testing {
namespace {

class IndexShardsTest : public ::testing::Test {
 protected:
  void Open() {
    database_ = Database::Open({.in_memory = true, .hot_keys = true}).value();
    CreateTableRequest request;
    request.table_name = "music";
    request.attribute_definitions = {{{"pk"}, {"g"}, {"n", Type::kNumber}}};
    request.key_schema = {{{"pk"}, {"n", KeyType::kRange}}};
    request.billing_mode = BillingMode::kPayPerRequest;
    SecondaryIndex index{.index_name = "by-g", .key_schema = {{"g"}, {"n", KeyType::kRange}}};
    index.projection.projection_type = ProjectionType::kAll;
    request.global_secondary_indexes.emplace().push_back(index);
    index.index_name = "local";
    index.key_schema = {{"pk"}, {"g", KeyType::kRange}};
    request.local_secondary_indexes.emplace().push_back(index);
    const auto created = database_->CreateTable(request);
    ASSERT_TRUE(created.ok()) << created.status();
  }
  void Put(const std::string& g, int n, int version = 0) {
    const Item item{{"pk", Value::S("p")},
                    {"n", Value::N(n)},
                    {"g", Value::S(g)},
                    {"version", Value::N(version)}};
    ASSERT_TRUE(database_->PutItem({.table_name = "music", .item = item}).ok());
  }
  void Reshard(int shards) {
    const absl::Status set = database_->SetIndexShards("music", "by-g", shards);
    ASSERT_TRUE(set.ok()) << set;
  }
  IndexShards Shards() { return database_->DescribeIndexShards("music", "by-g").value(); }
  static QueryRequest Hot(bool forward, std::optional<int64_t> limit) {
    QueryRequest request{.table_name = "music", .index_name = "by-g"};
    request.key_condition_expression = "g = :g";
    request.expression_attribute_values = Item{{":g", Value::S("hot")}};
    request.scan_index_forward = forward;
    request.limit = limit;
    return request;
  }
  // The sort keys of all pages.
  std::vector<std::string> AllPages(bool forward, std::optional<int64_t> limit) {
    std::vector<std::string> keys;
    Pager<QueryRequest> pager = database_->QueryAll(Hot(forward, limit));
    for (const Item& item : pager)
      keys.push_back(std::to_string(item.Get<int64_t>("n").value_or(-1)));
    EXPECT_TRUE(pager.status().ok()) << pager.status();
    return keys;
  }
  static std::vector<std::string> Numbers(int count, bool forward) {
    std::vector<std::string> numbers;
    for (int i = 0; i < count; ++i) {
      numbers.push_back(std::to_string(forward ? i : count - 1 - i));
    }
    return numbers;
  }

  std::unique_ptr<Database> database_;
};

TEST_F(IndexShardsTest, SaysWhatItDoesAndWhatItCannot) {
  Open();
  EXPECT_EQ(Shards().shards, 1);
  const auto refused = [this](std::string_view table, std::string_view index, int shards) {
    const absl::Status status = database_->SetIndexShards(table, index, shards);
    return Concat(InfoOf(KindOf(status)).exception_name, ": ", MessageOf(status));
  };
  const std::string wrong =
      "ValidationException: One or more parameter values were invalid: The number of an index's "
      "shards must be a whole number from 1 to 200. Provided number: ";
  EXPECT_EQ(refused("music", "by-g", 0), wrong + "0");
  EXPECT_EQ(refused("music", "by-g", 201), wrong + "201");
  EXPECT_EQ(refused("music", "local", 2),
            "ValidationException: One or more parameter values were invalid: Only a global "
            "secondary index can have shards. Provided index: local");
  EXPECT_EQ(refused("music", "none", 2),
            "ResourceNotFoundException: Requested resource not found: Index none for table music");
  EXPECT_EQ(KindOf(database_->SetIndexShards("none", "by-g", 2)), ErrorKind::kResourceNotFound);
  EXPECT_FALSE(database_->DescribeIndexShards("music", "local").ok());
  Reshard(200);
  ASSERT_TRUE(database_->WaitForBackfills().ok());
  EXPECT_EQ(Shards().shards, 200);
  EXPECT_FALSE(Shards().moving_to);
}

TEST_F(IndexShardsTest, ATagFollows) {
  Open();
  const std::string arn = "arn:aws:dynamodb:us-east-1:000000000000:table/music";
  ASSERT_TRUE(
      database_->TagResource({.resource_arn = arn, .tags = {{"dynolith:shards:by-g", "3"}}}).ok());
  Reshard(4);
  const auto tags = database_->ListTagsOfResource({.resource_arn = arn});
  ASSERT_TRUE(tags.ok());
  EXPECT_EQ(tags->tags.at(0).value, "4");
  // The same tag once more is no change, another one is.
  ASSERT_TRUE(
      database_->TagResource({.resource_arn = arn, .tags = {{"dynolith:shards:by-g", "3"}}}).ok());
  ASSERT_TRUE(database_->WaitForBackfills().ok());
  EXPECT_EQ(Shards().shards, 3);
}

// Why: whoever looks for a hot key looks for one that is in the data.
TEST_F(IndexShardsTest, AHotKeyIsOneKey) {
  Open();
  Reshard(8);
  ASSERT_TRUE(database_->WaitForBackfills().ok());
  for (int i = 0; i < 30; ++i) Put("hot", i);
  EXPECT_EQ(AllPages(true, std::nullopt).size(), 30u);
  const auto report = database_->ReportHotKeys("music", "by-g");
  ASSERT_TRUE(report.ok()) << report.status();
  const std::vector<HotKey>& keys = report->all.accessed_partition_keys;
  ASSERT_EQ(keys.size(), 1u);
  EXPECT_EQ(keys[0].key, (Item{{"g", Value::S("hot")}}));
  EXPECT_EQ(keys[0].count, 30 + 8 * 0.5) << "units of writes, and of a query of eight shards";
}

// Why: a page that was planned before a reshard must not read rows that are being reclaimed.
TEST_F(IndexShardsTest, QueriesAreWholeBesideReshardsAndWrites) {
  constexpr int kHot = 300;
  Open();
  for (int i = 0; i < kHot; ++i) Put("hot", i);
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    for (int i = 0; !stop; ++i) {
      Put("hot", i % kHot, i);
      Put("cold", kHot + i % 50, i);
    }
  });
  std::atomic<int> queries = 0;
  for (const bool forward : {true, false}) {
    threads.emplace_back([&, forward] {
      const std::vector<std::string> expected = Numbers(kHot, forward);
      while (!stop) {
        ASSERT_EQ(AllPages(forward, 37), expected);
        ASSERT_EQ(AllPages(forward, std::nullopt), expected);
        ++queries;
      }
    });
  }
  for (int round = 0; round < 4 || queries < 8; ++round) {
    for (const int shards : {5, 1, 60, 2}) {
      Reshard(shards);
      EXPECT_TRUE(database_->WaitForBackfills().ok());
      EXPECT_EQ(Shards().shards, shards);
    }
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

TEST_F(IndexShardsTest, ReadsThatAreHeldSeeNoHalfOfIt) {
  Open();
  for (int i = 0; i < 30; ++i) Put("hot", i);
  ASSERT_TRUE(database_->HoldReads({.table = "music"}).ok());
  for (int i = 30; i < 40; ++i) Put("hot", i);
  EXPECT_EQ(AllPages(true, 7), Numbers(30, true));
  Reshard(6);
  ASSERT_TRUE(database_->WaitForBackfills().ok());
  Put("hot", 40);
  EXPECT_EQ(AllPages(true, 7), Numbers(40, true)) << "as it was when it was resharded";
  Reshard(1);
  ASSERT_TRUE(database_->WaitForBackfills().ok());
  Put("hot", 41);
  EXPECT_EQ(AllPages(true, 7), Numbers(41, true));
  ASSERT_TRUE(database_->ReleaseReads({.table = "music"}).ok());
  EXPECT_EQ(AllPages(true, 7), Numbers(42, true));
}

}  // namespace
}  // namespace dynolith::testing
