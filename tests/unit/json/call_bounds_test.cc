// Why: what a call may do is bounded in two ways: a page ends when its filter has looked at enough,
// and a call on an event loop is given up when it takes more than the loop may spare. Neither may
// change an answer, but for where a page ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/dispatch.h"
#include "dynolith/database.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"

namespace dynolith {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Repeated(std::string_view text, size_t count) {
  std::string repeated;
  for (size_t i = 0; i < count; ++i) repeated += text;
  return repeated;
}

class CallBounds : public ::testing::Test {
 protected:
  CallBounds() {
    DatabaseOptions options;
    options.in_memory = true;
    database_ = *Database::Open(options);
    dispatcher_ = std::make_unique<Dispatcher>(database_.get(), DispatcherOptions());
    Good("CreateTable",
         R"({"TableName":"songs","BillingMode":"PAY_PER_REQUEST",
             "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},
                          {"AttributeName":"sk","KeyType":"RANGE"}],
             "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},
                                     {"AttributeName":"sk","AttributeType":"N"}]})");
  }

  std::string Good(std::string_view operation, std::string_view body) {
    const JsonResponse response = dispatcher_->Handle(operation, body);
    EXPECT_EQ(response.http_status, 200) << response.body;
    return response.body;
  }
  void Put(int sort_key, size_t bytes) {
    Good("PutItem", Concat(R"({"TableName":"songs","Item":{"pk":{"S":"a"},"sk":{"N":")", sort_key,
                           R"("},"text":{"S":")", std::string(bytes, 'a'), R"("}}})"));
  }
  // `tests` times the search of something that is not there.
  static std::string Page(size_t tests) {
    return Concat(R"({"TableName":"songs","KeyConditionExpression":"pk = :p",)",
                  R"("FilterExpression":"contains(#t, :x))",
                  Repeated(" OR contains(#t, :x)", tests - 1),
                  R"(","ExpressionAttributeNames":{"#t":"text"},)",
                  R"("ExpressionAttributeValues":{":p":{"S":"a"},":x":{"S":"aab"}}})");
  }
  // As a server on its event loop runs it: the answer, or "given up".
  std::string OnLoop(std::string_view operation, std::string_view body,
                     size_t units = kLoopWorkMax) {
    Dispatcher::Call call;
    const std::string target = Concat("DynamoDB_20120810.", operation);
    EXPECT_TRUE(Dispatcher::Prepare(target, body, &call).ok());
    std::string memory;
    const auto response = dispatcher_->RunWithin(units, &call, "", &memory);
    return response ? response->body : "given up";
  }

  std::unique_ptr<Database> database_;
  std::unique_ptr<Dispatcher> dispatcher_;
};

