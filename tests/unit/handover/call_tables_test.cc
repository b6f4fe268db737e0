// Which tables a call is about: one that is missed would be written here after it was handed over.
#include "tools/server/handover/call_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace dynolith::handover {
namespace {

// "music: writes, plain: reads".
std::string Tables(std::string_view operation, std::string_view body) {
  const std::optional<JsonTree> tree = ParseJson(body, 16);
  EXPECT_TRUE(tree) << body;
  std::string text;
  for (const CallTable& table : TablesOfCall(operation, *tree)) {
    text += (text.empty() ? "" : ", ") + table.name + (table.writes ? ": writes" : ": reads");
  }
  return text;
}

TEST(CallTables, OfOneTable) {
  EXPECT_EQ(Tables("PutItem", R"({"TableName": "music"})"), "music: writes");
  EXPECT_EQ(Tables("Query", R"({"TableName": "music"})"), "music: reads");
  EXPECT_EQ(
      Tables("GetItem", R"({"TableName": "arn:aws:dynamodb:eu-west-1:123456789012:table/music"})"),
      "music: reads");
  EXPECT_EQ(
      Tables("Query", R"({"TableName": "arn:aws:dynamodb:eu-west-1:1:table/music/index/by-year"})"),
      "music: reads");
  EXPECT_EQ(Tables("PutItem", R"({"TableName": 7})"), "");
  EXPECT_EQ(Tables("PutItem", "[]"), "");
}

TEST(CallTables, OfBatchesAndTransactions) {
  EXPECT_EQ(Tables("BatchWriteItem", R"({"RequestItems": {"a": [], "b": []}})"),
            "a: writes, b: writes");
  EXPECT_EQ(Tables("BatchGetItem", R"({"RequestItems": {"a": {}}})"), "a: reads");
  EXPECT_EQ(Tables("TransactWriteItems",
                   R"({"TransactItems": [{"Put": {"TableName": "a"}},
                       {"ConditionCheck": {"TableName": "b"}}, {"Delete": {"TableName": "a"}}]})"),
            "a: writes, b: writes");
  EXPECT_EQ(Tables("TransactGetItems", R"({"TransactItems": [{"Get": {"TableName": "a"}}]})"),
            "a: reads");
}

TEST(CallTables, OfStatements) {
  EXPECT_EQ(Tables("ExecuteStatement", R"({"Statement": "  SeLeCt * FROM \"music\".\"by-year\""})"),
            "music: reads");
  EXPECT_EQ(Tables("ExecuteStatement",
                   R"({"Statement": "UPDATE music SET a = ? WHERE pk = ?", "Parameters": []})"),
            "music: writes");
  EXPECT_EQ(Tables("ExecuteStatement", R"({"Statement": "nonsense"})"), "");
  EXPECT_EQ(Tables("BatchExecuteStatement",
                   R"({"Statements": [{"Statement": "SELECT * FROM a WHERE pk = 'x'"},
                       {"Statement": "DELETE FROM b WHERE pk = 'x'"},
                       {"Statement": "INSERT INTO a VALUE {'pk': 'x'}"}]})"),
            "a: writes, b: writes");
  EXPECT_EQ(Tables("ExecuteTransaction", R"_({"TransactStatements": [
                       {"Statement": "EXISTS(SELECT * FROM c WHERE pk = 'x')"}]})_"),
            "c: reads");
}

TEST(CallTables, OfOtherOperationsNothing) {
  EXPECT_TRUE(IsOfItems("ExecuteTransaction"));
  EXPECT_TRUE(IsOfItems("StartBulkPutItems"));
  for (const char* operation : {"DescribeTable", "UpdateTable", "GetRecords", "", "putitem"}) {
    EXPECT_FALSE(IsOfItems(operation)) << operation;
  }
}

}  // namespace
}  // namespace dynolith::handover
