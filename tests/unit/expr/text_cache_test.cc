// A thread keeps texts that it has parsed, without what their placeholders stood for: a request
// must not notice whether its text was known, neither by a result nor by an error.
#include "engine/expr/text_cache.h"

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/expr/sample_request.h"

namespace dynolith {
namespace {

// What became of one text for a request that says `name` and `value`.
struct Results {
  std::string condition;
  std::string key_condition;
  std::string projection;
  std::string update;
  std::string unused;

  friend bool operator==(const Results&, const Results&) = default;
};

template <typename Parsed, typename Show>
std::string Shown(const absl::StatusOr<Parsed>& parsed, const Show& show) {
  return parsed.ok() ? show(*parsed) : Outcome(parsed);
}

Results EvaluateAll(std::string_view name, const std::optional<Value>& value) {
  AttributeNames names = {{"#n", std::string(name)}};
  Item values = {{":other", Value::N(1)}};
  if (value) values.Set(":v", *value);
  const Item item = {{"a", Value::N(7)}, {"b", Value::S("text")}};
  Placeholders used(&names, &values);
  Results results;
  results.condition = Shown(
      Condition::Parse("#n = :v AND NOT attribute_type(a, :v)", ExpressionKind::kFilter, &used),
      [&](const Condition& condition) { return condition.Matches(item.view()) ? "yes" : "no"; });
  results.key_condition = Shown(ParsedKeyCondition::Parse("#n BETWEEN :v AND :v", &used),
                                [](const ParsedKeyCondition& condition) {
                                  return std::string(condition.clauses()[0].attribute);
                                });
  results.projection = Shown(Projection::Parse("#n, a", &used), [&](const Projection& projection) {
    const Item selected = projection.Apply(item.view());
    return DebugString(selected.view());
  });
  results.update =
      Shown(Update::Parse("SET #n = :other ADD a :v", &used), [&](const Update& update) {
        const auto updated = update.Apply(item.view(), true);
        return updated.ok() ? DebugString(updated->view()) : Outcome(updated);
      });
  results.unused = Outcome(used.CheckAllUsed());
  return results;
}

TEST(TextCache, AKnownTextTellsTheSame) {
  struct Request {
    std::string name;
    std::optional<Value> value;
  };
  const std::vector<Request> requests = {{"b", Value::S("S")}, {"b", Value::N(2)},
                                         {"c", Value::N(3)},   {"a", Value::S("N")},
                                         {"b", std::nullopt},  {"c", Value::S("none")}};
  for (int turn = 0; turn < 2; ++turn) {
    for (size_t i = 0; i < requests.size(); ++i) {
      const Results here = EvaluateAll(requests[i].name, requests[i].value);
      // A thread of its own knows no text.
      Results fresh;
      std::thread([&] { fresh = EvaluateAll(requests[i].name, requests[i].value); }).join();
      EXPECT_EQ(here, fresh) << i;
    }
  }
  EXPECT_EQ(EvaluateAll("b", Value::N(2)).update, "{a: N 9, b: N 1}");
  EXPECT_EQ(EvaluateAll("c", Value::N(2)).update, R"({a: N 9, b: S "text", c: N 1})");
  EXPECT_EQ(EvaluateAll("b", Value::S("S")).update,
            "Invalid UpdateExpression: Incorrect operand type for operator or function; operator: "
            "ADD, operand type: STRING");
}

TEST(TextCache, KindsAreKeptApart) {
  const SampleRequest request;
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(Outcome(request.ParseCondition("a = :unknown", ExpressionKind::kFilter)),
              "Invalid FilterExpression: An expression attribute value used in expression is not "
              "defined; attribute value: :unknown");
    EXPECT_EQ(Outcome(request.ParseCondition("a = :unknown")),
              "Invalid ConditionExpression: An expression attribute value used in expression is "
              "not defined; attribute value: :unknown");
  }
}

// What took a text's place must not take the names from under those who still use it.
TEST(TextCache, WhatIsParsedOutlivesItsPlace) {
  const SampleRequest request;
  const std::string text = "an_attribute_with_a_long_name = :s";
  const auto condition = request.ParseCondition(text);
  const auto update = request.ParseUpdate("SET an_attribute_with_a_long_name = :s");
  const auto key = request.ParseKeyCondition(text);
  ASSERT_TRUE(condition.ok() && update.ok() && key.ok());
  for (size_t i = 0; i < 20 * TextCache<int>::kTextsMax; ++i) {
    const std::string other = "a" + std::to_string(i);
    ASSERT_TRUE(request.ParseCondition(other + " = :s").ok());
    ASSERT_TRUE(request.ParseKeyCondition(other + " = :s").ok());
    ASSERT_TRUE(request.ParseUpdate("SET " + other + " = :s").ok());
  }
  const auto item = update->Apply(ItemView(), true);
  ASSERT_TRUE(item.ok());
  EXPECT_EQ(DebugString(item->view()), R"({an_attribute_with_a_long_name: S "s"})");
  EXPECT_TRUE(condition->Matches(item->view()));
  EXPECT_EQ(key->clauses()[0].attribute, "an_attribute_with_a_long_name");
}

}  // namespace
}  // namespace dynolith