TEST_F(CallBounds, AnOrdinaryFilterNeverEndsAPage) {
  for (int i = 0; i < 10; ++i) Put(i, 100'000);
  // A full megabyte, and a filter that looks at all of it twenty times.
  const std::string page = Good("Query", Page(20));
  EXPECT_THAT(page, HasSubstr(R"("ScannedCount":10)"));
  EXPECT_THAT(page, Not(HasSubstr("LastEvaluatedKey")));
}

TEST_F(CallBounds, AFilterThatLooksAtTooMuchEndsThePage) {
  for (int i = 0; i < 10; ++i) Put(i, 100'000);
  // 200 searches of 100 KB each: 20 MB a row.
  const std::string page = Good("Query", Page(200));
  EXPECT_THAT(page, HasSubstr(R"("Count":0,"ScannedCount":2)"));
  EXPECT_THAT(page, HasSubstr(R"("LastEvaluatedKey":{"pk":{"S":"a"},"sk":{"N":"1"}})"));
  // It goes on there, and comes to the end.
  std::string next = Page(200);
  next.insert(1, R"("ExclusiveStartKey":{"pk":{"S":"a"},"sk":{"N":"7"}},)");
  const std::string last = Good("Query", next);
  EXPECT_THAT(last, HasSubstr(R"("ScannedCount":2)"));
}

TEST_F(CallBounds, TheRangesOfAStatementShareOnePage) {
  for (const char key : {'a', 'b', 'c', 'd'}) {
    Good("PutItem",
         Concat(R"({"TableName":"songs","Item":{"pk":{"S":")", std::string(1, key),
                R"("},"sk":{"N":"1"},"text":{"S":")", std::string(143'000, 'a'), R"("}}})"));
  }
  const std::string statement =
      Concat(R"({"Statement":"SELECT sk FROM songs WHERE pk IN ['a','b','c','d'] AND (sk < 0)",
             Repeated(" OR contains(text, 'aab')", 140), ")\"");
  const std::string page = Good("ExecuteStatement", statement + "}");
  EXPECT_THAT(page, HasSubstr(R"("Items":[])"));
  EXPECT_THAT(page, HasSubstr(R"("LastEvaluatedKey":{"pk":{"S":"b"},"sk":{"N":"1"}})"));
  const std::optional<JsonTree> answer = ParseJson(page, 10);
  ASSERT_TRUE(answer);
  const std::string rest =
      Good("ExecuteStatement",
           Concat(statement, R"(,"NextToken":")", answer->Find("NextToken")->text, R"("})"));
  EXPECT_THAT(rest, HasSubstr(R"("LastEvaluatedKey":{"pk":{"S":"d"},"sk":{"N":"1"}})"));
}

TEST_F(CallBounds, ASearchInValuesCountsForEachRow) {
  for (int i = 0; i < 100; ++i) Put(i, 10);
  const std::string filter = "contains(:a, :x)" + Repeated(" OR contains(:a, :x)", 199);
  const std::string page =
      Good("Scan", Concat(R"({"TableName":"songs","FilterExpression":")", filter,
                          R"(","ExpressionAttributeValues":{":a":{"S":")",
                          std::string(404'000, 'a'), R"("},":x":{"S":"aab"}}})"));
  EXPECT_THAT(page, HasSubstr(R"("ScannedCount":1)"));
}

TEST_F(CallBounds, ALongPageIsGivenUpOnALoop) {
  for (int i = 0; i < 1000; ++i) Put(i, 100);
  const std::string_view query = R"({"TableName":"songs","KeyConditionExpression":"pk = :p",
      "ExpressionAttributeValues":{":p":{"S":"a"}}})";
  EXPECT_EQ(OnLoop("Query", query), "given up");
  std::string few(query);
  few.insert(1, R"("Limit":20,)");
  EXPECT_EQ(OnLoop("Query", few), Good("Query", few));
  EXPECT_EQ(OnLoop("Scan", R"({"TableName":"songs"})"), "given up");
}

TEST_F(CallBounds, OneLargeRowIsGivenUpBeforeItIsLookedAt) {
  Put(1, 300'000);
  EXPECT_EQ(OnLoop("Query", Page(1)), "given up");
  EXPECT_THAT(Good("Query", Page(1)), HasSubstr(R"("ScannedCount":1)"));
}

TEST_F(CallBounds, TheItemsBehindAnIndexAreReadElsewhereIfTheyAreLarge) {
  Good("CreateTable",
       R"({"TableName":"plays","BillingMode":"PAY_PER_REQUEST",
           "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},
                        {"AttributeName":"sk","KeyType":"RANGE"}],
           "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},
                                   {"AttributeName":"sk","AttributeType":"N"},
                                   {"AttributeName":"at","AttributeType":"N"}],
           "LocalSecondaryIndexes":[{"IndexName":"by_time",
             "Projection":{"ProjectionType":"KEYS_ONLY"},
             "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},
                          {"AttributeName":"at","KeyType":"RANGE"}]}]})");
  const auto put = [this](int at, size_t bytes) {
    Good("PutItem",
         Concat(R"({"TableName":"plays","Item":{"pk":{"S":"a"},"sk":{"N":"1"},"at":{"N":")", at,
                R"("},"text":{"S":")", std::string(bytes, 'a'), R"("}}})"));
  };
  const std::string_view query = R"({"TableName":"plays","IndexName":"by_time",
      "Select":"ALL_ATTRIBUTES","KeyConditionExpression":"pk = :p",
      "ExpressionAttributeValues":{":p":{"S":"a"}}})";
  put(1, 100);
  EXPECT_EQ(OnLoop("Query", query), Good("Query", query));
  put(1, 300'000);
  EXPECT_EQ(OnLoop("Query", query), "given up");
  EXPECT_THAT(Good("Query", query), HasSubstr(R"("Count":1)"));
}

