// Why: member constraints are reported all together, in an order of their own, in older and newer
// words (api/facts/wire.md §9, api/facts/operations.md §1.2-§1.3, §2).
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "engine/base/limits.h"
#include "tests/unit/json/json_texts.h"

namespace dynolith {
namespace {

struct Case {
  const char* operation;
  std::string body;
  std::string message;
};

void ExpectAll(std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    EXPECT_EQ(Refusal(c.operation, c.body), ValidationBody(c.message))
        << c.operation << " " << c.body;
  }
}

constexpr const char* kOne = "1 validation error detected: ";

TEST(Constraints, TableNameOfItemOperations) {
  const std::string long_name(256, 'a');
  ExpectAll({
      {"GetItem", R"({"Key":{}})",
       std::string(kOne) +
           "Value null at 'tableName' failed to satisfy constraint: Member must not be null"},
      {"GetItem", R"({"TableName":null,"Key":{}})",
       std::string(kOne) +
           "Value null at 'tableName' failed to satisfy constraint: Member must not be null"},
      {"GetItem", R"({"TableName":"","Key":{}})",
       std::string(kOne) + "Value at 'TableName' failed to satisfy constraint: Member must have "
                           "length greater than or equal to 1"},
      {"PutItem", R"({"TableName":"bad table!@#","Item":{}})",
       std::string(kOne) + "Value 'bad table!@#' at 'tableName' failed to satisfy constraint: "
                           "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"},
      {"PutItem", R"({"TableName":")" + long_name + R"(","Item":{}})",
       std::string(kOne) + "Value '" + long_name +
           "' at 'tableName' failed to satisfy constraint: Member must have length less than or "
           "equal to 255"},
  });
}

TEST(Constraints, TableNameOfTableOperations) {
  const std::string absent =
      "The parameter 'TableName' is required but was not present in the request";
  for (const char* operation : {"DescribeTable", "UpdateTable", "DeleteTable"}) {
    ExpectAll({{operation, "{}", absent},
               {operation, R"({"TableName":"ab"})",
                std::string(kOne) + "Value 'ab' at 'tableName' failed to satisfy constraint: "
                                    "Member must have length greater than or equal to 3"}});
  }
  ExpectAll({{"CreateTable", "{}", absent},
             {"CreateTable", R"({"TableName":"ab","KeySchema":[
                   {"AttributeName":"a","KeyType":"HASH"}],"AttributeDefinitions":[]})",
              std::string(kOne) + "Value 'ab' at 'tableName' failed to satisfy constraint: Member "
                                  "must have length greater than or equal to 3"}});
}

TEST(Constraints, ArnsAreNotCheckedAsNames) {
  const std::string arn = "arn:aws:dynamodb:us-east-1:000000000000:table/" + std::string(250, 'a');
  const auto read = Read<GetItemRequest>("GetItem", R"({"TableName":")" + arn + R"(","Key":{}})");
  EXPECT_EQ(read->request.table_name, arn);
  const std::string longer = "arn:" + std::string(1021, 'a');
  ExpectAll({{"GetItem", R"({"TableName":")" + longer + R"(","Key":{}})",
              std::string(kOne) + "Value '" + longer +
                  "' at 'tableName' failed to satisfy constraint: Member must have length less "
                  "than or equal to 1024"}});
}

TEST(Constraints, CharactersAreCountedWhereTheServiceCountsThem) {
  const auto body = [](int characters) {
    std::string statement;
    for (int i = 0; i < characters; ++i) statement += "\xC3\xA9";
    return R"({"Statement":")" + statement + R"("})";
  };
  constexpr std::string_view kTooLong = "less than or equal to 8192";
  EXPECT_EQ(Refusal("ExecuteStatement", body(8192)).find(kTooLong), std::string::npos);
  EXPECT_NE(Refusal("ExecuteStatement", body(8193)).find(kTooLong), std::string::npos);
}

TEST(Constraints, BadArns) {
  const auto body = [](const std::string& arn) {
    return R"({"TableName":")" + arn + R"(","Key":{}})";
  };
  const auto message = [](const std::string& what, const std::string& arn) {
    return std::string(kOne) + "Invalid " + what + " in '" + arn + "'";
  };
  for (const auto& [arn, what] : std::initializer_list<std::pair<std::string, std::string>>{
           {"arn:gcp:dynamodb:us-east-1:1:table/abc", "AWS partition"},
           {"arn:aws:dynamodb::1:table/abc", "AWS region"},
           {"arn:aws:dynamodb:us-east-1:1:stream/abc", "resource type"},
           {"arn:aws:s3:us-east-1:1:table/abc", "resource type"},
           {"arn:aws:dynamodb:us-east-1:1:table/", "resource type"},
           {"arn:", "AWS partition"}}) {
    GetItemRequest request;
    RequestViolations violations;
    const absl::Status status = ReadBody("GetItem", body(arn), &request, &violations);
    EXPECT_EQ(ErrorResponse(status).body, ValidationBody(message(what, arn)));
  }
}

