// Why: a value that the service refuses is reported at the operation's step and in its layer's
// words (api/facts/values.md §1-§6), so the reader must hand it on instead of failing, and read all
// others.
#include <gtest/gtest.h>

#include "engine/base/errors.h"
#include "tests/unit/json/json_texts.h"

namespace dynolith {
namespace {

constexpr std::string_view kInvalid = "One or more parameter values were invalid: ";

// The fault of an item with the attribute value `json`, as PutItem gets it.
std::string CurrentViolation(const std::string& value) {
  const auto read =
      Read<PutItemRequest>("PutItem", R"({"TableName":"abc","Item":{"a":)" + value + "}}");
  return std::string(MessageOf(read->own_violations().values));
}

// The same as BatchWriteItem gets it.
std::string LegacyViolation(const std::string& value) {
  const auto read = Read<BatchWriteItemRequest>(
      "BatchWriteItem",
      R"({"RequestItems":{"abc":[{"PutRequest":{"Item":{"a":)" + value + "}}}]}}");
  const WriteRequest& write = read->request.request_items.at(0).second.at(0);
  return std::string(MessageOf(read->violations.Of(&write).values));
}

std::string Invalid(std::string_view rest) { return std::string(kInvalid).append(rest); }

std::string Wrapped(const std::string& scalar, int levels, bool in_map) {
  std::string text = scalar;
  for (int i = 0; i < levels; ++i) {
    text = in_map ? R"({"M":{"m":)" + text + "}}" : R"({"L":[)" + text + "]}";
  }
  return text;
}

TEST(Values, AllTypesAreRead) {
  const auto read = Read<PutItemRequest>("PutItem", R"({"TableName":"abc","Item":{
      "s":{"S":"héllo\n"},"n":{"N":"+01.50e1"},"b":{"B":"AAE="},"t":{"BOOL":true},
      "f":{"BOOL":"no"},"z":{"NULL":true},"l":{"L":[{"S":"x"},{"N":"1"}]},
      "m":{"M":{"k":{"S":""}}},"ss":{"SS":["b","a"]},"ns":{"NS":["2","1"]},
      "bs":{"BS":["AQ==","AA=="]}}})");
  const Item& item = read->request.item;
  EXPECT_TRUE(read->own_violations().values.ok());
  ASSERT_EQ(item.size(), 11U);
  EXPECT_EQ(item.Find("s")->string(), "héllo\n");
  EXPECT_EQ(item.Find("n")->number().ToString(), "15");
  EXPECT_EQ(item.Find("b")->binary(), std::string_view("\0\1", 2));
  EXPECT_TRUE(item.Find("t")->boolean());
  EXPECT_FALSE(item.Find("f")->boolean());
  EXPECT_EQ(item.Find("z")->type(), Type::kNull);
  EXPECT_EQ(item.Find("l")->list().size(), 2U);
  EXPECT_EQ(item.Find("m")->map().Find("k")->string(), "");
  EXPECT_EQ(item.Find("ss")->set()[0], "a");
  EXPECT_EQ(item.Find("ns")->set().size(), 2U);
  EXPECT_EQ(item.Find("bs")->set()[1], "\1");
}

TEST(Values, EmptyAndSeveral) {
  const std::string empty =
      "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
  const std::string several =
      "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the "
      "supported datatypes";
  for (const char* value : {"{}", "null", R"({"X":1})", R"({"S":null})", R"({"SS":[null]})"}) {
    EXPECT_EQ(CurrentViolation(value), empty) << value;
    EXPECT_EQ(LegacyViolation(value), empty) << value;
  }
  EXPECT_EQ(CurrentViolation(R"({"S":"a","N":"1"})"), several);
  EXPECT_EQ(CurrentViolation(R"({"L":[{"S":"a","BOOL":true}]})"), several);
  // The single values are checked first.
  EXPECT_EQ(CurrentViolation(R"({"S":"a","N":"b"})"),
            "The parameter cannot be converted to a numeric value: b");
  EXPECT_EQ(CurrentViolation(R"({"S":"a","X":1})"), "");
}

