// Key conditions: what a key condition may not say, how it binds to a schema, and the order of both
// kinds of errors (api/facts/expressions.md §5, api/facts/newest.md §1).
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/expr/sample_request.h"

namespace dynolith {
namespace {

struct KeyConditionCase {
  std::string_view text;
  std::string_view outcome;
};

TEST(KeyConditionParse, Errors) {
  const SampleRequest request;
  const std::vector<KeyConditionCase> cases = {
      {"a = :s OR b = :s", "Invalid operator used in KeyConditionExpression: OR"},
      {"NOT a = :s", "Invalid operator used in KeyConditionExpression: NOT"},
      {"NOT a = :s OR b = :s", "Invalid operator used in KeyConditionExpression: OR"},
      {"a = :s AND (b = :s OR b = :t)", "Invalid operator used in KeyConditionExpression: OR"},
      {"a.k = :s AND (b = :s OR b = :t)",
       "KeyConditionExpressions cannot have conditions on nested attributes"},
      {"a IN (:s)", "Invalid operator used in KeyConditionExpression: IN"},
      {"a <> :s", "Invalid operator used in KeyConditionExpression: <>"},
      {"attribute_exists(a)", "Invalid operator used in KeyConditionExpression: attribute_exists"},
      {"attribute_not_exists(a)",
       "Invalid operator used in KeyConditionExpression: attribute_not_exists"},
      {"attribute_type(a, :type_s)",
       "Invalid operator used in KeyConditionExpression: attribute_type"},
      {"contains(a, :s)", "Invalid operator used in KeyConditionExpression: contains"},
      {"size(a) = :n", "KeyConditionExpressions cannot contain nested operations"},
      {":s BETWEEN a AND :t",
       "Invalid condition in KeyConditionExpression: BETWEEN operator must have the key attribute "
       "as its first operand"},
      {"begins_with(:s, a)",
       "Invalid condition in KeyConditionExpression: begins_with operator must have the key "
       "attribute as its first operand"},
      {"a = b",
       "Invalid condition in KeyConditionExpression: Multiple attribute names used in one "
       "condition"},
      {"a BETWEEN b AND :s",
       "Invalid condition in KeyConditionExpression: Multiple attribute names used in one "
       "condition"},
      {"a.k = :s", "KeyConditionExpressions cannot have conditions on nested attributes"},
      {"a[0] = :s", "KeyConditionExpressions cannot have conditions on nested attributes"},
      {":s = :t", "Invalid condition in KeyConditionExpression: No key attribute specified"},
      {"a = :s AND #a > :t",
       "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition "
       "per key"},
      {"begins_with(a, :n)",
       "Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator "
       "or function: begins_with, operand type: N"},
      {"a < :bool",
       "Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator "
       "or function: <, operand type: BOOL"},
      {"a BETWEEN :null AND :s",
       "Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator "
       "or function: BETWEEN, operand type: NULL"},
      {"a = :x AND begins_with(b, :n)",
       "Invalid KeyConditionExpression: An expression attribute value used in expression is not "
       "defined; attribute value: :x"},
      {"begins_with(b, :n) AND a = :x",
       "Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator "
       "or function: begins_with, operand type: N"},
      {"(a = :s)", kOk},
      {"((a = :s) AND (b = :s))", kOk},
      {"a = :bool", kOk},
      {"a = :s AND b = :s AND c = :s", kOk},
  };
  for (const auto& [text, outcome] : cases) {
    EXPECT_EQ(Outcome(request.ParseKeyCondition(text)), outcome) << text;
  }
}

const KeySchema& HashOnly() {
  static const KeySchema key = {{{"pk", Type::kString}}, {}};
  return key;
}
const KeySchema& HashAndRange() {
  static const KeySchema key = {{{"pk", Type::kString}}, {{"sk", Type::kNumber}}};
  return key;
}
const KeySchema& ManyAttributes() {
  static const KeySchema key = {
      {{"h1", Type::kString}, {"h2", Type::kNumber}},
      {{"r1", Type::kString}, {"r2", Type::kNumber}, {"r3", Type::kString}}};
  return key;
}

std::string BindOutcome(std::string_view text, const KeySchema& key) {
  const SampleRequest request;
  const auto parsed = request.ParseKeyCondition(text);
  return parsed.ok() ? Outcome(parsed->Bind(key)) : Outcome(parsed);
}

TEST(KeyConditionBind, Errors) {
  const std::string missed_pk = "Query condition missed key schema element: pk";
  const std::string missed_sk = "Query condition missed key schema element: sk";
  const std::string unsupported = "Query key condition not supported";
  const std::string type_mismatch =
      "One or more parameter values were invalid: Condition parameter type does not match schema "
      "type";
  EXPECT_EQ(BindOutcome("sk = :n", HashAndRange()), missed_pk);
  EXPECT_EQ(BindOutcome("extra = :n", HashAndRange()), missed_pk);
  EXPECT_EQ(BindOutcome("sk = :n AND extra = :n", HashAndRange()), missed_pk);
  EXPECT_EQ(BindOutcome("pk = :s AND extra = :n", HashAndRange()), missed_sk);
  EXPECT_EQ(BindOutcome("pk > :s", HashAndRange()), unsupported);
  EXPECT_EQ(BindOutcome("begins_with(pk, :s) AND sk = :n", HashAndRange()), unsupported);
  EXPECT_EQ(BindOutcome("pk = :s AND sk = :n", HashOnly()), unsupported);
  EXPECT_EQ(BindOutcome("pk = :s AND sk = :n AND extra = :n", HashAndRange()),
            "The number of query conditions (3) exceeds the number of key attributes defined in "
            "the schema (2)");
  EXPECT_EQ(BindOutcome("pk = :n", HashAndRange()), type_mismatch);
  EXPECT_EQ(BindOutcome("pk = :bool", HashAndRange()), type_mismatch);
  EXPECT_EQ(BindOutcome("pk = :s AND begins_with(sk, :s)", HashAndRange()), type_mismatch);
  EXPECT_EQ(BindOutcome("pk = :s AND sk BETWEEN :s AND :t", HashAndRange()), type_mismatch);
  EXPECT_EQ(BindOutcome("pk = :empty", HashAndRange()),
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: pk");
}

TEST(KeyConditionBind, SeveralAttributesErrors) {
  const KeySchema& key = ManyAttributes();
  EXPECT_EQ(BindOutcome("h1 = :s AND r1 = :s", key),
            "HASH key attributes h2 must have equality conditions specified in the query");
  EXPECT_EQ(BindOutcome("h1 = :s AND h2 > :n", key),
            "HASH key attributes h2 must have equality conditions specified in the query");
  EXPECT_EQ(BindOutcome("h1 = :s AND h2 = :n AND r2 = :n", key),
            "RANGE key attributes r1 must have equality conditions specified in the query because "
            "a condition is present on key attribute r2");
  EXPECT_EQ(BindOutcome("h1 = :s AND h2 = :n AND r1 > :s AND r2 > :n", key),
            "RANGE key attributes r1 must have equality conditions specified in the query because "
            "a condition is present on key attribute r2");
  EXPECT_EQ(BindOutcome("h1 = :s AND h2 = :n AND r3 = :s", key),
            "RANGE key attributes r1, r2 must have equality conditions specified in the query "
            "because a condition is present on key attribute r3");
  EXPECT_EQ(BindOutcome("h1 = :s AND h2 = :n AND r1 = :s AND r2 = :n AND r3 = :s AND x = :s", key),
            "The number of query conditions (6) exceeds the number of key attributes defined in "
            "the schema (5)");
}

KeyCondition Bound(const SampleRequest& request, std::string_view text, const KeySchema& key) {
  const auto parsed = request.ParseKeyCondition(text);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  const auto bound = parsed->Bind(key);
  EXPECT_TRUE(bound.ok()) << bound.status();
  return *bound;
}

TEST(KeyConditionBind, RangeOperators) {
  const SampleRequest request;
  const auto operator_of = [&](std::string_view text) {
    return Bound(request, text, HashAndRange()).range_operator;
  };
  EXPECT_EQ(operator_of("pk = :s"), RangeOperator::kNone);
  EXPECT_EQ(operator_of("sk < :n AND pk = :s"), RangeOperator::kLess);
  EXPECT_EQ(operator_of("pk = :s AND sk <= :n"), RangeOperator::kLessEqual);
  EXPECT_EQ(operator_of("pk = :s AND sk > :n"), RangeOperator::kGreater);
  EXPECT_EQ(operator_of("pk = :s AND sk >= :n"), RangeOperator::kGreaterEqual);
  EXPECT_EQ(operator_of(":s = pk AND :n < sk"), RangeOperator::kGreater);
  EXPECT_EQ(operator_of(":s = pk AND :n <= sk"), RangeOperator::kGreaterEqual);
  EXPECT_EQ(operator_of(":s = pk AND :n > sk"), RangeOperator::kLess);
  EXPECT_EQ(operator_of(":s = pk AND :n >= sk"), RangeOperator::kLessEqual);
  const KeyCondition between = Bound(request, "pk = :s AND sk BETWEEN :n AND :m", HashAndRange());
  EXPECT_EQ(between.range_operator, RangeOperator::kBetween);
  EXPECT_EQ(Value::Copy(*between.low), Value::N(1));
  EXPECT_EQ(Value::Copy(*between.high), Value::N(2));
  const KeyCondition equal = Bound(request, "sk = :n AND pk = :s", HashAndRange());
  EXPECT_EQ(equal.range_operator, RangeOperator::kNone);
  ASSERT_EQ(equal.range_equals.size(), 1u);
  EXPECT_EQ(Value::Copy(equal.range_equals[0]), Value::N(1));
  ASSERT_EQ(equal.hash_equals.size(), 1u);
  EXPECT_EQ(Value::Copy(equal.hash_equals[0]), Value::S("s"));
}

TEST(KeyConditionBind, SeveralAttributes) {
  const SampleRequest request;
  const KeyCondition bound =
      Bound(request, "r2 BETWEEN :n AND :m AND h2 = :n AND r1 = :t AND h1 = :s", ManyAttributes());
  ASSERT_EQ(bound.hash_equals.size(), 2u);
  EXPECT_EQ(Value::Copy(bound.hash_equals[0]), Value::S("s"));
  EXPECT_EQ(Value::Copy(bound.hash_equals[1]), Value::N(1));
  ASSERT_EQ(bound.range_equals.size(), 1u);
  EXPECT_EQ(Value::Copy(bound.range_equals[0]), Value::S("t"));
  EXPECT_EQ(bound.range_operator, RangeOperator::kBetween);
  const KeyCondition all =
      Bound(request, "h1 = :s AND h2 = :n AND r1 = :t AND r2 = :n AND begins_with(r3, :s)",
            ManyAttributes());
  EXPECT_EQ(all.range_equals.size(), 2u);
  EXPECT_EQ(all.range_operator, RangeOperator::kBeginsWith);
}

}  // namespace
}  // namespace dynolith
