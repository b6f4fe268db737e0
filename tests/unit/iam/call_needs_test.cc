// What each call needs. An action or a key that is missed here is one that no policy can refuse.
#include "tools/server/iam/call_needs.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::iam {
namespace {

// "PartiQLSelect a LeadingKeys=x,y" for each need; of resources only the part behind "table/".
std::string Needs(std::string_view operation, std::string_view body) {
  const std::optional<JsonTree> tree = ParseJson(body, 64);
  EXPECT_TRUE(tree) << body;
  static const TableFacts facts = {.partition_key = {"pk"},
                                   .index_keys = {{"i", {"artist", "year"}}},
                                   .tags = {},
                                   .policy = "",
                                   .stream_label = "",
                                   .stream_policy = "",
                                   .stream_tags = {}};
  const CallText call = {
      .operation = operation,
      .body = &*tree,
      .region = "eu-west-1",
      .account = "111122223333",
      .find_table = [](std::string_view name) { return name == "none" ? nullptr : &facts; }};
  std::string text;
  for (const CallNeed& need : NeedsOfCall(call)) {
    constexpr std::string_view kTables = "arn:aws:dynamodb:eu-west-1:111122223333:table/";
    std::string_view resource = need.resource;
    if (resource.starts_with(kTables)) resource.remove_prefix(kTables.size());
    text += Concat(text.empty() ? "" : "; ", need.action.substr(need.action.find(':') + 1), " ",
                   resource);
    for (const auto& [key, values] : need.keys.values()) {
      if (values == RequestContext::Values{"NONE"}) continue;
      if (key == "dynamodb:firstpartitionkeyvalues") continue;  // equals LeadingKeys
      text += Concat(" ", key.substr(key.find(':') + 1), "=");
      for (const std::string& value : values) {
        if (text.back() != '=') text += ",";
        text += value;
      }
    }
  }
  return text;
}

TEST(CallNeeds, OfOneItem) {
  EXPECT_EQ(Needs("GetItem", R"({"TableName": "a", "Key": {"pk": {"S": "x"}, "sk": {"N": "1"}}})"),
            "GetItem a attributes=pk,sk leadingkeys=x select=ALL_ATTRIBUTES");
  EXPECT_EQ(
      Needs("GetItem",
            R"({"TableName": "a", "Key": {"pk": {"S": "x"}}, "ProjectionExpression": "#n.b[1], c",
                      "ExpressionAttributeNames": {"#n": "name"}})"),
      "GetItem a attributes=c,name,pk leadingkeys=x select=SPECIFIC_ATTRIBUTES");
  EXPECT_EQ(Needs("PutItem",
                  R"({"TableName": "arn:aws:dynamodb:eu-west-1:111122223333:table/a/index/i",
                      "Item": {"pk": {"N": "7"}, "q": {"S": ""}}, "ReturnValues": "ALL_OLD",
                      "ConditionExpression": "attribute_not_exists(z) AND size(y.x) > :n"})"),
            "PutItem a attributes=pk,q,y,z leadingkeys=7 returnvalues=ALL_OLD");
  EXPECT_EQ(
      Needs("UpdateItem",
            R"({"TableName": "a", "Key": {"pk": {"B": "aGk="}}, "ReturnConsumedCapacity": "TOTAL",
                      "UpdateExpression": "SET a = if_not_exists(b, :v), c.d = :w REMOVE e ADD f :n"})"),
      "UpdateItem a attributes=a,b,c,e,f,pk leadingkeys=aGk= returnconsumedcapacity=TOTAL");
  EXPECT_EQ(
      Needs(
          "DeleteItem",
          R"({"TableName": "none", "Key": {"pk": {"S": "x"}}, "Expected": {"e": {"Exists": false}}})"),
      "DeleteItem none attributes=e,pk");
}