TEST(Values, Numbers) {
  for (const char* text : {"abc", " 1", "1 ", "0x10", "1e", "1.2.3", "NaN", "Infinity"}) {
    const std::string value = std::string(R"({"N":")") + text + "\"}";
    const std::string message =
        std::string("The parameter cannot be converted to a numeric value: ") + text;
    EXPECT_EQ(CurrentViolation(value), message);
    EXPECT_EQ(LegacyViolation(value), message);
  }
  EXPECT_EQ(CurrentViolation(R"({"N":""})"),
            "The parameter cannot be converted to a numeric value: ");
  EXPECT_EQ(LegacyViolation(R"({"N":""})"), "The parameter cannot be converted to a numeric value");
  EXPECT_EQ(CurrentViolation(R"({"NS":["1",""]})"),
            "The parameter cannot be converted to a numeric value: ");
  EXPECT_EQ(
      CurrentViolation(R"({"N":"1e126"})"),
      "Number overflow. Attempting to store a number with magnitude larger than supported range");
  EXPECT_EQ(CurrentViolation(R"({"N":"1e-131"})"),
            "Number underflow. Attempting to store a number with magnitude smaller than supported "
            "range");
  EXPECT_EQ(CurrentViolation(R"({"N":"123456789012345678901234567890123456789"})"),
            "Attempting to store more than 38 significant digits in a Number");
}

TEST(Values, Null) {
  EXPECT_EQ(CurrentViolation(R"({"NULL":false})"),
            Invalid("Null attribute value types must have the value of true"));
  EXPECT_EQ(CurrentViolation(R"({"NULL":"no"})"),
            Invalid("Null attribute value types must have the value of true"));
  EXPECT_EQ(CurrentViolation(R"({"NULL":"yes"})"), "");
}

TEST(Values, EmptySets) {
  EXPECT_EQ(CurrentViolation(R"({"SS":[]})"), Invalid("An string set  may not be empty"));
  EXPECT_EQ(CurrentViolation(R"({"NS":[]})"), Invalid("An number set  may not be empty"));
  EXPECT_EQ(CurrentViolation(R"({"BS":[]})"), Invalid("Binary sets should not be empty"));
  EXPECT_EQ(CurrentViolation(R"({"M":{"x":{"L":[{"SS":[]}]}}})"),
            Invalid("An string set  may not be empty"));
  EXPECT_EQ(CurrentViolation(R"({"SS":[""]})"), "");
  EXPECT_EQ(CurrentViolation(R"({"L":[]})"), "");
  EXPECT_EQ(CurrentViolation(R"({"M":{}})"), "");
}

TEST(Values, Duplicates) {
  EXPECT_EQ(CurrentViolation(R"({"SS":["b","a","b"]})"),
            Invalid(R"(Input collection ["a", "b", "b"] contains duplicates.)"));
  EXPECT_EQ(CurrentViolation(R"({"SS":["c","b","c","a"]})"),
            Invalid(R"(Input collection ["b", "c", "c", "a"] contains duplicates.)"));
  EXPECT_EQ(LegacyViolation(R"({"SS":["b","a","b"]})"),
            Invalid("Input collection [b, a, b] contains duplicates."));
  EXPECT_EQ(CurrentViolation(R"({"BS":["/w==","AA==","AA=="]})"),
            Invalid(R"(Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.)"));
  EXPECT_EQ(LegacyViolation(R"({"BS":["/w==","AA==","AA=="]})"),
            Invalid("Input collection [/w==, AA==, AA==]of type BS contains duplicates."));
  EXPECT_EQ(CurrentViolation(R"({"NS":["1","1.0"]})"),
            Invalid("Input collection contains duplicates."));
  EXPECT_EQ(LegacyViolation(R"({"NS":["1","1.0"]})"), "Input collection contains duplicates");
}

TEST(Values, Nesting) {
  const std::string too_deep =
      "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
      "beyond supported limit";
  for (const bool in_map : {false, true}) {
    EXPECT_EQ(CurrentViolation(Wrapped(R"({"S":"x"})", 31, in_map)), "");
    EXPECT_EQ(CurrentViolation(Wrapped(R"({"S":"x"})", 32, in_map)), too_deep);
    EXPECT_EQ(CurrentViolation(Wrapped(R"({"S":"x"})", 300, in_map)), too_deep);
    EXPECT_EQ(CurrentViolation(Wrapped(in_map ? R"({"M":{}})" : R"({"L":[]})", 31, in_map)),
              too_deep);
  }
  // What comes first in the request is reported: here a fault above the limit, there the limit.
  EXPECT_EQ(CurrentViolation(Wrapped(R"({"NULL":false})", 31, false)),
            Invalid("Null attribute value types must have the value of true"));
  EXPECT_EQ(CurrentViolation(Wrapped(R"({"NULL":false})", 40, false)), too_deep);
}

