// Get, put, delete and query on items as bytes: what the wire's operations of these names answer.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dynolith/dynolith.h"
#include "engine/value/item.h"

namespace dynolith {
namespace {

// "ValidationException: ...", or nothing. Frees it.
std::string Said(dynolith_error* error) {
  if (error == nullptr) return "";
  const std::string text =
      std::string(dynolith_error_kind(error)) + ": " + dynolith_error_message(error);
  dynolith_error_free(error);
  return text;
}

dynolith_item Of(const Item& item) { return {item.bytes().data(), item.bytes().size()}; }

class CItemOperations : public ::testing::Test {
 protected:
  CItemOperations() {
    EXPECT_EQ(Said(dynolith_open(nullptr, 0, &database_)), "");
    const std::string_view table =
        R"({"TableName":"songs","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[)"
        R"({"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"},)"
        R"({"AttributeName":"g","AttributeType":"S"}],"KeySchema":[)"
        R"({"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],)"
        R"("GlobalSecondaryIndexes":[{"IndexName":"by-g","KeySchema":[{"AttributeName":"g",)"
        R"("KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]})";
    dynolith_response response = DYNOLITH_RESPONSE_INIT;
    dynolith_call(database_, "CreateTable", 11, table.data(), table.size(), &response);
    EXPECT_EQ(response.status, 200);
    dynolith_response_free(&response);
  }
  ~CItemOperations() override {
    dynolith_buffer_free(&buffer_);
    dynolith_buffer_free(&page_.last_key);
    dynolith_close(database_);
  }

  static Item Key(int sk) { return {{"pk", Value::S("a")}, {"sk", Value::N(sk)}}; }
  static Item Song(int sk, std::string_view title) {
    return {{"pk", Value::S("a")},
            {"sk", Value::N(sk)},
            {"g", Value::S("soul")},
            {"title", Value::S(title)}};
  }
  std::string Put(const Item& item, const dynolith_condition* condition = nullptr) {
    const dynolith_item bytes = Of(item);
    return Said(dynolith_put(database_, "songs", 5, &bytes, condition, &buffer_));
  }
  std::string Get(const Item& key) {
    const dynolith_item bytes = Of(key);
    return Said(dynolith_get(database_, "songs", 5, &bytes, 1, &buffer_));
  }
  std::string Delete(const Item& key, const dynolith_condition* condition = nullptr) {
    const dynolith_item bytes = Of(key);
    return Said(dynolith_delete(database_, "songs", 5, &bytes, condition, &buffer_));
  }
  // Of the buffer: "none", or an item's title.
  std::string Title() {
    if (buffer_.item.data == nullptr) return "none";
    const ItemView item =
        ItemView::Unchecked(std::string_view(buffer_.item.data, buffer_.item.size));
    return item.Get<std::string>("title").value_or("no title");
  }
  // "1 2 3": the sort keys.
  std::string Query(dynolith_query_options options) {
    options.struct_size = sizeof options;
    options.table = "songs";
    options.table_size = 5;
    sort_keys_.clear();
    const std::string error =
        Said(dynolith_query(database_, &options, &CItemOperations::Take, this, &page_));
    if (!error.empty()) return error;
    std::string all;
    for (const int64_t key : sort_keys_) all += (all.empty() ? "" : " ") + std::to_string(key);
    return all;
  }

  static int32_t Take(void* context, const dynolith_item* item) {
    auto* const self = static_cast<CItemOperations*>(context);
    dynolith_value value;
    int64_t sort_key = 0;
    EXPECT_EQ(dynolith_item_find(item, "sk", 2, &value), 1);
    EXPECT_EQ(dynolith_value_int64(&value, &sort_key), 1);
    self->sort_keys_.push_back(sort_key);
    return self->sort_keys_.size() == self->wanted_ ? 1 : 0;
  }

  dynolith_database* database_ = nullptr;
  dynolith_buffer buffer_{};
  dynolith_page page_{};
  std::vector<int64_t> sort_keys_;
  size_t wanted_ = 1'000;
};

TEST_F(CItemOperations, PutGetDelete) {
  EXPECT_EQ(Get(Key(1)), "");
  EXPECT_EQ(Title(), "none");
  EXPECT_EQ(Put(Song(1, "first")), "");
  EXPECT_EQ(Title(), "none");
  EXPECT_EQ(Put(Song(1, "second")), "");
  EXPECT_EQ(Title(), "first");
  EXPECT_EQ(Get(Key(1)), "");
  EXPECT_EQ(Title(), "second");
  EXPECT_EQ(Delete(Key(1)), "");
  EXPECT_EQ(Title(), "second");
  EXPECT_EQ(Delete(Key(1)), "");
  EXPECT_EQ(Title(), "none");
  // What a buffer holds may be the next argument for it.
  EXPECT_EQ(Put(Song(1, "again")), "");
  EXPECT_EQ(Get(Key(1)), "");
  EXPECT_EQ(Said(dynolith_put(database_, "songs", 5, &buffer_.item, nullptr, &buffer_)), "");
  EXPECT_EQ(Title(), "again");
  // Without a wish for what was there.
  const Item song = Song(1, "third");
  const dynolith_item bytes = Of(song);
  EXPECT_EQ(Said(dynolith_put(database_, "songs", 5, &bytes, nullptr, nullptr)), "");
  EXPECT_EQ(Get(Key(1)), "");
  EXPECT_EQ(Title(), "third");
}

