// The parameters from before expressions: their errors in order, and that they mean what the
// expressions mean (api/facts/expressions.md §9).
#include "engine/expr/legacy.h"

#include <string>
#include <utility>
#include <vector>

#include "engine/value/dissect.h"
#include "gtest/gtest.h"
#include "tests/unit/expr/sample_request.h"

namespace dynolith {
namespace {

using Op = ComparisonOperator;
using Expected = AttributeMap<ExpectedAttributeValue>;
using Filter = AttributeMap<LegacyCondition>;
using Updates = AttributeMap<AttributeValueUpdate>;

constexpr std::string_view kInvalid = "One or more parameter values were invalid: ";

std::string FilterOutcome(Op comparison, std::optional<std::vector<Value>> arguments) {
  const Filter filter = {{"a", {comparison, std::move(arguments)}}};
  return Outcome(LowerFilter(filter, ConditionalOperator::kAnd));
}

TEST(LegacyFilter, Errors) {
  const auto count = [](std::string_view name) {
    return Concat(kInvalid, "Invalid number of argument(s) for the ", name, " ComparisonOperator");
  };
  const Value s = Value::S("s");
  const Value n = Value::N(1);
  EXPECT_EQ(FilterOutcome(Op::kBetween, {{n}}), count("BETWEEN"));
  EXPECT_EQ(FilterOutcome(Op::kEq, std::nullopt), count("EQ"));
  EXPECT_EQ(FilterOutcome(Op::kNotContains, {{n, n}}), count("NOT_CONTAINS"));
  EXPECT_EQ(FilterOutcome(Op::kIn, {std::vector<Value>()}), count("IN"));
  EXPECT_EQ(FilterOutcome(Op::kNull, {{n}}), count("NULL"));
  EXPECT_EQ(FilterOutcome(Op::kNotNull, {{n}}), count("NOT_NULL"));
  const auto type = [](std::string_view name, std::string_view type) {
    return Concat(kInvalid, "ComparisonOperator ", name, " is not valid for ", type,
                  " AttributeValue type");
  };
  EXPECT_EQ(FilterOutcome(Op::kLt, {{Value::SS({"a"})}}), type("LT", "SS"));
  EXPECT_EQ(FilterOutcome(Op::kBeginsWith, {{n}}), type("BEGINS_WITH", "N"));
  EXPECT_EQ(FilterOutcome(Op::kContains, {{Value::L({})}}), type("CONTAINS", "L"));
  EXPECT_EQ(FilterOutcome(Op::kIn, {{s, n}}),
            Concat(kInvalid, "AttributeValues inside AttributeValueList must be of same type"));
  EXPECT_EQ(FilterOutcome(Op::kBetween, {{n, Value::N(0)}}),
            "The BETWEEN condition was provided a range where the lower bound is greater than the "
            "upper bound");
  EXPECT_EQ(FilterOutcome(Op::kBetween, {{n, n}}), kOk);
  EXPECT_EQ(FilterOutcome(Op::kEq, {{Value::M({})}}), kOk);
}

bool FilterMatches(const Item& item, const Filter& filter,
                   ConditionalOperator join = ConditionalOperator::kAnd) {
  const auto condition = LowerFilter(filter, join);
  EXPECT_TRUE(condition.ok()) << condition.status();
  return condition->Matches(item.view());
}

TEST(LegacyFilter, Meaning) {
  const Item item = {{"n", Value::N(5)}, {"s", Value::S("text")}, {"z", Value::Null()}};
  const auto test = [&](std::string name, Op comparison, std::vector<Value> arguments) {
    const Filter filter = {{std::move(name), {comparison, std::move(arguments)}}};
    return FilterMatches(item, filter);
  };
  EXPECT_TRUE(test("n", Op::kEq, {Value::N(5)}));
  EXPECT_FALSE(test("n", Op::kNe, {Value::N(5)}));
  EXPECT_TRUE(test("nope", Op::kNe, {Value::N(5)}));
  EXPECT_TRUE(test("n", Op::kIn, {Value::N(4), Value::N(5)}));
  EXPECT_TRUE(test("n", Op::kLe, {Value::N(5)}));
  EXPECT_FALSE(test("n", Op::kLt, {Value::N(5)}));
  EXPECT_TRUE(test("n", Op::kGe, {Value::N(5)}));
  EXPECT_FALSE(test("n", Op::kGt, {Value::N(5)}));
  EXPECT_TRUE(test("n", Op::kBetween, {Value::N(1), Value::N(5)}));
  EXPECT_TRUE(test("z", Op::kNotNull, {}));
  EXPECT_TRUE(test("nope", Op::kNull, {}));
  EXPECT_FALSE(test("z", Op::kNull, {}));
  EXPECT_TRUE(test("s", Op::kContains, {Value::S("ex")}));
  EXPECT_FALSE(test("s", Op::kNotContains, {Value::S("ex")}));
  EXPECT_FALSE(test("nope", Op::kNotContains, {Value::S("ex")}));
  EXPECT_TRUE(test("s", Op::kBeginsWith, {Value::S("te")}));
}

TEST(LegacyFilter, ConditionalOperatorJoins) {
  const Item item = {{"n", Value::N(5)}};
  const std::vector<Value> five = {Value::N(5)};
  const std::vector<Value> six = {Value::N(6)};
  const Filter mixed = {
      {"n", {Op::kEq, six}}, {"n", {Op::kNotContains, five}}, {"n", {Op::kEq, six}}};
  EXPECT_TRUE(FilterMatches(item, mixed, ConditionalOperator::kOr));
  EXPECT_FALSE(FilterMatches(item, mixed, ConditionalOperator::kAnd));
  const Filter all = {
      {"n", {Op::kEq, five}}, {"n", {Op::kNotContains, five}}, {"n", {Op::kLe, five}}};
  EXPECT_TRUE(FilterMatches(item, all, ConditionalOperator::kAnd));
  EXPECT_TRUE(FilterMatches(item, {}, ConditionalOperator::kAnd));
}

std::string ExpectedOutcome(const ExpectedAttributeValue& entry) {
  const Expected expected = {{"a", entry}};
  return Outcome(LowerExpected(expected, ConditionalOperator::kAnd));
}

TEST(LegacyExpected, ErrorsInOrder) {
  const Value n = Value::N(1);
  const std::vector<Value> list = {n};
  EXPECT_EQ(
      ExpectedOutcome({n, true, Op::kEq, list}),
      Concat(kInvalid, "Value and AttributeValueList cannot be used together for Attribute: a"));
  EXPECT_EQ(
      ExpectedOutcome({std::nullopt, true, Op::kEq, std::nullopt}),
      Concat(kInvalid, "Exists and ComparisonOperator cannot be used together for Attribute: a"));
  EXPECT_EQ(ExpectedOutcome({std::nullopt, std::nullopt, Op::kEq, std::nullopt}),
            Concat(kInvalid,
                   "Value or AttributeValueList must be used with ComparisonOperator: EQ for "
                   "Attribute: a"));
  EXPECT_EQ(ExpectedOutcome({n, std::nullopt, Op::kBetween, std::nullopt}),
            Concat(kInvalid, "Invalid number of argument(s) for the BETWEEN ComparisonOperator"));
  EXPECT_EQ(
      ExpectedOutcome({std::nullopt, true, std::nullopt, list}),
      Concat(kInvalid,
             "AttributeValueList can only be used with a ComparisonOperator for Attribute: a"));
  EXPECT_EQ(ExpectedOutcome({}),
            Concat(kInvalid, "Value must be provided when Exists is null for Attribute: a"));
  EXPECT_EQ(ExpectedOutcome({std::nullopt, true, std::nullopt, std::nullopt}),
            Concat(kInvalid, "Value must be provided when Exists is true for Attribute: a"));
  EXPECT_EQ(ExpectedOutcome({n, false, std::nullopt, std::nullopt}),
            Concat(kInvalid, "Value cannot be used when Exists is false for Attribute: a"));
  EXPECT_EQ(ExpectedOutcome({std::nullopt, std::nullopt, Op::kNull, std::nullopt}), kOk);
}

TEST(LegacyExpected, Meaning) {
  const Item item = {{"a", Value::N(1)}};
  const auto matches = [&](const ExpectedAttributeValue& entry) {
    const Expected expected = {{"a", entry}};
    const auto condition = LowerExpected(expected, ConditionalOperator::kAnd);
    EXPECT_TRUE(condition.ok()) << condition.status();
    return std::pair(condition->Matches(item.view()), condition->Matches(ItemView()));
  };
  EXPECT_EQ(matches({.value = Value::N(1)}), std::pair(true, false));
  EXPECT_EQ(matches({.value = Value::N(2)}), std::pair(false, false));
  EXPECT_EQ(matches({.value = Value::N(1), .exists = true}), std::pair(true, false));
  EXPECT_EQ(matches({.exists = false}), std::pair(false, true));
  EXPECT_EQ(matches({.value = Value::N(0), .comparison_operator = Op::kGt}),
            std::pair(true, false));
  EXPECT_EQ(matches({.comparison_operator = Op::kNotNull}), std::pair(true, false));
}

TEST(LegacyKeyConditions, Errors) {
  const std::vector<Value> one = {Value::N(1)};
  const LegacyCondition equal = {Op::kEq, one};
  EXPECT_EQ(Outcome(LowerKeyConditions({})), "Conditions can be of length 1 or 2 only");
  // How many there may be is the key's concern.
  EXPECT_EQ(Outcome(LowerKeyConditions({{"a", equal}, {"b", equal}, {"c", equal}})), "OK");
  EXPECT_EQ(Outcome(LowerKeyConditions({{"a", {Op::kBetween, one}}})),
            Concat(kInvalid, "Invalid number of argument(s) for the BETWEEN ComparisonOperator"));
}

TEST(LegacyKeyConditions, Bind) {
  const KeySchema key = {{{"pk", Type::kNumber}}, {{"sk", Type::kNumber}}};
  const Filter conditions = {{"sk", {Op::kBetween, {{Value::N(1), Value::N(2)}}}},
                             {"pk", {Op::kEq, {{Value::N(7)}}}}};
  const auto parsed = LowerKeyConditions(conditions);
  ASSERT_TRUE(parsed.ok());
  const auto bound = parsed->Bind(key);
  ASSERT_TRUE(bound.ok());
  EXPECT_EQ(bound->range_operator, RangeOperator::kBetween);
  EXPECT_EQ(Value::Copy(*bound->high), Value::N(2));
  const Filter unequal = {{"pk", {Op::kGt, {{Value::N(7)}}}}};
  EXPECT_EQ(Outcome(LowerKeyConditions(unequal)->Bind(key)), "Query key condition not supported");
}

// Found once the key's attributes are.
TEST(LegacyKeyConditions, NotIndexable) {
  const KeySchema key = {{{"pk", Type::kNumber}}, {{"sk", Type::kNumber}}};
  const std::vector<Value> one = {Value::N(1)};
  const auto outcome = [&](const Filter& conditions) {
    return Outcome(LowerKeyConditions(conditions)->Bind(key));
  };
  const std::string refusal = "Attempted conditional constraint is not an indexable operation";
  for (Op comparison : {Op::kNe, Op::kIn, Op::kContains, Op::kNotContains}) {
    EXPECT_EQ(outcome({{"pk", {comparison, one}}}), refusal);
    EXPECT_EQ(outcome({{"pk", {Op::kEq, one}}, {"sk", {comparison, one}}}), refusal);
    EXPECT_EQ(outcome({{"sk", {comparison, one}}}),
              "Query condition missed key schema element: pk");
  }
  EXPECT_EQ(outcome({{"pk", {Op::kNull, std::nullopt}}}), refusal);
  EXPECT_EQ(outcome({{"pk", {Op::kEq, one}}, {"a", {Op::kNotNull, std::nullopt}}}),
            "Query condition missed key schema element: sk");
}

TEST(LegacyAttributeUpdates, Errors) {
  const auto outcome = [](const AttributeValueUpdate& update) {
    const Updates updates = {{"a", update}};
    return Outcome(LowerAttributeUpdates(updates));
  };
  const std::string only_delete =
      Concat(kInvalid, "Only DELETE action is allowed when no attribute value is specified");
  EXPECT_EQ(outcome({}), only_delete);
  EXPECT_EQ(outcome({std::nullopt, AttributeAction::kAdd}), only_delete);
  EXPECT_EQ(outcome({Value::S("s"), AttributeAction::kDelete}),
            Concat(kInvalid, "DELETE action with value is not supported for the type S"));
  EXPECT_EQ(outcome({Value::S("s"), AttributeAction::kAdd}),
            Concat(kInvalid, "ADD action is not supported for the type S"));
  EXPECT_EQ(outcome({Value::L({}), AttributeAction::kAdd}), kOk);
}

std::string Updated(const Updates& updates) {
  const Item item = {
      {"l", Value::L({Value::N(1)})}, {"n", Value::N(1)}, {"s", Value::SS({"a", "b"})}};
  const auto update = LowerAttributeUpdates(updates);
  EXPECT_TRUE(update.ok()) << update.status();
  const auto updated = update->Apply(item.view(), true);
  return updated.ok() ? DebugString(updated->view()) : Outcome(updated);
}

TEST(LegacyAttributeUpdates, Meaning) {
  const auto text = [](const Item& item) { return DebugString(item.view()); };
  EXPECT_EQ(Updated({{"n", {Value::N(2), AttributeAction::kAdd}},
                     {"l", {Value::L({Value::N(2)}), AttributeAction::kAdd}},
                     {"s", {Value::SS({"a", "c"}), AttributeAction::kDelete}},
                     {"x", {Value::S("new"), std::nullopt}}}),
            text({{"l", Value::L({Value::N(1), Value::N(2)})},
                  {"n", Value::N(3)},
                  {"s", Value::SS({"b"})},
                  {"x", Value::S("new")}}));
  EXPECT_EQ(Updated({{"n", {std::nullopt, AttributeAction::kDelete}},
                     {"l", {std::nullopt, AttributeAction::kDelete}},
                     {"s", {Value::SS({"a", "b"}), AttributeAction::kDelete}},
                     {"x", {Value::N(4), AttributeAction::kAdd}}}),
            text({{"x", Value::N(4)}}));
  EXPECT_EQ(Updated({{"n", {Value::SS({"a"}), AttributeAction::kAdd}}}),
            "Type mismatch for attribute to update");
  EXPECT_EQ(Updated({{"n", {Value::SS({"a"}), AttributeAction::kDelete}}}),
            "Type mismatch for attribute to update");
}

TEST(LegacyAttributeUpdates, CreatesItem) {
  const Updates deletes = {{"a", {std::nullopt, AttributeAction::kDelete}}};
  EXPECT_FALSE(LowerAttributeUpdates(deletes)->creates_item());
  const Updates puts = {{"a", {Value::N(1), AttributeAction::kPut}}};
  EXPECT_TRUE(LowerAttributeUpdates(puts)->creates_item());
  EXPECT_TRUE(LowerAttributeUpdates({})->creates_item());
  const Item item = {{"a", Value::N(1)}};
  EXPECT_TRUE(LowerAttributeUpdates({})->Touched(item.view()).empty());
}

TEST(LegacyAttributesToGet, DuplicatesAreErrors) {
  EXPECT_EQ(Outcome(LowerAttributesToGet({"a", "b", "a"})),
            Concat(kInvalid, "Duplicate value in attribute name: a"));
  EXPECT_EQ(Outcome(LowerAttributesToGet({"a", "b"})), kOk);
}

}  // namespace
}  // namespace dynolith