TEST(Constraints, OrderOfMembersIsThatOfTheOperation) {
  ExpectAll({
      {"PutItem", "{}",
       "2 validation errors detected: Value null at 'tableName' failed to satisfy constraint: "
       "Member must not be null; Value null at 'item' failed to satisfy constraint: Member must "
       "not be null"},
      {"UpdateItem", R"({"ReturnConsumedCapacity":"x","ReturnValues":"y"})",
       "4 validation errors detected: Value 'x' at 'returnConsumedCapacity' failed to satisfy "
       "constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; Value null at "
       "'tableName' failed to satisfy constraint: Member must not be null; Value 'y' at "
       "'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, "
       "UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; Value null at 'key' failed to satisfy "
       "constraint: Member must not be null"},
      {"Scan", R"({"TableName":"abc","Limit":0,"Segment":-1,"TotalSegments":0,"Select":"X"})",
       "4 validation errors detected: Value 'X' at 'select' failed to satisfy constraint: Member "
       "must satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, "
       "ALL_PROJECTED_ATTRIBUTES]; Value '0' at 'totalSegments' failed to satisfy constraint: "
       "Member must have value greater than or equal to 1; Value '-1' at 'segment' failed to "
       "satisfy constraint: Member must have value greater than or equal to 0; Value '0' at "
       "'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"},
      {"CreateTable",
       R"({"TableName":"abc","ProvisionedThroughput":{"ReadCapacityUnits":0},"BillingMode":"F",)"
       R"("AttributeDefinitions":[],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]})",
       "3 validation errors detected: Value 'F' at 'billingMode' failed to satisfy constraint: "
       "Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]; Value null at "
       "'provisionedThroughput.writeCapacityUnits' failed to satisfy constraint: Member must not "
       "be null; Value '0' at 'provisionedThroughput.readCapacityUnits' failed to satisfy "
       "constraint: Member must have value greater than or equal to 1"},
  });
}

// The largest value or length that the model lets a member have. Requires: an operation's input,
// and the members' names from there on.
int64_t MaxLength(Service service, std::string_view operation,
                  std::initializer_list<std::string_view> path) {
  const Shape* shape = &ShapeAt(FindOperation(service, operation)->input);
  for (const std::string_view name : path) {
    shape = &ShapeAt(shape->members()[shape->FindMember(name)].shape);
  }
  return shape->max;
}

TEST(Constraints, LimitsAreThoseOfTheModel) {
  const auto max_of = [](std::string_view operation, std::initializer_list<std::string_view> path) {
    return MaxLength(Service::kDynamo, operation, path);
  };
  EXPECT_EQ(MaxLength(Service::kStreams, "ListStreams", {"Limit"}), kStreamPageMax);
  EXPECT_EQ(MaxLength(Service::kStreams, "DescribeStream", {"Limit"}), kStreamPageMax);
  EXPECT_EQ(MaxLength(Service::kStreams, "GetRecords", {"Limit"}), kStreamRecordsMax);
  EXPECT_EQ(max_of("ListTables", {"Limit"}), kListTablesMax);
  EXPECT_EQ(max_of("ListBackups", {"Limit"}), kBackupsPageMax);
  EXPECT_EQ(max_of("ListExports", {"MaxResults"}), kTransfersPageMax);
  EXPECT_EQ(max_of("ListImports", {"PageSize"}), kTransfersPageMax);
  EXPECT_EQ(max_of("ListContributorInsights", {"MaxResults"}), kInsightsPageMax);
  EXPECT_EQ(max_of("UpdateContinuousBackups",
                   {"PointInTimeRecoverySpecification", "RecoveryPeriodInDays"}),
            kRecoveryPeriodDaysMax);
  EXPECT_EQ(max_of("ListExports", {"TableArn"}), static_cast<int64_t>(kTableArnBytesMax));
}

TEST(Constraints, AtMostTenAreReported) {
  std::string body = R"({"TableName":"abc","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],)"
                     R"("AttributeDefinitions":[)";
  for (int i = 0; i < 12; ++i) body += "{},";
  body.back() = ']';
  const std::string answer = Refusal("CreateTable", body + "}");
  EXPECT_NE(answer.find("10 validation errors detected: "), std::string::npos) << answer;
  EXPECT_NE(answer.find("attributeDefinitions.5.member.attributeType"), std::string::npos);
  EXPECT_EQ(answer.find("attributeDefinitions.6.member"), std::string::npos);
}