TEST(CallNeeds, KeysHaveOneForm) {
  for (const std::string_view key : {R"({"N": "7"})", R"({"N": "07.0"})", R"({"N": "70e-1"})"}) {
    EXPECT_EQ(Needs("DeleteItem", Concat(R"({"TableName": "a", "Key": {"pk": )", key, "}}")),
              "DeleteItem a attributes=pk leadingkeys=7");
  }
  EXPECT_EQ(Needs("DeleteItem", R"({"TableName": "a", "Key": {"pk": {"B": "aGl="}}})"),
            "DeleteItem a attributes=pk leadingkeys=aGk=");
}

TEST(CallNeeds, OfPages) {
  EXPECT_EQ(
      Needs("Query",
            R"json({"TableName": "a", "KeyConditionExpression": "#p = :p AND begins_with(sk, :s)",
                      "ExpressionAttributeNames": {"#p": "pk"}, "FilterExpression": "q < :p",
                      "ExpressionAttributeValues": {
  ":p" : {"S" : "x"}, ":s" : { "S" : "y" }}})json"),
      "Query a attributes=pk,q,sk leadingkeys=x select=ALL_ATTRIBUTES");
  EXPECT_EQ(Needs("Query",
                  R"({"TableName": "a", "IndexName": "i",
                      "KeyConditionExpression": "artist = :a AND :y = year",
                      "ExpressionAttributeValues": {":a": {"S": "x"}, ":y": {"N": "1999"}}})"),
            "Query a/index/i attributes=artist,year leadingkeys=x secondpartitionkeyvalues=1999 "
            "select=ALL_PROJECTED_ATTRIBUTES");
  EXPECT_EQ(Needs("Query",
                  R"({"TableName": "a", "Select": "COUNT", "KeyConditions":
                      {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "x"}]}}})"),
            "Query a attributes=pk leadingkeys=x select=COUNT");
  EXPECT_EQ(Needs("Scan", R"({"TableName": "a", "AttributesToGet": ["pk"]})"),
            "Scan a attributes=pk select=SPECIFIC_ATTRIBUTES");
}

TEST(CallNeeds, OfBatches) {
  EXPECT_EQ(Needs("BatchGetItem",
                  R"({"RequestItems": {"a": {"Keys": [{"pk": {"S": "x"}}, {"pk": {"S": "y"}}]},
                                       "b": {"Keys": [], "ProjectionExpression": "q"}}})"),
            "BatchGetItem a attributes=pk leadingkeys=x,y select=ALL_ATTRIBUTES; "
            "BatchGetItem b attributes=q select=SPECIFIC_ATTRIBUTES");
  EXPECT_EQ(
      Needs(
          "BatchWriteItem",
          R"({"RequestItems": {"a": [{"PutRequest": {"Item": {"pk": {"S": "x"}, "q": {"S": "r"}}}},
                                             {"DeleteRequest": {"Key": {"pk": {"S": "y"}}}}]}})"),
      "BatchWriteItem a attributes=pk,q leadingkeys=x,y");
}

TEST(CallNeeds, OfTransactions) {
  EXPECT_EQ(
      Needs("TransactWriteItems",
            R"({"TransactItems": [{"Put": {"TableName": "a", "Item": {"pk": {"S": "x"}}}},
                {"Update": {"TableName": "b", "Key": {"pk": {"S": "y"}}, "UpdateExpression": "REMOVE c"}},
                {"Delete": {"TableName": "b", "Key": {"pk": {"S": "z"}}}},
                {"ConditionCheck": {"TableName": "b", "Key": {"pk": {"S": "w"}}}}]})"),
      "PutItem a attributes=pk enclosingoperation=TransactWriteItems leadingkeys=x; "
      "UpdateItem b attributes=c,pk enclosingoperation=TransactWriteItems leadingkeys=y; "
      "DeleteItem b attributes=pk enclosingoperation=TransactWriteItems leadingkeys=z; "
      "ConditionCheckItem b attributes=pk enclosingoperation=TransactWriteItems leadingkeys=w");
  EXPECT_EQ(Needs("TransactGetItems",
                  R"({"TransactItems": [{"Get": {"TableName": "a", "Key": {"pk": {"S": "x"}}}}]})"),
            "GetItem a attributes=pk enclosingoperation=TransactGetItems leadingkeys=x "
            "select=ALL_ATTRIBUTES");
}

