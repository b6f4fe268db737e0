// Why: the dispatcher is what stands behind an open port: whatever bytes come, it must answer, in
// the service's order of errors.
#include "api/json/dispatch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <thread>
#include <vector>

#include "api/json/operations.h"
#include "engine/base/errors.h"
#include "engine/model/shapes.h"
#include "tests/unit/json/json_texts.h"

namespace dynolith {
namespace {

constexpr const char* kSerialization =
    R"({"__type":"com.amazon.coral.service#SerializationException"})";
constexpr const char* kUnknown =
    R"({"__type":"com.amazon.coral.service#UnknownOperationException"})";

// The operations of the model that have a row.
std::vector<const OperationShape*> BuiltOperations() {
  std::vector<const OperationShape*> built;
  for (const OperationShape& operation : AllOperations()) {
    if (FindServiceOperation(operation.service, operation.name) != nullptr) {
      built.push_back(&operation);
    }
  }
  return built;
}

TEST(Shapes, ModelIsComplete) {
  size_t streams = 0;
  for (const OperationShape& operation : AllOperations()) {
    streams += operation.service == Service::kStreams ? 1 : 0;
    if (operation.input != kNoShape) {
      EXPECT_EQ(ShapeAt(operation.input).kind, ShapeKind::kStructure) << operation.name;
    }
  }
  EXPECT_EQ(AllOperations().size(), 66U);
  EXPECT_EQ(streams, 4U);
  EXPECT_GE(BuiltOperations().size(), 15U);
  for (const OperationShape* operation : BuiltOperations()) {
    EXPECT_NE(operation->input, kNoShape) << operation->name;
  }
}

TEST(Shapes, Patterns) {
  const Shape& input = ShapeAt(FindOperation(Service::kDynamo, "DescribeTable")->input);
  const Pattern& pattern = PatternAt(ShapeAt(input.members()[0].shape).pattern);
  EXPECT_EQ(pattern.text, "[a-zA-Z0-9_.-]+");
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool allowed =
        byte < 128 && (std::isalnum(byte) != 0 || c == '_' || c == '.' || c == '-');
    EXPECT_EQ(Matches(pattern, std::string_view(&c, 1)), allowed) << byte;
  }
  EXPECT_FALSE(Matches(pattern, ""));
}

// The pattern of a member, named by the members on the way to it.
const Pattern& FindPattern(std::string_view operation, const std::vector<std::string_view>& path) {
  uint16_t shape = FindOperation(Service::kDynamo, operation)->input;
  for (const std::string_view name : path) {
    const Shape& structure = ShapeAt(shape);
    shape = structure.members()[static_cast<size_t>(structure.FindMember(name))].shape;
  }
  return PatternAt(ShapeAt(shape).pattern);
}

TEST(Shapes, PatternsOfOtherForms) {
  const Pattern& bucket = FindPattern("ExportTableToPointInTime", {"S3Bucket"});
  EXPECT_EQ(bucket.text, R"(^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$)");
  for (const char* good : {"ab", "a.b", "a-_b", "A0z9", "a..b"}) EXPECT_TRUE(Matches(bucket, good));
  for (const char* bad : {"", "a", ".ab", "ab-", "a b", "a/b", "a\u00e4b"}) {
    EXPECT_FALSE(Matches(bucket, bad)) << bad;
  }

  const Pattern& token = FindPattern("ExportTableToPointInTime", {"ClientToken"});
  EXPECT_TRUE(Matches(token, "a b\n\u00e4"));
  for (const char* bad : {"", "$", "a$b"}) EXPECT_FALSE(Matches(token, bad)) << bad;

  const Pattern& page = FindPattern("ListImports", {"NextToken"});
  EXPECT_TRUE(Matches(page, "0123456789abcdef"));
  EXPECT_TRUE(Matches(page, "0123456789abcdef0123456789abcdef"));
  for (const char* bad : {"", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeg"}) {
    EXPECT_FALSE(Matches(page, bad)) << bad;
  }

  const Pattern& delimiter = FindPattern("ImportTable", {"InputFormatOptions", "Csv", "Delimiter"});
  EXPECT_EQ(delimiter.text, R"([,;:|\t ])");
  for (const char* good : {",", ";", ":", "|", "\t", " "}) EXPECT_TRUE(Matches(delimiter, good));
  for (const char* bad : {"", "t", "\\", ",,"}) EXPECT_FALSE(Matches(delimiter, bad)) << bad;

  const std::string_view settings = "ProvisionedWriteCapacityAutoScalingUpdate";
  const Pattern& role =
      FindPattern("UpdateTableReplicaAutoScaling", {settings, "AutoScalingRoleArn"});
  for (const char* good : {"", "arn:aws:iam::1:role/x y", "\t\r\n~\x7f", "\u00e4"}) {
    EXPECT_TRUE(Matches(role, good)) << good;
  }
  for (const char* bad : {"\x01", "a\x1f"}) EXPECT_FALSE(Matches(role, bad));
  const Pattern& policy =
      FindPattern("UpdateTableReplicaAutoScaling", {settings, "ScalingPolicyUpdate", "PolicyName"});
  EXPECT_EQ(policy.text, R"(\p{Print}+)");
  EXPECT_TRUE(Matches(policy, " ~a"));
  for (const char* bad : {"", "\n", "\x7f", "\u00e4"}) EXPECT_FALSE(Matches(policy, bad));
}

TEST(Dispatch, Targets) {
  JsonFixture json;
  Dispatcher::Call call;
  const auto prepare = [&](std::string_view target) {
    return Dispatcher::Prepare(target, "{}", &call);
  };
  EXPECT_TRUE(prepare("DynamoDB_20120810.PutItem").ok());
  for (const char* target :
       {"", ".", "PutItem", "DynamoDB_20120810", "DynamoDB_20120810.", "DynamoDB_20120810.putitem",
        "DynamoDB_20120810.PutItem.", "DynamoDB_20120810.Nothing", "DynamoDB_20111205.PutItem",
        "DynamoDBStreams_20120810.PutItem", "dynamodb_20120810.PutItem",
        " DynamoDB_20120810.PutItem"}) {
    EXPECT_EQ(KindOf(prepare(target)), ErrorKind::kUnknownOperation) << target;
    EXPECT_EQ(json.dispatcher.Run(&call, "").body, kUnknown);
  }
}

TEST(Dispatch, BadJsonIsReportedBeforeABadTarget) {
  Dispatcher::Call call;
  EXPECT_EQ(KindOf(Dispatcher::Prepare("nothing", "{", &call)), ErrorKind::kSerialization);
  EXPECT_EQ(KindOf(Dispatcher::Prepare("nothing", "{}", &call)), ErrorKind::kUnknownOperation);
}

TEST(Dispatch, ACallCanBeReused) {
  JsonFixture json;
  Dispatcher::Call call;
  EXPECT_TRUE(Dispatcher::Prepare("DynamoDB_20120810.ListTables", "{}", &call).ok());
  EXPECT_EQ(json.dispatcher.Run(&call, "").http_status, 200);
  EXPECT_TRUE(Dispatcher::Prepare("DynamoDB_20120810.ListTables", "", &call).ok());
  EXPECT_EQ(json.dispatcher.Run(&call, "").body, kSerialization);
}

TEST(Dispatch, NotAnObject) {
  JsonFixture json;
  for (const char* body :
       {"", " ", "null", "[]", "[{}]", "5", "\"x\"", "true", "{", "}", "{]", "{}}", "{\"a\":}",
        "nul", "{\"a\":\"\\ud800\"}", "\xff", "{\"\xff\":1}", "\xef\xbb\xbf"}) {
    const JsonResponse response = json.dispatcher.Handle("PutItem", body);
    EXPECT_EQ(response.body, kSerialization) << body;
    EXPECT_EQ(response.http_status, 400);
  }
  // A number is one, however large.
  for (const char* body : {"{\"a\":1e999}", "{\"a\":99999999999999999999}"}) {
    EXPECT_NE(json.Body("PutItem", body).find("2 validation errors detected"), std::string::npos);
  }
  const std::string zero("{\0}", 3);
  EXPECT_EQ(json.Body("PutItem", zero), kSerialization);
}

TEST(Dispatch, DeepJsonIsAnsweredWhateverItHolds) {
  JsonFixture json;
  for (const size_t depth : {100UL, 500UL, 1020UL, 1030UL, 100000UL}) {
    for (const auto& [open, close] : std::initializer_list<std::pair<std::string, std::string>>{
             {"[", "]"}, {R"({"L":[)", "]}"}, {R"({"M":{"a":)", "}}"}}) {
      std::string text;
      for (size_t i = 0; i < depth; ++i) text += open;
      const std::string scalar = open == "[" ? "" : R"({"S":"x"})";
      text += scalar;
      for (size_t i = 0; i < depth; ++i) text += close;
      EXPECT_FALSE(json.Body("PutItem", text).empty());
      EXPECT_FALSE(
          json.Body("PutItem", R"({"TableName":"abc","Item":{"a":)" + text + "}}").empty());
      EXPECT_FALSE(json.Body("PutItem", R"({"TableName":"abc","Other":)" + text + "}").empty());
    }
  }
}

// Every member of every built operation gets every kind of JSON value: each must be answered, and
// with the right kind of error.
TEST(Dispatch, EveryMemberSurvivesEveryKindOfValue) {
  JsonFixture json;
  const std::vector<std::string> values = {"null",
                                           "true",
                                           "5",
                                           "-1",
                                           "2.5",
                                           "\"x\"",
                                           "\"\"",
                                           "[]",
                                           "[null]",
                                           "[[]]",
                                           "[{}]",
                                           "[5]",
                                           "[\"x\"]",
                                           "{}",
                                           "{\"a\":null}",
                                           "{\"a\":5}",
                                           "{\"a\":[]}",
                                           "{\"a\":[null]}",
                                           "{\"a\":{}}",
                                           "{\"\":{}}",
                                           "{\"abc\":{\"Keys\":[null]}}",
                                           "{\"abc\":[null]}",
                                           "{\"abc\":[{\"PutRequest\":null}]}",
                                           "[{\"KeySchema\":null}]",
                                           "[{\"Projection\":{}}]",
                                           "{\"a\":{\"L\":null}}"};
  for (const OperationShape* operation : BuiltOperations()) {
    const Shape& input = ShapeAt(operation->input);
    for (const ShapeMember& member : input.members()) {
      for (const std::string& value : values) {
        std::string body = R"({"TableName":"abc","Key":{},"Item":{},"RequestItems":{"abc":[]},")";
        body += std::string(member.name) + "\":" + value + "}";
        const JsonResponse response = json.dispatcher.Handle(operation->name, body);
        EXPECT_TRUE(response.http_status == 200 || response.http_status == 400)
            << operation->name << " " << body << " " << response.body;
      }
    }
  }
}

TEST(Dispatch, EveryTruncationAndFlippedByteIsAnswered) {
  JsonFixture json;
  const std::string body =
      R"({"TableName":"abc","Item":{"a":{"L":[{"N":"1.5"},{"B":"AAE="},{"SS":["x","y"]}]},)"
      R"("b":{"M":{"c":{"NULL":true}}}},"Expected":{"a":{"Exists":false}},"ReturnValues":"NONE"})";
  for (size_t i = 0; i < body.size(); ++i) {
    EXPECT_FALSE(json.Body("PutItem", body.substr(0, i)).empty());
    for (const int bit : {1, 4, 32, 128}) {
      std::string flipped = body;
      flipped[i] = static_cast<char>(flipped[i] ^ bit);
      EXPECT_FALSE(json.Body("PutItem", flipped).empty());
    }
  }
}

TEST(Dispatch, OperationsThatAreNotBuiltAreUnknown) {
  JsonFixture json;
  for (const OperationShape& operation : AllOperations()) {
    const bool built = FindServiceOperation(operation.service, operation.name) != nullptr;
    EXPECT_EQ(json.Body(operation.name, "{}") == kUnknown, !built) << operation.name;
  }
}

TEST(Dispatch, EndpointIsTheCallersHost) {
  JsonFixture json;
  Dispatcher::Call call;
  ASSERT_TRUE(Dispatcher::Prepare("DynamoDB_20120810.DescribeEndpoints", "{}", &call).ok());
  EXPECT_EQ(json.dispatcher.Run(&call, "db.example:81").body,
            R"({"Endpoints":[{"Address":"db.example:81","CachePeriodInMinutes":1440}]})");
}

TEST(Dispatch, EndpointWithoutAHostIsTheOneOfTheOptions) {
  JsonFixture json;
  EXPECT_EQ(json.Body("DescribeEndpoints", "{}"),
            R"({"Endpoints":[{"Address":"localhost:8000","CachePeriodInMinutes":1440}]})");
}

// The items go from the rows into the text, around the structure of the output.
TEST(Dispatch, ItemsOfPagesAndReads) {
  JsonFixture json;
  ASSERT_EQ(json.dispatcher
                .Handle("CreateTable", R"({"TableName":"abc","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}]})")
                .http_status,
            200);
  const std::string query = R"({"TableName":"abc","KeyConditionExpression":"k = :k",
      "ExpressionAttributeValues":{":k":{"S":"v"}})";
  const std::string scan = R"({"TableName":"abc")";
  const std::string get = R"({"TableName":"abc","Key":{"k":{"S":"v"}}})";
  EXPECT_EQ(json.Body("GetItem", get), "{}");
  for (const auto& [operation, body] :
       {std::pair<std::string, std::string>{"Query", query}, {"Scan", scan}}) {
    EXPECT_EQ(json.Body(operation, body + "}"), R"({"Items":[],"Count":0,"ScannedCount":0})");
    EXPECT_EQ(json.Body(operation, body + R"(,"Select":"COUNT"})"),
              R"({"Count":0,"ScannedCount":0})");
  }
  EXPECT_EQ(json.Body("PutItem", R"({"TableName":"abc","Item":{"k":{"S":"v"}}})"), "{}");
  EXPECT_EQ(json.Body("GetItem", get), R"({"Item":{"k":{"S":"v"}}})");
  for (const auto& [operation, body] :
       {std::pair<std::string, std::string>{"Query", query}, {"Scan", scan}}) {
    // Nothing can follow what a query of a whole key finds.
    EXPECT_EQ(json.Body(operation, body + R"(,"Limit":1})"),
              std::string(R"({"Items":[{"k":{"S":"v"}}],"Count":1,"ScannedCount":1)") +
                  (operation == "Scan" ? R"(,"LastEvaluatedKey":{"k":{"S":"v"}}})" : "}"));
    EXPECT_EQ(json.Body(operation, body + R"(,"Select":"COUNT"})"),
              R"({"Count":1,"ScannedCount":1})");
  }
}

TEST(Dispatch, ThreadsHaveTheirOwnParsers) {
  JsonFixture json;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&json, t] {
      const std::string body =
          R"({"TableName":"abc","Key":{},"ReturnConsumedCapacity":"x)" + std::to_string(t) + "\"}";
      for (int i = 0; i < 200; ++i) {
        const std::string answer = json.dispatcher.Handle("GetItem", body).body;
        ASSERT_NE(answer.find("Value 'x" + std::to_string(t) + "'"), std::string::npos);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace dynolith
