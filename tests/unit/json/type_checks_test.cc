// Why: clients and conformance suites compare the texts of wrong JSON types word by word
// (api/facts/wire.md §8), and each comes from another combination of shape, place and token.
#include <gtest/gtest.h>

#include "tests/unit/json/json_texts.h"

namespace dynolith {
namespace {

struct TypeCase {
  const char* operation;
  const char* body;
  const char* message;
};

constexpr const char* kGeneric =
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class "
    "java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "
    "java.lang.Class are in module java.base of loader 'bootstrap')";
constexpr const char* kStructure = "Start of structure or map found where not expected";

void ExpectRefusals(std::initializer_list<TypeCase> cases) {
  for (const TypeCase& c : cases) {
    EXPECT_EQ(Refusal(c.operation, c.body), SerializationBody(c.message))
        << c.operation << " " << c.body;
  }
}

TEST(TypeChecks, String) {
  ExpectRefusals({
      {"GetItem", R"({"TableName":true})", "TRUE_VALUE cannot be converted to String"},
      {"GetItem", R"({"TableName":false})", "FALSE_VALUE cannot be converted to String"},
      {"GetItem", R"({"TableName":23})", "NUMBER_VALUE cannot be converted to String"},
      {"GetItem", R"({"TableName":18446744073709551615})",
       "NUMBER_VALUE cannot be converted to String"},
      {"GetItem", R"({"TableName":-2.5})", "DECIMAL_VALUE cannot be converted to String"},
      {"GetItem", R"({"TableName":[]})", "Unrecognized collection type class java.lang.String"},
      {"GetItem", R"({"TableName":{}})", kStructure},
      {"GetItem", R"({"ReturnConsumedCapacity":[1]})",
       "Unrecognized collection type class java.lang.String"},
      {"GetItem", R"({"AttributesToGet":[true]})", "TRUE_VALUE cannot be converted to String"},
  });
}

TEST(TypeChecks, Boolean) {
  ExpectRefusals({
      {"GetItem", R"({"ConsistentRead":23})", "NUMBER_VALUE cannot be converted to Boolean"},
      {"GetItem", R"({"ConsistentRead":2.5})", "DECIMAL_VALUE cannot be converted to Boolean"},
      {"GetItem", R"({"ConsistentRead":"maybe"})", "Unexpected token received from parser"},
      {"GetItem", R"({"ConsistentRead":[]})",
       "Unrecognized collection type class java.lang.Boolean"},
      {"GetItem", R"({"ConsistentRead":{}})", kStructure},
  });
}

TEST(TypeChecks, BooleanWordsAreAccepted) {
  const auto read = [](const std::string& word) {
    return Read<GetItemRequest>("GetItem",
                                R"({"TableName":"abc","Key":{},"ConsistentRead":)" + word + "}");
  };
  for (const char* word : {"\"TRUE\"", "\"1\"", "\"Yes\"", "true"}) {
    EXPECT_TRUE(read(word)->request.consistent_read) << word;
  }
  const auto no = read("\"No\"");
  EXPECT_EQ(no->request.table_name, "abc");
  EXPECT_FALSE(no->request.consistent_read);
}

TEST(TypeChecks, Numbers) {
  ExpectRefusals({
      {"Scan", R"({"Limit":true})", "TRUE_VALUE cannot be converted to Integer"},
      {"Scan", R"({"Limit":"5"})", "STRING_VALUE cannot be converted to Integer"},
      {"Scan", R"({"Limit":[]})", "Unrecognized collection type class java.lang.Integer"},
      {"Scan", R"({"Limit":{}})", kStructure},
      {"CreateTable", R"({"ProvisionedThroughput":{"ReadCapacityUnits":false}})",
       "FALSE_VALUE cannot be converted to Long"},
      {"CreateTable", R"({"ProvisionedThroughput":{"ReadCapacityUnits":"a"}})",
       "STRING_VALUE cannot be converted to Long"},
      {"CreateTable", R"({"ProvisionedThroughput":{"ReadCapacityUnits":[]}})",
       "Unrecognized collection type class java.lang.Long"},
  });
}

TEST(TypeChecks, DecimalsAreFloored) {
  EXPECT_EQ(Read<ScanRequest>("Scan", R"({"TableName":"abc","Limit":2.9})")->request.limit, 2);
}

TEST(TypeChecks, Blob) {
  ExpectRefusals({
      {"PutItem", R"({"Item":{"a":{"B":true}}})",
       "only base-64-encoded strings are convertible to bytes"},
      {"PutItem", R"({"Item":{"a":{"B":1}}})",
       "only base-64-encoded strings are convertible to bytes"},
      {"PutItem", R"({"Item":{"a":{"B":[]}}})",
       "Unrecognized collection type class java.nio.ByteBuffer"},
      {"PutItem", R"({"Item":{"a":{"B":{}}}})", kStructure},
      {"PutItem", R"({"Item":{"a":{"B":"abc"}}})",
       "Base64 encoded length is expected a multiple of 4 bytes but found: 3"},
      {"PutItem", R"({"Item":{"a":{"B":"YWJ="}}})",
       "Invalid last non-pad Base64 character dectected"},
      {"PutItem", R"({"Item":{"a":{"B":"YW=="}}})",
       "Invalid last non-pad Base64 character dectected"},
      {"PutItem", R"({"Item":{"a":{"B":"===="}}})",
       "Invalid last non-pad Base64 character dectected"},
      {"PutItem", R"({"Item":{"a":{"B":"a-_b"}}})",
       "Invalid last non-pad Base64 character dectected"},
      {"PutItem", R"({"Item":{"a":{"B":"ab\ncd123"}}})",
       "Invalid last non-pad Base64 character dectected"},
      {"PutItem", R"({"Item":{"a":{"BS":["AA==","abc"]}}})",
       "Base64 encoded length is expected a multiple of 4 bytes but found: 3"},
  });
}

TEST(TypeChecks, List) {
  ExpectRefusals({
      {"GetItem", R"({"AttributesToGet":"a"})", "Unexpected field type"},
      {"GetItem", R"({"AttributesToGet":5})", "Unexpected field type"},
      {"GetItem", R"({"AttributesToGet":{}})", kStructure},
      {"PutItem", R"({"Item":{"a":{"SS":"a"}}})", "Unexpected field type"},
      {"PutItem", R"({"Item":{"a":{"L":true}}})", "Unexpected field type"},
      {"BatchWriteItem", R"({"RequestItems":{"abc":"a"}})", kGeneric},
      {"BatchWriteItem", R"({"RequestItems":{"abc":{}}})", kStructure},
  });
}

TEST(TypeChecks, Map) {
  ExpectRefusals({
      {"PutItem", R"({"Item":"a"})", "Unexpected field type"},
      {"PutItem", R"({"Item":[]})",
       "Unrecognized collection type java.util.Map<java.lang.String, "
       "com.amazonaws.dynamodb.v20120810.AttributeValue>"},
      {"PutItem", R"({"ExpressionAttributeNames":[]})",
       "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>"},
      {"BatchWriteItem", R"({"RequestItems":[]})",
       "Unrecognized collection type java.util.Map<java.lang.String, "
       "java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>>"},
      {"BatchGetItem", R"({"RequestItems":[]})",
       "Unrecognized collection type java.util.Map<java.lang.String, "
       "com.amazonaws.dynamodb.v20120810.KeysAndAttributes>"},
      {"BatchGetItem", R"({"RequestItems":{"abc":{"Keys":["a"]}}})", kGeneric},
      {"BatchGetItem", R"({"RequestItems":{"abc":{"Keys":[[]]}}})",
       "Unrecognized collection type java.util.Map<java.lang.String, "
       "com.amazonaws.dynamodb.v20120810.AttributeValue>"},
  });
}

TEST(TypeChecks, Structure) {
  ExpectRefusals({
      {"PutItem", R"({"Item":{"a":"b"}})", "Unexpected value type in payload"},
      {"PutItem", R"({"Item":{"a":{"M":{"b":5}}}})", "Unexpected value type in payload"},
      {"PutItem", R"({"Item":{"a":{"L":["b"]}}})", "Unexpected value type in payload"},
      {"PutItem", R"({"Expected":{"a":{"AttributeValueList":["b"]}}})",
       "Unexpected value type in payload"},
      {"ExecuteStatement", R"({"Parameters":["b"]})", "Unexpected value type in payload"},
      {"PutItem", R"({"Item":{"a":[]}})",
       "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"},
      {"CreateTable", R"({"ProvisionedThroughput":"a"})", "Unexpected field type"},
      {"CreateTable", R"({"ProvisionedThroughput":[]})",
       "Unrecognized collection type class "
       "com.amazonaws.dynamodb.v20120810.ProvisionedThroughput"},
      {"CreateTable", R"({"KeySchema":["a"]})", "Unexpected value type in payload"},
  });
}

TEST(TypeChecks, FirstFaultIsThatOfTheFirstDeclaredMember) {
  ExpectRefusals({{"PutItem", R"({"ReturnValues":1,"Item":{"a":[]},"TableName":true})",
                   "TRUE_VALUE cannot be converted to String"},
                  {"PutItem", R"({"Item":{"a":{"N":1,"S":true}}})",
                   "TRUE_VALUE cannot be converted to String"}});
}

TEST(TypeChecks, WrongTypesBeatBrokenConstraints) {
  ExpectRefusals({{"PutItem", R"({"TableName":"","ReturnValues":1})",
                   "NUMBER_VALUE cannot be converted to String"}});
}

TEST(TypeChecks, UnknownMembersAreIgnored) {
  const auto read = Read<PutItemRequest>(
      "PutItem", R"({"TableName":"abc","Item":{"a":{"S":"b"}},"X":[1,{}],"item":5})");
  EXPECT_EQ(read->request.item, (Item{{"a", Value::S("b")}}));
  EXPECT_TRUE(read->violations.empty());
}

}  // namespace
}  // namespace dynolith
