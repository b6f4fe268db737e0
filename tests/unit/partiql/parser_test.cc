// What statements become, and that a hostile one ends in an error (api/facts/operations.md §4.1,
// §4.3). The texts of tests/testdata/execute_statement show what they do and how they are refused.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/errors.h"
#include "engine/expr/expression.h"
#include "engine/partiql/statement.h"
#include "gtest/gtest.h"

namespace dynolith::partiql {
namespace {

const std::vector<Value>& NoParameters() {
  static const std::vector<Value>& none = *new std::vector<Value>();
  return none;
}

std::unique_ptr<Statement> MustParse(std::string_view text,
                                     const std::vector<Value>& parameters = NoParameters()) {
  auto statement = Parse(text, parameters);
  EXPECT_TRUE(statement.ok()) << text << ": " << statement.status();
  return statement.ok() ? *std::move(statement) : std::make_unique<Statement>();
}

std::string ParseErrorText(std::string_view text) {
  const auto statement = Parse(text, NoParameters());
  EXPECT_FALSE(statement.ok()) << text;
  return statement.ok() ? "" : std::string(MessageOf(statement.status()));
}

TEST(Select, ColumnsTableIndexOrder) {
  const auto statement = MustParse(
      "select a, \"b\".c[2] from \"my-table\".\"my.index\" where a = 1 order by a desc, b;");
  EXPECT_EQ(statement->kind, StatementKind::kSelect);
  EXPECT_TRUE(statement->is_read());
  EXPECT_EQ(statement->table, "my-table");
  EXPECT_EQ(statement->index, "my.index");
  ASSERT_EQ(statement->columns.size(), 2U);
  EXPECT_EQ(statement->columns[1].ToString(), "[b, c, [2]]");
  ASSERT_EQ(statement->order_by.size(), 2U);
  EXPECT_TRUE(statement->order_by[0].descending);
  EXPECT_FALSE(statement->order_by[1].descending);
}

// Only what must hold of every answer may bound a read.
TEST(Where, ConjunctsAreTheOutermostConjunction) {
  const auto plain = MustParse("SELECT * FROM t WHERE a = 1 AND 2 < b AND (c BETWEEN 1 AND 2)");
  ASSERT_EQ(plain->conjuncts.size(), 3U);
  EXPECT_EQ(plain->conjuncts[0].test, StepKind::kEqual);
  EXPECT_EQ(plain->conjuncts[1].attribute, "b");
  EXPECT_EQ(plain->conjuncts[1].test, StepKind::kGreater);
  EXPECT_EQ(plain->conjuncts[2].values.size(), 2U);
  for (const std::string_view text :
       {"SELECT * FROM t WHERE a = 1 OR b = 2", "SELECT * FROM t WHERE NOT a = 1",
        "SELECT * FROM t WHERE NOT NOT (a = 1 AND b = 1)", "SELECT * FROM t WHERE a NOT IN [1, 2]",
        "SELECT * FROM t WHERE a <> 1", "SELECT * FROM t WHERE a.b = 1",
        "SELECT * FROM t WHERE size(a) = 1", "SELECT * FROM t WHERE a = b",
        "SELECT * FROM t WHERE a = size('x')", "SELECT * FROM t WHERE a BETWEEN size('x') AND 3",
        "SELECT * FROM t WHERE a IN (1, size('x'))"}) {
    EXPECT_TRUE(MustParse(text)->conjuncts.empty()) << text;
  }
  const auto mixed = MustParse("SELECT * FROM t WHERE a = 1 AND (b = 1 OR c = 1)");
  ASSERT_EQ(mixed->conjuncts.size(), 1U);
  EXPECT_EQ(mixed->conjuncts[0].attribute, "a");
}

// Alternatives of one attribute are a list of its values, if each alternative gives one.
TEST(Where, AlternativesOfOneAttributeAreOneConjunct) {
  const auto plain = MustParse("SELECT * FROM t WHERE (a = 1 OR 2 = a OR a = 3) AND b = 4");
  ASSERT_EQ(plain->conjuncts.size(), 2U);
  EXPECT_EQ(plain->conjuncts[0].attribute, "a");
  EXPECT_EQ(plain->conjuncts[0].test, StepKind::kIn);
  EXPECT_EQ(plain->conjuncts[0].values.size(), 3U);
  const auto narrower = MustParse("SELECT * FROM t WHERE a = 1 AND b <> 2 OR a = 3");
  ASSERT_EQ(narrower->conjuncts.size(), 1U);
  EXPECT_EQ(narrower->conjuncts[0].values.size(), 2U);
  for (const std::string_view text :
       {"SELECT * FROM t WHERE a = 1 OR b = 2", "SELECT * FROM t WHERE a = 1 OR a > 2",
        "SELECT * FROM t WHERE b <> 1 OR (a = 1 AND a = 2)",
        "SELECT * FROM t WHERE (a = 1 AND a = 2) OR b <> 1",
        "SELECT * FROM t WHERE NOT (a = 1 OR a = 2)",
        "SELECT * FROM t WHERE (a = 1 OR a = 2) OR b = 1"}) {
    EXPECT_TRUE(MustParse(text)->conjuncts.empty()) << text;
  }
}

TEST(Where, BindsAndBeforeOr) {
  const auto statement = MustParse("SELECT * FROM t WHERE a = 1 OR a = 2 AND NOT (b = 1 OR b = 2)");
  const Condition condition = Condition::FromAst(statement->where);
  const auto matches = [&condition](int a, int b) {
    const Item item({{"a", Value::N(a)}, {"b", Value::N(b)}});
    return condition.Matches(item.view());
  };
  EXPECT_TRUE(matches(1, 1));
  EXPECT_TRUE(matches(2, 3));
  EXPECT_FALSE(matches(2, 2));
  EXPECT_FALSE(matches(3, 3));
}

TEST(Where, MissingAndNullAreDifferent) {
  const Item null({{"a", Value::Null()}});
  const Item none({{"b", Value::Null()}});
  const auto missing = MustParse("SELECT * FROM t WHERE a IS MISSING");
  EXPECT_TRUE(Condition::FromAst(missing->where).Matches(none.view()));
  EXPECT_FALSE(Condition::FromAst(missing->where).Matches(null.view()));
  const auto is_null = MustParse("SELECT * FROM t WHERE a IS NULL");
  EXPECT_FALSE(Condition::FromAst(is_null->where).Matches(none.view()));
  EXPECT_TRUE(Condition::FromAst(is_null->where).Matches(null.view()));
  const auto not_null = MustParse("SELECT * FROM t WHERE a IS NOT NULL");
  EXPECT_TRUE(Condition::FromAst(not_null->where).Matches(none.view()));
}

TEST(Insert, TheTupleIsTheItem) {
  const std::vector<Value> parameters = {Value::S("p"), Value::NS({Number::FromInt64(1)})};
  const auto statement = MustParse(
      "INSERT INTO t VALUE {'pk': ?, \"n\": -.5, 'l': [true, NULL, {'k': <<'b', 'a'>>}], 's': ?}",
      parameters);
  const Item expected({{"pk", Value::S("p")},
                       {"n", Value::ParseN("-0.5").value()},
                       {"l", Value::L({Value::Bool(true), Value::Null(),
                                       Value::M({{"k", Value::SS({"a", "b"})}})})},
                       {"s", Value::NS({Number::FromInt64(1)})}});
  EXPECT_EQ(statement->item.view(), expected.view());
}

TEST(Update, ActionsOfSeveralClauses) {
  const auto statement = MustParse(
      "UPDATE t SET a = a + 1, b = if_not_exists(b, 5) REMOVE c SET s = set_add(s, <<1>>) "
      "WHERE pk = 1 RETURNING ALL NEW *");
  EXPECT_EQ(statement->kind, StatementKind::kUpdate);
  EXPECT_EQ(statement->returning, Returning::kAllNew);
  EXPECT_EQ(statement->update.actions.size(), 4U);
  const Item before({{"a", Value::N(1)}, {"c", Value::N(1)}, {"pk", Value::N(1)}});
  const auto after = Update::FromActions(statement->update).Apply(before.view(), true);
  ASSERT_TRUE(after.ok()) << after.status();
  const Item expected({{"a", Value::N(2)},
                       {"b", Value::N(5)},
                       {"pk", Value::N(1)},
                       {"s", Value::NS({Number::FromInt64(1)})}});
  EXPECT_EQ(after->view(), expected.view());
}

TEST(Exists, HoldsASelect) {
  const auto statement = MustParse("EXISTS (SELECT * FROM t WHERE pk = 1 AND a = 2)");
  EXPECT_EQ(statement->kind, StatementKind::kExists);
  EXPECT_FALSE(statement->is_read());
  EXPECT_EQ(statement->conjuncts.size(), 2U);
}

// A statement must not exhaust the stack, whatever it nests.
TEST(Nesting, IsBounded) {
  const auto repeat = [](std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  constexpr std::string_view kTooDeep = "Nesting Levels have exceeded supported limits";
  for (const std::string_view open : {"[", "{'a':"}) {
    EXPECT_NE(ParseErrorText("SELECT * FROM t WHERE a = " + repeat(open, 20'000)).find(kTooDeep),
              std::string::npos);
  }
  for (const std::string_view open : {"(", "NOT (", "size(", "<<", "<<[", "list_append("}) {
    ParseErrorText("SELECT * FROM t WHERE " + repeat(open, 20'000));
    ParseErrorText("SELECT * FROM t WHERE a = " + repeat(open, 20'000));
    ParseErrorText("UPDATE t SET a = " + repeat(open, 20'000));
    ParseErrorText("INSERT INTO t VALUE " + repeat(open, 20'000));
  }
}

// An item's own map does not count; 31 lists and maps inside may stand around a value.
TEST(Nesting, OfValuesIsTheServices) {
  const auto insert = [](int lists) {
    return "INSERT INTO t VALUE {'a': " + std::string(lists, '[') + "1" + std::string(lists, ']') +
           "}";
  };
  MustParse(insert(31));
  EXPECT_NE(ParseErrorText(insert(32)).find("Nesting Levels"), std::string::npos);
}

TEST(Bags, AreOfOneScalarType) {
  EXPECT_NE(ParseErrorText("INSERT INTO t VALUE {'a': <<1, 'a'>>}").find("Unexpected term"),
            std::string::npos);
  EXPECT_NE(ParseErrorText("INSERT INTO t VALUE {'a': <<true>>}").find("Unexpected term"),
            std::string::npos);
  EXPECT_EQ(ParseErrorText("INSERT INTO t VALUE {'a': <<1, 1.0>>}"),
            "Input collection contains duplicates");
}

TEST(Numbers, SayWhereTheyStand) {
  const std::string overflow =
      "Number overflow. Attempting to store a number with magnitude larger than supported range";
  EXPECT_EQ(ParseErrorText("INSERT INTO t VALUE {'x': 1E126}"), overflow + " under root");
  EXPECT_EQ(ParseErrorText("INSERT INTO t VALUE {'l': [{'y': 0}, {'y': 1E126}]}"),
            overflow + " under root[1].y");
  EXPECT_EQ(ParseErrorText("UPDATE t SET l = {'l': [{'y': 0}, {'y': 1E126}]} WHERE a = 1"),
            overflow + " under root.l[1].y");
  EXPECT_EQ(ParseErrorText("SELECT * FROM t WHERE a = [1, -1E126]"), overflow + " under root[1]");
}

}  // namespace
}  // namespace dynolith::partiql
