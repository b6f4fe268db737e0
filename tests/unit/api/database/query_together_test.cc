// Write sharding by hand: what is written under keys with suffixes is read together as if it were
// one key, page by page, forwards and backwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "dynolith/shards.h"

namespace dynolith::testing {
namespace {

TEST(SuffixedKeysTest, CalculatedOnesStayAndSpread) {
  const SuffixedKeys keys("day", 4);
  EXPECT_EQ(keys.All(), (std::vector<std::string>{"day.0", "day.1", "day.2", "day.3"}));
  // For ever: items are found by them.
  EXPECT_EQ(keys.ForValue("order-1"), "day.2");
  EXPECT_EQ(keys.ForValue("order-2"), "day.2");
  std::map<std::string, int> counts;
  for (int i = 0; i < 4000; ++i) ++counts[keys.ForValue(std::to_string(i))];
  ASSERT_EQ(counts.size(), 4u);
  for (const auto& [key, count] : counts) EXPECT_NEAR(count, 1000, 100) << key;
}

TEST(SuffixedKeysTest, RandomOnesAreAnyOfThem) {
  const SuffixedKeys keys("day", 3);
  std::mt19937_64 random(1);
  std::map<std::string, int> counts;
  for (int i = 0; i < 3000; ++i) ++counts[keys.AtRandom(&random)];
  ASSERT_EQ(counts.size(), 3u);
  for (const auto& [key, count] : counts) EXPECT_NEAR(count, 1000, 100) << key;
}

class QueryTogetherTest : public ::testing::Test {
 protected:
  QueryTogetherTest() {
    database_ = Database::Open({.in_memory = true}).value();
    CreateTableRequest request;
    request.table_name = "orders";
    request.attribute_definitions = {{{"placed_on"}, {"placed_at", Type::kNumber}, {"kind"}}};
    request.key_schema = {{{"placed_on"}, {"placed_at", KeyType::kRange}}};
    request.billing_mode = BillingMode::kPayPerRequest;
    SecondaryIndex index{.index_name = "by-kind",
                         .key_schema = {{"kind"}, {"placed_at", KeyType::kRange}}};
    index.projection.projection_type = ProjectionType::kKeysOnly;
    request.global_secondary_indexes.emplace().push_back(index);
    EXPECT_TRUE(database_->CreateTable(request).ok());
    // Times meet between keys; one key has nothing.
    for (int i = 0; i < 60; ++i) {
      if (keys_.ForValue(std::to_string(i)) == "day.2") continue;
      Put(i);
    }
  }
  void Put(int i) {
    const Item item{{"placed_on", Value::S(keys_.ForValue(std::to_string(i)))},
                    {"placed_at", Value::N(i)},
                    {"kind", Value::S("kind." + std::to_string(i % 3))},
                    {"even", Value::Bool(i % 2 == 0)}};
    ASSERT_TRUE(database_->PutItem({.table_name = "orders", .item = item}).ok());
    written_.push_back(i);
  }
  TogetherRequest All(bool forward, std::optional<int64_t> limit) const {
    TogetherRequest request{.query = {.table_name = "orders"}, .keys = keys_.All()};
    request.query.key_condition_expression = "placed_on = :key";
    request.query.scan_index_forward = forward;
    request.query.limit = limit;
    return request;
  }
  // The times on all pages; how many pages.
  std::vector<int> Read(TogetherRequest request, int* pages = nullptr) {
    std::vector<int> times;
    for (int page = 1;; ++page) {
      const auto output = QueryTogether(database_.get(), request);
      EXPECT_TRUE(output.ok()) << output.status();
      if (!output.ok()) return times;
      const auto limit = request.query.limit;
      EXPECT_LE(static_cast<int64_t>(output->items.size()), limit.value_or(1000));
      for (const Item& item : output->items) {
        times.push_back(static_cast<int>(item.Get<int64_t>("placed_at").value_or(-1)));
      }
      if (pages != nullptr) *pages = page;
      if (!output->next_token) return times;
      request.next_token = output->next_token;
    }
  }
  std::vector<int> Expected(bool forward) const {
    std::vector<int> times = written_;
    if (!forward) std::reverse(times.begin(), times.end());
    return times;
  }
  std::string Refusal(const TogetherRequest& request) {
    const auto output = QueryTogether(database_.get(), request);
    return output.ok() ? "" : std::string(MessageOf(output.status()));
  }