TEST(CallNeeds, OfStatements) {
  EXPECT_EQ(
      Needs(
          "ExecuteStatement",
          R"({"Statement": "SELECT * FROM a WHERE pk = ? AND q < 7", "Parameters": [{"S": "x"}]})"),
      "PartiQLSelect a attributes=pk,q fulltablescan=false leadingkeys=x "
      "select=ALL_ATTRIBUTES");
  EXPECT_EQ(
      Needs("ExecuteStatement", R"({"Statement": "select q from \"a\".\"i\" where artist = 'x'"})"),
      "PartiQLSelect a/index/i attributes=artist,q fulltablescan=true leadingkeys=x "
      "select=SPECIFIC_ATTRIBUTES");
  EXPECT_EQ(Needs("ExecuteStatement", R"({"Statement": "SELECT * FROM a WHERE pk IN ['x', 'y']"})"),
            "PartiQLSelect a attributes=pk fulltablescan=false leadingkeys=x,y "
            "select=ALL_ATTRIBUTES");
  EXPECT_EQ(Needs("BatchExecuteStatement",
                  R"({"Statements": [{"Statement": "INSERT INTO a VALUE {'pk': 'x', 'q': 1}"},
                                     {"Statement": "UPDATE a SET r = 1 WHERE pk = 'y'"}]})"),
            "PartiQLInsert a attributes=pk,q leadingkeys=x; PartiQLUpdate a attributes=pk,r "
            "leadingkeys=y");
  EXPECT_EQ(Needs("ExecuteTransaction",
                  R"({"TransactStatements": [{"Statement": "DELETE FROM a WHERE pk = 'x'"}]})"),
            "PartiQLDelete a attributes=pk enclosingoperation=ExecuteTransaction leadingkeys=x");
  // A parameter that only the operation's own reader takes, and a statement that nobody does.
  EXPECT_EQ(
      Needs(
          "ExecuteStatement",
          R"({"Statement": "INSERT INTO a VALUE ?", "Parameters": [{"M": {"pk": {"N": "1e1"}}}]})")
          .substr(0, 15),
      "PartiQLInsert a");
  EXPECT_EQ(Needs("ExecuteStatement", R"({"Statement": "GRANT a TO b"})"), "");
}

TEST(CallNeeds, OfOtherOperations) {
  EXPECT_EQ(Needs("ListTables", "{}"), "ListTables *");
  EXPECT_EQ(Needs("ListBackups", R"({"TableName": "a"})"), "ListBackups *");
  EXPECT_EQ(Needs("DescribeTable", R"({"TableName": "a"})"), "DescribeTable a");
  EXPECT_EQ(Needs("UpdateContributorInsights", R"({"TableName": "a", "IndexName": "i"})"),
            "UpdateContributorInsights a/index/i");
  EXPECT_EQ(Needs("DeleteBackup",
                  R"({"BackupArn": "arn:aws:dynamodb:eu-west-1:111122223333:table/a/backup/1"})"),
            "DeleteBackup a/backup/1");
  EXPECT_EQ(Needs("RestoreTableFromBackup",
                  R"({"BackupArn": "arn:aws:dynamodb:eu-west-1:111122223333:table/a/backup/1",
                      "TargetTableName": "b"})"),
            "RestoreTableFromBackup a/backup/1; RestoreTableFromBackup b");
  EXPECT_EQ(
      Needs("GetRecords",
            R"({"ShardIterator": "arn:aws:dynamodb:eu-west-1:111122223333:table/a/stream/s|1|x"})"),
      "GetRecords a/stream/s");
  EXPECT_EQ(
      Needs(
          "CreateTable",
          R"({"TableName": "a", "Tags": [{"Key": "team", "Value": "x"}], "ResourcePolicy": "{}"})"),
      "CreateTable a requesttag/team=x tagkeys=team; TagResource a requesttag/team=x "
      "tagkeys=team; PutResourcePolicy a");
  EXPECT_EQ(Needs("SomethingNew", R"({"Whatever": 1})"), "SomethingNew *");
}

}  // namespace
}  // namespace dynolith::iam
