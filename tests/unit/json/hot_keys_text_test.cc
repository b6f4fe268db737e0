// What is said of the use of tables: each operation counts its keys once, keys of each type and of
// each kind of index come back as they were written, and nothing is counted unless somebody asks.
#include "api/json/hot_keys_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/dispatch.h"
#include "dynolith/database.h"

namespace dynolith {
namespace {

using std::string_view_literals::operator""sv;

using ::testing::HasSubstr;

class HotKeysTextTest : public ::testing::Test {
 protected:
  void Open(bool count_use, bool hot_keys) {
    dispatcher_.reset();
    database_ = *Database::Open(
        {.in_memory = true, .clock = &clock_, .count_use = count_use, .hot_keys = hot_keys});
    dispatcher_ = std::make_unique<Dispatcher>(database_.get(), DispatcherOptions());
    Call("CreateTable", R"({"TableName": "ttt", "BillingMode": "PAY_PER_REQUEST",
      "AttributeDefinitions": [{"AttributeName": "n", "AttributeType": "N"},
        {"AttributeName": "b", "AttributeType": "B"}, {"AttributeName": "g", "AttributeType": "S"},
        {"AttributeName": "l", "AttributeType": "N"}],
      "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"},
        {"AttributeName": "b", "KeyType": "RANGE"}],
      "GlobalSecondaryIndexes": [{"IndexName": "global", "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"},
          {"AttributeName": "l", "KeyType": "RANGE"}]}],
      "LocalSecondaryIndexes": [{"IndexName": "local", "Projection": {"ProjectionType": "KEYS_ONLY"},
        "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"},
          {"AttributeName": "l", "KeyType": "RANGE"}]}]})");
  }
  void Call(std::string_view operation, std::string_view body) {
    const JsonResponse response = dispatcher_->Handle(operation, body);
    ASSERT_EQ(response.http_status, 200) << operation << ": " << response.body;
  }
  std::string HotKeysText(std::string_view index) {
    const absl::StatusOr<HotKeyReport> report = database_->ReportHotKeys("ttt", index);
    EXPECT_TRUE(report.ok()) << report.status();
    std::string text;
    const KeySchema schema = {
        .hash = {index.empty() ? KeyAttribute{"n", Type::kNumber} : KeyAttribute{"g"}},
        .range = {}};
    if (report.ok()) AppendHotKeys(*report, schema, &text);
    return text.substr(0, text.find(R"(,"recent_since")"));
  }
  // Without hashes, of which each has 16 digits.
  static std::string WithoutHashes(std::string text) {
    constexpr std::string_view kMember = R"("hash":")";
    for (size_t at = 0; (at = text.find(kMember)) != std::string::npos;) {
      text.erase(at, kMember.size() + 16 + R"(",)"sv.size());
    }
    return text;
  }
  // Keys -1 and 2, with bytes that row keys escape.
  void Work() {
    Call("PutItem", R"({"TableName": "ttt", "Item": {"n": {"N": "-1"}, "b": {"B": "AP8A"},
      "g": {"S": "x"}, "l": {"N": "0.5"}}})");
    Call("BatchWriteItem", R"({"RequestItems": {"ttt": [{"PutRequest": {"Item": {"n": {"N": "2"},
      "b": {"B": "AQ=="}}}}, {"DeleteRequest": {"Key": {"n": {"N": "2"}, "b": {"B": "Ag=="}}}}]}})");
    Call("GetItem", R"({"TableName": "ttt", "Key": {"n": {"N": "2"}, "b": {"B": "AQ=="}},
      "ConsistentRead": true})");
    Call("BatchGetItem", R"({"RequestItems": {"ttt": {"Keys": [{"n": {"N": "2"},
      "b": {"B": "AQ=="}}]}}})");
    Call("TransactGetItems", R"({"TransactItems": [{"Get": {"TableName": "ttt",
      "Key": {"n": {"N": "2"}, "b": {"B": "AQ=="}}}}]})");
    Call("ExecuteStatement", R"({"Statement": "SELECT * FROM \"ttt\" WHERE n = 2"})");
    Call("Query", R"({"TableName": "ttt", "IndexName": "local", "KeyConditionExpression": "n = :n",
      "ExpressionAttributeValues": {":n": {"N": "-1"}}})");
    Call("Query", R"({"TableName": "ttt", "IndexName": "global", "KeyConditionExpression": "g = :g",
      "ExpressionAttributeValues": {":g": {"S": "x"}}})");
    Call("Scan", R"({"TableName": "ttt"})");
    Call("Scan", R"({"TableName": "ttt", "IndexName": "global"})");
  }

  ManualClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  std::unique_ptr<Database> database_;
  std::unique_ptr<Dispatcher> dispatcher_;
};

TEST_F(HotKeysTextTest, EachOperationCountsItsKeys) {
  Open(/*count_use=*/true, /*hot_keys=*/true);
  Work();
  // Writes of 1 each, one of which also of the local index, and reads of 1 + 0.5 + 2 + 0.5 + 0.5.
  EXPECT_EQ(WithoutHashes(HotKeysText("")),
            R"({"table":"ttt","watched":true,"since":1700000000,"all":{"accessed_partition_keys":[)"
            R"({"key":{"n":{"N":"2"}},"units":6.0,"error":0.0},)"
            R"({"key":{"n":{"N":"-1"}},"units":2.5,"error":0.0}],"accessed_items":[)"
            R"({"key":{"b":{"B":"AQ=="},"n":{"N":"2"}},"units":4.5,"error":0.0},)"
            R"({"key":{"b":{"B":"AP8A"},"n":{"N":"-1"}},"units":2.0,"error":0.0},)"
            R"({"key":{"b":{"B":"Ag=="},"n":{"N":"2"}},"units":1.0,"error":0.0}],)"
            R"("throttled_partition_keys":[],"throttled_items":[]})");
  EXPECT_THAT(
      HotKeysText("global"),
      // The beginning of MD5("Outliersx").
      HasSubstr(
          R"("accessed_partition_keys":[{"key":{"g":{"S":"x"}},"hash":"545e2681232d8e96","units":1.5,)"
          R"("error":0.0}],"accessed_items":[{"key":{"g":{"S":"x"},"l":{"N":"0.5"}},)"
          R"("hash":"545e2681232d8e96","units":1.0,)"));
  const std::vector<UseReport> use = database_->ReportUse();
  ASSERT_EQ(use.size(), 2U) << "a local index is its table's";
  EXPECT_EQ(use[0].writes.consumed, 4);
  EXPECT_EQ(use[0].reads.consumed, 4.5 + 4 * 0.5) << "with a scan of four partitions";
  EXPECT_EQ(use[1].index_name, "global");
  EXPECT_EQ(use[1].writes.consumed, 1);
  EXPECT_EQ(use[1].reads.consumed, 0.5 + 4 * 0.5);
}

TEST_F(HotKeysTextTest, NobodyHasAsked) {
  Open(/*count_use=*/false, /*hot_keys=*/false);
  Work();
  EXPECT_EQ(HotKeysText(""), R"({"table":"ttt","watched":false})");
  EXPECT_EQ(database_->ReportUse()[0].writes.consumed, 0);
  EXPECT_EQ(KindOf(database_->ReportHotKeys("ttt", "local").status()),
            ErrorKind::kResourceNotFound);
}

}  // namespace
}  // namespace dynolith