TEST(Values, EmptyNames) {
  const auto fault = [](const std::string& item) {
    const auto read = Read<PutItemRequest>("PutItem", R"({"TableName":"abc","Item":)" + item + "}");
    return std::string(MessageOf(read->own_violations().values));
  };
  const std::string deep = Wrapped(R"({"S":"x"})", 32, false);
  EXPECT_EQ(fault(R"({"":{"S":"a"}})"), "Empty attribute name");
  EXPECT_EQ(fault(R"({"a":{"M":{"":{"S":"a"}}}})"), "Empty attribute name");
  EXPECT_EQ(fault(R"({"d":)" + deep + R"(,"":{"S":"a"}})"), "Empty attribute name");
  EXPECT_NE(fault(R"({"d":)" + deep + R"(,"a":{"M":{"":{"S":"a"}}}})"), "Empty attribute name");
}

TEST(Values, FirstFaultInOrderOfArrivalWins) {
  const auto read = Read<PutItemRequest>(
      "PutItem", R"({"TableName":"abc","Item":{"z":{"N":"x"},"a":{"SS":[]},"ok":{"S":"1"}}})");
  const PutItemRequest& request = read->request;
  EXPECT_EQ(MessageOf(read->own_violations().values),
            "The parameter cannot be converted to a numeric value: x");
  EXPECT_EQ(KindOf(read->own_violations().values), ErrorKind::kValidation);
  EXPECT_EQ(request.item.Find("ok")->string(), "1");
}

TEST(Values, ExpressionValuesByLayer) {
  const auto put =
      Read<PutItemRequest>("PutItem", R"({"TableName":"abc","Item":{},"ExpressionAttributeValues":
      {":a":{"S":"x"},":b":{"N":"y"}}})");
  EXPECT_TRUE(put->own_violations().values.ok());
  EXPECT_EQ(MessageOf(put->own_violations().expression_values),
            "The parameter cannot be converted to a numeric value: y");
  const auto scan = Read<ScanRequest>("Scan", R"({"TableName":"abc","ExpressionAttributeValues":
      {":a":{"S":"x"},":b":{"N":"y"}}})");
  EXPECT_EQ(MessageOf(scan->own_violations().expression_values),
            "ExpressionAttributeValues contains invalid value: The parameter cannot be converted "
            "to a numeric value: y for key :b");
  const auto query = Read<QueryRequest>(
      "Query", R"({"TableName":"abc","ExpressionAttributeValues":{":b":{"N":"y"}}})");
  EXPECT_EQ(MessageOf(query->own_violations().expression_values),
            "The parameter cannot be converted to a numeric value: y");
}

TEST(Values, StartKeyFaults) {
  const auto scan =
      Read<ScanRequest>("Scan", R"({"TableName":"abc","ExclusiveStartKey":{"a":{}}})");
  EXPECT_EQ(MessageOf(scan->own_violations().values),
            "The provided starting key is invalid: Supplied AttributeValue is empty, must contain "
            "exactly one of the supported datatypes");
  const auto second_scan =
      Read<ScanRequest>("Scan", R"({"TableName":"abc","ExclusiveStartKey":{"a":{"N":"x"}}})");
  EXPECT_EQ(MessageOf(second_scan->own_violations().values),
            "The parameter cannot be converted to a numeric value: x");
}

TEST(Values, LegacyParameters) {
  const auto read =
      Read<UpdateItemRequest>("UpdateItem", R"({"TableName":"abc","Key":{"k":{"S":"1"}},
      "AttributeUpdates":{"b":{"Action":"ADD","Value":{"N":"1"}},"a":{"Action":"DELETE"},"c":{}},
      "Expected":{"x":{"Exists":"false"},"y":{"ComparisonOperator":"IN",
                  "AttributeValueList":[{"S":"1"},{"S":"2"}]},"z":{"Value":{"N":"bad"}}},
      "ConditionalOperator":"OR"})");
  const UpdateItemRequest& request = read->request;
  ASSERT_TRUE(request.attribute_updates && request.expected);
  EXPECT_EQ((*request.attribute_updates)[0].first, "b");
  EXPECT_EQ((*request.attribute_updates)[0].second.action, AttributeAction::kAdd);
  EXPECT_EQ((*request.attribute_updates)[1].second.action, AttributeAction::kDelete);
  EXPECT_FALSE((*request.attribute_updates)[1].second.value);
  EXPECT_FALSE((*request.attribute_updates)[2].second.action);
  EXPECT_EQ((*request.expected)[0].second.exists, false);
  EXPECT_EQ((*request.expected)[1].second.comparison_operator, ComparisonOperator::kIn);
  EXPECT_EQ((*request.expected)[1].second.attribute_value_list->size(), 2U);
  EXPECT_EQ(request.conditional_operator, ConditionalOperator::kOr);
  EXPECT_EQ(MessageOf(read->violations.Of(&(*request.expected)[2].second).values),
            "The parameter cannot be converted to a numeric value: bad");
}

}  // namespace
}  // namespace dynolith
