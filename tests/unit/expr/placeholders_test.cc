// The checks of ExpressionAttributeNames and ExpressionAttributeValues, which come before and after
// all parsing (api/facts/expressions.md §8), and the words of the reserved-word list.
#include "engine/expr/placeholders.h"

#include "engine/expr/reserved_words.h"
#include "gtest/gtest.h"
#include "tests/unit/expr/sample_request.h"

namespace dynolith {
namespace {

std::string CheckNames(const AttributeNames& names) {
  return Outcome(Placeholders(&names, nullptr).Check());
}

std::string CheckValues(const Item& values) {
  return Outcome(Placeholders(nullptr, &values).Check());
}

TEST(Placeholders, KeysAreChecked) {
  EXPECT_EQ(CheckNames({}), "ExpressionAttributeNames must not be empty");
  EXPECT_EQ(CheckNames({{"#a", "x"}, {"a", "y"}}),
            R"(ExpressionAttributeNames contains invalid key: Syntax error; key: "a")");
  EXPECT_EQ(CheckNames({{"#", "x"}}),
            R"(ExpressionAttributeNames contains invalid key: Syntax error; key: "#")");
  EXPECT_EQ(CheckNames({{"#a-b", "x"}}),
            R"(ExpressionAttributeNames contains invalid key: Syntax error; key: "#a-b")");
  EXPECT_EQ(CheckNames({{"#a", ""}}),
            "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a");
  EXPECT_EQ(CheckNames({{"#0_a", "x.y"}, {"#b", "x.y"}}), kOk);
  EXPECT_EQ(CheckNames({{"#" + std::string(254, 'a'), "x"}}), kOk);
  EXPECT_NE(CheckNames({{"#" + std::string(255, 'a'), "x"}}), kOk);
  EXPECT_EQ(CheckValues({}), "ExpressionAttributeValues must not be empty");
  EXPECT_EQ(CheckValues({{"a", Value::N(1)}}),
            R"(ExpressionAttributeValues contains invalid key: Syntax error; key: "a")");
  EXPECT_EQ(CheckValues({{":a", Value::N(1)}}), kOk);
  EXPECT_EQ(Outcome(Placeholders(nullptr, nullptr).Check()), kOk);
}

TEST(Placeholders, UnusedNamesAreReportedBeforeUnusedValues) {
  const AttributeNames names = {{"#z", "a"}, {"#b", "b"}, {"#c", "c"}};
  const Item values = {{":x", Value::N(1)}, {":y", Value::N(2)}, {":z", Value::N(3)}};
  Placeholders placeholders(&names, &values);
  EXPECT_EQ(Outcome(placeholders.CheckAllUsed()),
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#z, #b, #c}");
  EXPECT_EQ(placeholders.UseName("#z"), "a");
  EXPECT_EQ(placeholders.UseName("#Z"), std::nullopt);
  EXPECT_EQ(Outcome(placeholders.CheckAllUsed()),
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b, #c}");
  ASSERT_TRUE(Projection::Parse("#b, #c", &placeholders).ok());
  EXPECT_EQ(
      Outcome(placeholders.CheckAllUsed()),
      "Value provided in ExpressionAttributeValues unused in expressions: keys: {:x, :y, :z}");
  // Two expressions of a request share the placeholders.
  ASSERT_TRUE(Condition::Parse("a = :y", ExpressionKind::kCondition, &placeholders).ok());
  ASSERT_TRUE(Update::Parse("SET a = :x", &placeholders).ok());
  EXPECT_EQ(Outcome(placeholders.CheckAllUsed()),
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:z}");
  ASSERT_TRUE(placeholders.UseValue(":z").has_value());
  EXPECT_EQ(Value::Copy(*placeholders.UseValue(":z")), Value::N(3));
  EXPECT_FALSE(placeholders.UseValue(":w").has_value());
  EXPECT_EQ(Outcome(placeholders.CheckAllUsed()), kOk);
}

TEST(ReservedWords, WhateverTheirCase) {
  for (std::string_view word : {"ABORT", "zone", "Status", "ASENSITIVE", "size", "AUTHORIZATION"}) {
    EXPECT_TRUE(IsReservedWord(word)) << word;
  }
  for (std::string_view word : {"a", "statu", "statuss", "zones", "AUTHORIZATIONS", ""}) {
    EXPECT_FALSE(IsReservedWord(word)) << word;
  }
}

}  // namespace
}  // namespace dynolith