TEST_F(CItemOperations, Conditions) {
  EXPECT_EQ(Put(Song(1, "first")), "");
  const Item values = {{":t", Value::S("first")}};
  const Item names = {{"#t", Value::S("title")}};
  const dynolith_item value_bytes = Of(values);
  const dynolith_item name_bytes = Of(names);
  const std::string_view expression = "#t = :t";
  dynolith_condition condition = {expression.data(), expression.size(), &value_bytes, &name_bytes};
  EXPECT_EQ(Put(Song(1, "second"), &condition), "");
  EXPECT_EQ(Put(Song(1, "third"), &condition),
            "ConditionalCheckFailedException: The conditional request failed");
  EXPECT_EQ(Title(), "second");
  EXPECT_EQ(Delete(Key(1), &condition),
            "ConditionalCheckFailedException: The conditional request failed");
  EXPECT_EQ(Title(), "second");
  const Item wrong = {{"#t", Value::N(1)}};
  const dynolith_item wrong_bytes = Of(wrong);
  condition.names = &wrong_bytes;
  EXPECT_TRUE(Put(Song(1, "third"), &condition).starts_with("InvalidArgument: "));
}

TEST_F(CItemOperations, Errors) {
  const Item key = Key(1);
  const dynolith_item bytes = Of(key);
  EXPECT_TRUE(Said(dynolith_get(database_, "nothing", 7, &bytes, 0, &buffer_))
                  .starts_with("ResourceNotFoundException: "));
  EXPECT_TRUE(Get({{"pk", Value::S("a")}}).starts_with("ValidationException: "));
  EXPECT_TRUE(Put({{"pk", Value::S("a")}}).starts_with("ValidationException: "));
  EXPECT_TRUE(
      Put({{"pk", Value::S("\xff")}, {"sk", Value::N(1)}}).starts_with("InvalidArgument: "));
  const dynolith_item none = {nullptr, 0};
  EXPECT_EQ(Said(dynolith_put(database_, "songs", 5, &none, nullptr, nullptr)),
            "InvalidArgument: the argument item is no item");
  EXPECT_EQ(Said(dynolith_get(database_, "songs", 5, nullptr, 0, &buffer_)),
            "InvalidArgument: the argument key is no item");
  const dynolith_item torn = {key.bytes().data(), key.bytes().size() - 1};
  EXPECT_TRUE(Said(dynolith_delete(database_, "songs", 5, &torn, nullptr, nullptr))
                  .starts_with("InvalidArgument: "));
}

TEST_F(CItemOperations, FaultsOnPurpose) {
  const auto add = [&](std::string_view rule) {
    dynolith_response response = DYNOLITH_RESPONSE_INIT;
    dynolith_admin(database_, "POST", "faults", 6, rule.data(), rule.size(), &response);
    EXPECT_EQ(response.status, 200);
    dynolith_response_free(&response);
  };
  add(R"({"fault": "throttle", "hits_max": 1})");
  const std::string throttled = Get(Key(1));
  EXPECT_TRUE(throttled.starts_with("ThrottlingException: ")) << throttled;
  add(R"({"fault": "answer_lost", "hits_max": 1})");
  EXPECT_TRUE(Put(Song(1, "lost")).starts_with("Unavailable: "));
  EXPECT_EQ(Get(Key(1)), "");
  EXPECT_EQ(Title(), "lost");
}

TEST_F(CItemOperations, Queries) {
  for (int sk = 1; sk <= 9; ++sk) ASSERT_EQ(Put(Song(sk, "t" + std::to_string(sk % 2))), "");
  const Item values = {{":a", Value::S("a")}, {":n", Value::N(4)}};
  const dynolith_item value_bytes = Of(values);
  const std::string_view condition = "pk = :a AND sk > :n";
  dynolith_query_options options{};
  options.key_condition = condition.data();
  options.key_condition_size = condition.size();
  options.values = &value_bytes;
  EXPECT_EQ(Query(options), "5 6 7 8 9");
  EXPECT_EQ(page_.count, 5);
  EXPECT_EQ(page_.scanned_count, 5);
  EXPECT_EQ(page_.last_key.item.data, nullptr);
  options.is_backward = 1;
  options.limit = 2;
  EXPECT_EQ(Query(options), "9 8");
  ASSERT_NE(page_.last_key.item.data, nullptr);
  // Where it goes on is the page's own memory.
  options.start_key = &page_.last_key.item;
  EXPECT_EQ(Query(options), "7 6");
  EXPECT_EQ(Query(options), "5");
  options = {};
  options.key_condition = condition.data();
  options.key_condition_size = condition.size();
  options.values = &value_bytes;
  options.is_consistent = 1;
  wanted_ = 3;
  EXPECT_EQ(Query(options), "5 6 7");
  EXPECT_NE(page_.last_key.item.data, nullptr);
  EXPECT_TRUE(Query({}).starts_with("ValidationException: "));
}

TEST_F(CItemOperations, QueriesOfIndexesWithFilterAndProjection) {
  for (int sk = 1; sk <= 4; ++sk) ASSERT_EQ(Put(Song(sk, "t" + std::to_string(sk % 2))), "");
  const Item values = {{":g", Value::S("soul")}, {":t", Value::S("t1")}};
  const Item names = {{"#g", Value::S("g")}};
  const dynolith_item value_bytes = Of(values);
  const dynolith_item name_bytes = Of(names);
  dynolith_query_options options{};
  options.index = "by-g";
  options.index_size = 4;
  options.key_condition = "#g = :g";
  options.key_condition_size = 7;
  options.filter = "title = :t";
  options.filter_size = 10;
  options.projection = "sk";
  options.projection_size = 2;
  options.values = &value_bytes;
  options.names = &name_bytes;
  EXPECT_EQ(Query(options), "1 3");
  EXPECT_EQ(page_.count, 2);
  EXPECT_EQ(page_.scanned_count, 4);
}

}  // namespace
}  // namespace dynolith