  const SuffixedKeys keys_{"day", 5};
  std::vector<int> written_;  // ascending
  std::unique_ptr<Database> database_;
};

TEST_F(QueryTogetherTest, MergesEveryPageInBothDirections) {
  for (const bool forward : {true, false}) {
    for (const int64_t limit : {1, 2, 7, 59, 60, 1000}) {
      int pages = 0;
      EXPECT_EQ(Read(All(forward, limit), &pages), Expected(forward)) << limit;
      const auto full = static_cast<int>(written_.size() / static_cast<size_t>(limit));
      EXPECT_GE(pages, full);
      EXPECT_LE(pages, full + 1);
    }
    int pages = 0;
    EXPECT_EQ(Read(All(forward, std::nullopt), &pages), Expected(forward));
    EXPECT_EQ(pages, 1);
  }
}

TEST_F(QueryTogetherTest, FiltersMakePagesShort) {
  TogetherRequest request = All(true, 3);
  request.query.filter_expression = "even = :even";
  request.query.expression_attribute_values = Item{{":even", Value::Bool(true)}};
  std::vector<int> even = Expected(true);
  std::erase_if(even, [](int i) { return i % 2 != 0; });
  EXPECT_EQ(Read(request), even);
}

TEST_F(QueryTogetherTest, OfAnIndexWithEqualSortKeysInTheOrderOfTheKeys) {
  TogetherRequest request{.query = {.table_name = "orders", .index_name = "by-kind"},
                          .keys = {"kind.1", "kind.0", "kind.2"},
                          .key_placeholder = ":k"};
  request.query.key_condition_expression = "kind = :k";
  request.query.limit = 4;
  EXPECT_EQ(Read(request), Expected(true));
}

TEST_F(QueryTogetherTest, PagesGoOnBesideWrites) {
  TogetherRequest request = All(true, 5);
  auto first = QueryTogether(database_.get(), request);
  ASSERT_TRUE(first.ok());
  // Behind what was read, under a key that has more.
  int behind = 1000;
  while (keys_.ForValue(std::to_string(behind)) == "day.2") ++behind;
  Put(behind);
  const std::string gone = keys_.ForValue(std::to_string(written_[5]));
  ASSERT_TRUE(database_
                  ->DeleteItem({.table_name = "orders",
                                .key = {{"placed_on", Value::S(gone)},
                                        {"placed_at", Value::N(written_[5])}}})
                  .ok());
  request.next_token = first->next_token;
  const std::vector<int> rest(written_.begin() + 6, written_.end());
  EXPECT_EQ(Read(request), rest);
}

TEST_F(QueryTogetherTest, AddsUpWhatTheQueriesCost) {
  TogetherRequest request = All(true, 1000);
  request.query.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
  const auto output = QueryTogether(database_.get(), request);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(output->scanned_count, static_cast<int64_t>(written_.size()));
  ASSERT_TRUE(output->consumed_capacity);
  EXPECT_EQ(output->consumed_capacity->capacity_units, 2.5) << "half a unit for each of five keys";
}

TEST_F(QueryTogetherTest, SaysWhatItCannot) {
  TogetherRequest request = All(true, 5);
  request.query.projection_expression = "even";
  EXPECT_EQ(Refusal(request),
            "Keys that are queried together need a projection with all keys of the table and of "
            "the index");
  const std::string wrong =
      "Keys that are queried together are distinct, at least one, and asked for items from the "
      "beginning";
  request = All(true, 5);
  request.keys = {"a", "a"};
  EXPECT_EQ(Refusal(request), wrong);
  request.keys.clear();
  EXPECT_EQ(Refusal(request), wrong);
  request = All(true, 5);
  request.query.select = Select::kCount;
  EXPECT_EQ(Refusal(request), wrong);
  request = All(true, 5);
  request.next_token = QueryTogether(database_.get(), request)->next_token;
  request.keys.pop_back();
  EXPECT_EQ(Refusal(request), "NextToken does not match request");
  for (const std::string token : {"", "!", "AAAA"}) {
    request.next_token = token;
    EXPECT_EQ(Refusal(request), "NextToken does not match request") << token;
  }
  request = All(true, 5);
  request.query.key_condition_expression = "placed_on = :other";
  EXPECT_NE(Refusal(request), "");
}

}  // namespace
}  // namespace dynolith::testing