TEST_F(CallBounds, ManyKeysAreGivenUp) {
  std::string keys;
  for (int i = 0; i < 100; ++i) {
    keys += Concat(i == 0 ? "" : ",", R"({"pk":{"S":"a"},"sk":{"N":")", i, R"("}})");
  }
  EXPECT_EQ(OnLoop("BatchGetItem", Concat(R"({"RequestItems":{"songs":{"Keys":[)", keys, "]}}}")),
            "given up");
  const std::string_view one =
      R"({"RequestItems":{"songs":{"Keys":[{"pk":{"S":"a"},"sk":{"N":"1"}}]}}})";
  EXPECT_EQ(OnLoop("BatchGetItem", one), Good("BatchGetItem", one));
}

TEST_F(CallBounds, AWriteIsGivenUpBeforeAnythingIsWritten) {
  Put(1, 300'000);
  const std::string_view key = R"({"pk":{"S":"a"},"sk":{"N":"1"}})";
  const auto update = [&](std::string_view condition) {
    return Concat(R"({"TableName":"songs","Key":)", key,
                  R"(,"UpdateExpression":"ADD plays :one","ConditionExpression":")", condition,
                  R"(","ReturnValues":"UPDATED_NEW","ExpressionAttributeNames":{"#t":"text"},)",
                  R"("ExpressionAttributeValues":{":one":{"N":"1"},":x":{"S":"aab"}}})");
  };
  const std::string heavy = update("NOT contains(#t, :x)");
  EXPECT_EQ(OnLoop("UpdateItem", heavy), "given up");
  EXPECT_EQ(OnLoop("UpdateItem", heavy), "given up");
  EXPECT_EQ(Good("UpdateItem", heavy), R"({"Attributes":{"plays":{"N":"1"}}})");
  EXPECT_EQ(
      OnLoop("ExecuteStatement", R"x({"Statement":"UPDATE songs SET plays = 5 WHERE pk = 'a' )x"
                                 R"x(AND sk = 1 AND NOT contains(\"text\", 'aab')"})x"),
      "given up");
  EXPECT_THAT(Good("UpdateItem", heavy), HasSubstr(R"("plays":{"N":"2"})"));
}

TEST_F(CallBounds, WhatIsInterruptedFails) {
  Put(1, 10);
  const std::string arn = R"({"TableName":"songs","BackupName":"backup"})";
  database_->Interrupt();
  for (const auto& [operation, body] :
       {std::pair<std::string, std::string>("Scan", R"({"TableName":"songs"})"),
        {"CreateBackup", arn}}) {
    const JsonResponse response = dispatcher_->Handle(operation, body);
    EXPECT_EQ(response.http_status, 500) << operation;
    EXPECT_THAT(response.body, HasSubstr("The server is shutting down"));
  }
  // What is short ends by itself, wherever it runs.
  Put(2, 10);
  EXPECT_EQ(OnLoop("PutItem", R"({"TableName":"songs","Item":{"pk":{"S":"a"},"sk":{"N":"3"}}})"),
            "{}");
}

TEST_F(CallBounds, WhatOperationsCost) {
  const auto cost = [](std::string_view name) {
    return Dispatcher::FindCallTraits(Concat("DynamoDB_20120810.", name)).cost;
  };
  const auto writes = [](std::string_view name) {
    return Dispatcher::FindCallTraits(Concat("DynamoDB_20120810.", name)).writes;
  };
  for (const char* name : {"GetItem", "PutItem", "UpdateItem", "DeleteItem", "DescribeTable"}) {
    EXPECT_EQ(cost(name), OperationCost::kPoint) << name;
  }
  for (const char* name : {"Query", "Scan", "BatchGetItem"}) {
    EXPECT_EQ(cost(name), OperationCost::kPage) << name;
    EXPECT_FALSE(writes(name)) << name;
  }
  for (const char* name : {"BatchWriteItem", "TransactWriteItems"}) {
    EXPECT_EQ(cost(name), OperationCost::kBatch) << name;
    EXPECT_TRUE(writes(name)) << name;
  }
  for (const char* name : {"CreateTable", "CreateBackup", "UpdateTable"}) {
    EXPECT_EQ(cost(name), OperationCost::kLong) << name;
    EXPECT_TRUE(writes(name)) << name;
  }
  EXPECT_TRUE(writes("ExecuteStatement"));
  EXPECT_EQ(Dispatcher::FindCallTraits("DynamoDBStreams_20120810.GetRecords").cost,
            OperationCost::kBatch);
  EXPECT_EQ(cost("Nothing"), OperationCost::kPoint);
  EXPECT_FALSE(writes("Nothing"));
}

}  // namespace
}  // namespace dynolith
