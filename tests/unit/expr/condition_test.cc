// What conditions are true of which items (api/facts/expressions.md §3-§4, api/facts/values.md §9).
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/expr/sample_request.h"

namespace dynolith {
namespace {

Item ConditionItem() {
  return Item({{"a", Value::S("s")},
               {"b", Value::N(2)},
               {"bin", Value::B("wxyz")},
               {"empty_list", Value::L({})},
               {"flag", Value::Bool(true)},
               {"l1", Value::L({Value::S("s"), Value::N(1), Value::M({{"k", Value::N(1)}})})},
               {"m1", Value::M({{"k", Value::N(1)}})},
               {"nil", Value::Null()},
               {"ns1", Value::NS({Number::FromInt64(2), Number::FromInt64(1)})},
               {"ss1", Value::SS({"s", "t"})},
               {"word", Value::S("history")},
               {"unicode", Value::S("é€")},
               {"x.y[0]", Value::S("odd name")}});
}

struct ConditionCase {
  std::string_view text;
  bool matches;
};

void ExpectMatches(const std::vector<ConditionCase>& cases) {
  const SampleRequest request;
  const Item item = ConditionItem();
  for (const auto& [text, matches] : cases) {
    const auto condition = request.ParseCondition(text);
    ASSERT_TRUE(condition.ok()) << text << ": " << condition.status();
    EXPECT_EQ(condition->Matches(item.view()), matches) << text;
  }
}

TEST(ConditionMatches, Equality) {
  ExpectMatches({
      {"a = :s", true},         {"a = :t", false},        {"a = :n", false},
      {":s = a", true},         {"a <> :t", true},        {"a <> :n", true},
      {"a <> :s", false},       {"absent = :s", false},   {"absent <> :s", true},
      {"absent = gone", false}, {"absent <> gone", true}, {"ns1 = :ns", true},
      {"ss1 = :ss", false},     {"m1 = :map", true},      {"l1[2] = m1", true},
      {"flag = :bool", true},   {"nil = :null", true},    {"#dots <> :s", true},
      {"l1[0] = a", true},      {"l1[2].k = :n", true},   {"l1[3] = :s", false},
      {"m1[0] = :n", false},    {"l1.k = :n", false},     {"a.k = :n", false},
  });
}

TEST(ConditionMatches, Order) {
  ExpectMatches({
      {"b < :n5", true},
      {"b < :m", false},
      {"b <= :m", true},
      {"b > :n", true},
      {"b >= :m", true},
      {"b > :m", false},
      {"a < :t", true},
      {"a < :n", false},
      {"bin > :b", false},
      {"bin < :b", true},
      {"flag < :n", false},
      {"absent < :n", false},
      {"b < a", false},
      {"l1 < :n", false},
      {"absent >= :n", false},
      {"b BETWEEN :n AND :n5", true},
      {"b BETWEEN :m AND :m", true},
      {"b BETWEEN :n5 AND :n5", false},
      {"b BETWEEN :s AND :t", false},
      {"absent BETWEEN :n AND :n5", false},
      {"b BETWEEN absent AND :n5", false},
      {":m BETWEEN :n AND b", true},
  });
}

TEST(ConditionMatches, In) {
  ExpectMatches({
      {"a IN (:n, :s)", true},
      {"a IN (:n, :t)", false},
      {"a IN (l1[0])", true},
      {"absent IN (:n, gone)", false},
      {"m1 IN (:map)", true},
  });
}

TEST(ConditionMatches, Functions) {
  ExpectMatches({
      {"attribute_exists(a)", true},
      {"attribute_exists(nil)", true},
      {"attribute_exists(l1[2].k)", true},
      {"attribute_exists(l1[9])", false},
      {"attribute_not_exists(absent)", true},
      {"attribute_not_exists(a)", false},
      {"attribute_type(a, :type_s)", true},
      {"attribute_type(b, :type_s)", false},
      {"attribute_type(absent, :type_s)", false},
      {"attribute_type(:s, :type_s)", true},
      {"attribute_type(:n, :type_s)", false},
      {"attribute_type(size(a), :type_s)", false},
      {"begins_with(a, :s)", true},
      {"begins_with(word, a)", false},
      {"begins_with(word, :empty)", true},
      {"begins_with(bin, :b)", false},
      {"begins_with(b, :s)", false},
      {"begins_with(bin, :s)", false},
      {"begins_with(absent, :s)", false},
      {"contains(word, :t)", true},
      {"contains(word, :n)", false},
      {"contains(bin, :b)", true},
      {"contains(ss1, :s)", true},
      {"contains(ss1, :n)", false},
      {"contains(ns1, :m)", true},
      {"contains(ns1, :n5)", false},
      {"contains(l1, :s)", true},
      {"contains(l1, :map)", true},
      {"contains(l1, :m)", false},
      {"contains(m1, :s)", false},
      {"contains(absent, :s)", false},
      {"contains(:ss, absent)", false},
      {"contains(ns1, size(a))", true},
  });
}

TEST(ConditionMatches, Size) {
  ExpectMatches({
      {"size(a) = :n", true},
      {"size(word) > :n5", true},
      {"size(unicode) = :n5", true},  // UTF-8 bytes: 2 + 3
      {"size(bin) >= :n5", false},
      {"size(ss1) = :m", true},
      {"size(m1) = :n", true},
      {"size(empty_list) < :n", true},
      {"size(l1) BETWEEN :n AND :n5", true},
      {"size(:s) = :n", true},
      {"size(a) IN (:m, :n)", true},
      {"size(a) = size(m1)", true},
      {"size(b) = :n", false},
      {"size(b) <> :n", false},
      {"size(flag) <> :n", false},
      {"size(absent) <> :n", false},
      {"NOT size(absent) = :n", true},
      {"size(a) = :s", false},
  });
}

TEST(ConditionMatches, Precedence) {
  ExpectMatches({
      // AND binds tighter than OR: true OR (false AND false).
      {"a = :s OR a = :t AND a = :t", true},
      {"(a = :s OR a = :t) AND a = :t", false},
      {"a = :t AND a = :t OR a = :s", true},
      {"a = :t AND (a = :t OR a = :s)", false},
      // NOT binds tighter than AND.
      {"NOT a = :t AND a = :s", true},
      {"NOT a = :s AND a = :t", false},
      {"NOT (a = :s AND a = :t)", true},
      {"NOT a = :s OR a = :s", true},
      {"NOT (a = :s OR a = :s)", false},
      {"NOT (NOT a = :s)", true},
      {"NOT NOT a = :s", true},
      {"NOT NOT NOT a = :s", false},
      // BETWEEN takes its own AND first.
      {"b BETWEEN :n AND :n5 AND a = :s", true},
      {"b BETWEEN :n AND :n5 AND a = :t", false},
      {"NOT b BETWEEN :n AND :n5 OR a = :t", false},
      {"a = :t OR a = :t OR a = :s", true},
      {"a = :s AND a = :s AND a = :t", false},
      {"(a = :t OR a = :s) AND (a = :t OR (a = :s AND NOT a = :t))", true},
  });
}

TEST(ConditionMatches, TheEmptyItem) {
  const SampleRequest request;
  EXPECT_TRUE(request.ParseCondition("attribute_not_exists(a)")->Matches(ItemView()));
  EXPECT_FALSE(request.ParseCondition("a = :s")->Matches(ItemView()));
}

// Every formula over three variables, against the truth that the compiler computes.
TEST(ConditionMatches, TruthTables) {
  const SampleRequest request;
  for (int bits = 0; bits < 8; ++bits) {
    const bool x = bits & 1;
    const bool y = bits & 2;
    const bool z = bits & 4;
    Item item;
    if (x) item.Set("vx", Value::N(1));
    if (y) item.Set("vy", Value::N(1));
    if (z) item.Set("vz", Value::N(1));
    const auto matches = [&](std::string_view text) {
      return request.ParseCondition(text)->Matches(item.view());
    };
    EXPECT_EQ(matches("vx=:n AND vy=:n OR vz=:n"), (x && y) || z);
    EXPECT_EQ(matches("vx=:n OR vy=:n AND vz=:n"), x || (y && z));
    EXPECT_EQ(matches("NOT vx=:n OR vy=:n AND NOT vz=:n"), !x || (y && !z));
    EXPECT_EQ(matches("NOT (vx=:n OR vy=:n) AND vz=:n"), !(x || y) && z);
    EXPECT_EQ(matches("NOT (NOT vx=:n AND (vy=:n OR NOT vz=:n))"), !(!x && (y || !z)));
    EXPECT_EQ(matches("(vx=:n OR vy=:n) AND (vy=:n OR vz=:n) AND NOT (vx=:n AND vz=:n)"),
              (x || y) && (y || z) && !(x && z));
  }
}

TEST(ConditionPaths, AreGivenInTextOrder) {
  const SampleRequest request;
  const auto condition =
      request.ParseCondition("#b[1].c = :s OR contains(z, size(#a)) AND k BETWEEN d AND :s");
  ASSERT_TRUE(condition.ok());
  std::string paths;
  condition->ForEachPath([&](const Path& path) { paths += path.ToString(); });
  EXPECT_EQ(paths, "[b, [1], c][z][a][k][d]");
}

// Why: a search looks only at the entries with the value that is required of the index's key, so a
// value that some match may lack must not be among them.
TEST(ConditionRequiredEquals, AreThoseOfEveryMatch) {
  const SampleRequest request;
  const auto required = [&](std::string_view text) {
    const auto condition = request.ParseCondition(text);
    EXPECT_TRUE(condition.ok()) << text << ": " << condition.status();
    std::string values;
    for (const ValueView value : condition->RequiredEquals("a")) values += value.string();
    return values;
  };
  EXPECT_EQ(required("a = :s"), "s");
  EXPECT_EQ(required("b = :t AND (a = :s) AND c = :t"), "s");
  EXPECT_EQ(required("(b = :t OR c = :t) AND a = :s"), "s");
  EXPECT_EQ(required("a = :s AND NOT b = :t AND a = :t"), "st");
  for (const std::string_view text :
       {"a = :s OR b = :t", "b = :t OR a = :s", "NOT a = :s", "NOT (b = :t AND a = :s)",
        "b = :t AND (c = :t OR a = :s)", "a <> :s", "a IN (:s)", "a BETWEEN :s AND :s", "a.b = :s",
        "a = c", "begins_with(a, :s)", "b = :s"}) {
    EXPECT_EQ(required(text), "") << text;
  }
}

}  // namespace
}  // namespace dynolith