TEST(Constraints, NewerFormsOfOnlyFaults) {
  ExpectAll({
      {"Query", R"({"TableName":"abc","Limit":0})",
       std::string(kOne) + "Value at 'Limit' failed to satisfy constraint: Member must have value "
                           "greater than or equal to 1"},
      {"Scan", R"({"TableName":"abc","Limit":0})",
       std::string(kOne) + "Value '0' at 'limit' failed to satisfy constraint: Member must have "
                           "value greater than or equal to 1"},
      {"UpdateItem", R"({"TableName":"abc","Key":{},"ReturnValues":"x"})",
       std::string(kOne) + "Failed to satisfy constraint: Member must satisfy enum value set: "
                           "[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"},
      {"PutItem", R"({"TableName":"abc","Item":{},"ReturnValues":"x"})",
       std::string(kOne) +
           "Value 'x' at 'returnValues' failed to satisfy constraint: Member must satisfy enum "
           "value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"},
      {"Query", R"({"TableName":"abc","ConditionalOperator":"x"})",
       "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"},
      {"Scan", R"({"TableName":"abc","ConditionalOperator":"x"})",
       std::string(kOne) + "Value 'x' at 'conditionalOperator' failed to satisfy constraint: "
                           "Member must satisfy enum value set: [OR, AND]"},
  });
}

TEST(Constraints, BatchGetItem) {
  std::string keys;
  for (int i = 0; i < 101; ++i) keys += R"({"a":{"S":"x"}},)";
  keys.pop_back();
  ExpectAll({
      {"BatchGetItem", "{}",
       std::string(kOne) +
           "Value null at 'requestItems' failed to satisfy constraint: Member must not be null"},
      {"BatchGetItem", R"({"RequestItems":{}})",
       std::string(kOne) + "Value at 'RequestItems' failed to satisfy constraint: Member must have "
                           "length greater than or equal to 1"},
      {"BatchGetItem", R"({"RequestItems":{"abc":{"Keys":[]}}})",
       std::string(kOne) + "Value at 'RequestItems.abc.member.Keys' failed to satisfy constraint: "
                           "Member must have length greater than or equal to 1"},
      {"BatchGetItem", R"({"RequestItems":{"abc":{"Keys":[)" + keys + "]}}}",
       std::string(kOne) + "Value at 'RequestItems.abc.member.Keys' failed to satisfy constraint: "
                           "Member must have length less than or equal to 100"},
      {"BatchGetItem", R"({"RequestItems":{"abc":{}}})",
       std::string(kOne) + "Value null at 'requestItems.abc.member.keys' failed to satisfy "
                           "constraint: Member must not be null"},
      {"BatchGetItem", R"({"RequestItems":{"abc":null}})",
       std::string(kOne) + "Value null at 'requestItems.abc.member' failed to satisfy constraint: "
                           "Member must not be null"},
      {"BatchGetItem", R"({"RequestItems":{"b!d":{"Keys":[{}]}}})",
       std::string(kOne) +
           R"(Value '{\"b!d\":{\"Keys\":[{}]}}' at 'requestItems' failed to satisfy constraint: )"
           "Map keys must satisfy constraint: [Member must have length less than or equal to 255, "
           "Member must have length greater than or equal to 3, Member must satisfy regular "
           "expression pattern: [a-zA-Z0-9_.-]+]"},
  });
}

TEST(Constraints, BatchWriteItem) {
  const std::string tail =
      "' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: "
      "[Member must have length less than or equal to 25, Member must have length greater than or "
      "equal to 1]";
  ExpectAll({
      {"BatchWriteItem", R"({"RequestItems":{"abc":[]}})",
       std::string(kOne) + "Value '{abc=[]}" + tail},
  });
  std::string writes;
  std::string dump;
  for (int i = 0; i < 26; ++i) {
    writes += "{},";
    dump += "WriteRequest(putRequest=null, deleteRequest=null), ";
  }
  writes.pop_back();
  dump.resize(dump.size() - 2);
  ExpectAll({{"BatchWriteItem", R"({"RequestItems":{"abc":[)" + writes + "]}}",
              std::string(kOne) + "Value '{abc=[" + dump + "]}" + tail}});
}

TEST(Constraints, KeySchema) {
  ExpectAll({
      {"CreateTable", R"({"TableName":"abc","AttributeDefinitions":[],"KeySchema":[]})",
       std::string(kOne) + "Value '[]' at 'keySchema' failed to satisfy constraint: Member must "
                           "have length greater than or equal to 1"},
      {"CreateTable",
       R"({"TableName":"abc","KeySchema":[{"AttributeName":"a","KeyType":"HASH"},)"
       R"({"AttributeName":"b","KeyType":"RANGE"},{"AttributeName":"c","KeyType":"RANGE"}],)"
       R"("AttributeDefinitions":[]})",
       std::string(kOne) +
           "Value '[KeySchemaElement(attributeName=a, keyType=HASH), "
           "KeySchemaElement(attributeName=b, keyType=RANGE), KeySchemaElement(attributeName=c, "
           "keyType=RANGE)]' at 'keySchema' failed to satisfy constraint: Member must have length "
           "less than or equal to 2"},
      {"CreateTable",
       R"({"TableName":"abc","AttributeDefinitions":[],)"
       R"("KeySchema":[{"AttributeName":"a","KeyType":"H"}]})",
       std::string(kOne) + "Value 'H' at 'keySchema.1.member.keyType' failed to satisfy "
                           "constraint: Member must satisfy enum value set: [HASH, RANGE]"},
      {"CreateTable",
       R"({"TableName":"abc","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],)"
       R"("AttributeDefinitions":[{"AttributeName":"a","AttributeType":"BOOL"}]})",
       std::string(kOne) + "Value 'BOOL' at 'attributeDefinitions.1.member.attributeType' failed "
                           "to satisfy constraint: Member must satisfy enum value set: [B, N, S]"},
  });
}

TEST(Constraints, LegacyParameters) {
  const std::string operators =
      "[IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]";
  ExpectAll({
      {"UpdateItem", R"({"TableName":"abc","Key":{},"AttributeUpdates":{"a":{"Action":"X"}}})",
       std::string(kOne) + "Member must satisfy enum value set: [ADD, DELETE, PUT]' for Action"},
      {"Query", R"({"TableName":"abc","KeyConditions":{"a":{"ComparisonOperator":"X"}}})",
       std::string(kOne) +
           "Value 'X' at 'keyConditions.a.member.comparisonOperator' failed to "
           "satisfy constraint: Member must satisfy enum value set: " +
           operators},
      {"Query", R"({"TableName":"abc","KeyConditions":{"a":{}}})",
       std::string(kOne) + "Value null at 'keyConditions.a.member.comparisonOperator' failed to "
                           "satisfy constraint: Member must not be null"},
      {"GetItem", R"({"TableName":"abc","Key":{},"AttributesToGet":[]})",
       std::string(kOne) + "Value '[]' at 'attributesToGet' failed to satisfy constraint: Member "
                           "must have length greater than or equal to 1"},
  });
}

TEST(Constraints, NullElements) {
  ExpectAll({
      {"GetItem", R"({"TableName":"abc","Key":{},"AttributesToGet":["a",null]})",
       std::string(kOne) + "Value null at 'attributesToGet.2.member' failed to satisfy constraint: "
                           "Member must not be null"},
      {"PutItem", R"({"TableName":"abc","Item":{},"ExpressionAttributeNames":{"#a":null}})",
       std::string(kOne) + "Value null at 'expressionAttributeNames.#a.member' failed to satisfy "
                           "constraint: Member must not be null"},
  });
}

TEST(Constraints, ListTables) {
  ExpectAll({
      {"ListTables", R"({"Limit":0})",
       std::string(kOne) + "Value '0' at 'limit' failed to satisfy constraint: Member must have "
                           "value greater than or equal to 1"},
      {"ListTables", R"({"Limit":101})",
       std::string(kOne) + "Value '101' at 'limit' failed to satisfy constraint: Member must have "
                           "value less than or equal to 100"},
      {"ListTables", R"({"Limit":99999999999999999999.5,"ExclusiveStartTableName":"a;"})",
       "3 validation errors detected: Value '2147483647' at 'limit' failed to satisfy "
       "constraint: Member must have value less than or equal to 100; Value 'a;' at "
       "'exclusiveStartTableName' failed to satisfy constraint: Member must satisfy regular "
       "expression pattern: [a-zA-Z0-9_.-]+; Value 'a;' at 'exclusiveStartTableName' failed to "
       "satisfy constraint: Member must have length greater than or equal to 3"},
  });
}

TEST(Constraints, LongAttributeNames) {
  const std::string name(65536, 'a');
  const std::string answer =
      Refusal("PutItem", R"({"TableName":"abc","Item":{")" + name + R"(":{"S":"x"}}})");
  EXPECT_NE(answer.find("at 'item' failed to satisfy constraint: Map keys must satisfy "
                        "constraint: [Member must have length less than or equal to 65535]"),
            std::string::npos);
}

}  // namespace
}  // namespace dynolith
