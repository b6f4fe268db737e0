// Projections: their errors in order, and what they leave of an item (api/facts/expressions.md §6).
#include <string>
#include <string_view>

#include "engine/value/dissect.h"
#include "gtest/gtest.h"
#include "tests/unit/expr/sample_request.h"

namespace dynolith {
namespace {

std::string ProjectionError(std::string_view text) {
  const SampleRequest request;
  return Outcome(request.ParseProjection(text));
}

TEST(ProjectionErrors, InOrder) {
  EXPECT_EQ(ProjectionError("a,"),
            R"(Invalid ProjectionExpression: Syntax error; token: "<EOF>", near: ",")");
  EXPECT_EQ(ProjectionError("a b"),
            R"(Invalid ProjectionExpression: Syntax error; token: "b", near: "a b")");
  EXPECT_EQ(ProjectionError(":s"),
            R"(Invalid ProjectionExpression: Syntax error; token: ":s", near: ":s")");
  EXPECT_EQ(ProjectionError("a, set, #x, a"),
            "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: "
            "set");
  EXPECT_EQ(ProjectionError("a, #x, a"),
            "Invalid ProjectionExpression: An expression attribute name used in the document path "
            "is not defined; attribute name: #x");
  EXPECT_EQ(ProjectionError("b, b[0], a, c, #other_a.b, c.d, c[0]"),
            "Invalid ProjectionExpression: Two document paths overlap with each other; must remove "
            "or rewrite one of these paths; path one: [b], path two: [b, [0]]");
  EXPECT_EQ(ProjectionError("a, b, #a"),
            "Invalid ProjectionExpression: Two document paths overlap with each other; must remove "
            "or rewrite one of these paths; path one: [a], path two: [a]");
  EXPECT_EQ(ProjectionError("a.b, a[1], c.d, c.d"),
            "Invalid ProjectionExpression: Two document paths overlap with each other; must remove "
            "or rewrite one of these paths; path one: [c, d], path two: [c, d]");
  EXPECT_EQ(ProjectionError("a.b, c, a[1]"),
            "Invalid ProjectionExpression: Two document paths conflict with each other; must "
            "remove or rewrite one of these paths; path one: [a, b], path two: [a, [1]]");
  EXPECT_EQ(ProjectionError("a.b, a.c, a.d.e, ab, a.bb, a.d.f[0], a.d.f[1]"), kOk);
  EXPECT_EQ(ProjectionError("a" + Repeat("[0]", 32)),
            "Invalid ProjectionExpression: The document path has too many nesting levels; nesting "
            "levels: 33");
  EXPECT_EQ(ProjectionError("a[99999999999]"),
            "Invalid ProjectionExpression: List index is not within the allowable range; index: "
            "[99999999999]");
}

TEST(ProjectionErrors, ManyPathsAreCheckedFast) {
  std::string text = "a0";
  for (int i = 1; text.size() < 4080; ++i) text += Concat(",a", i);
  EXPECT_EQ(ProjectionError(text), kOk);
}

Item ProjectedItem() {
  return Item({{"a", Value::S("x")},
               {"l1", Value::L({Value::N(0), Value::M({{"k", Value::N(1)}, {"m", Value::N(2)}}),
                                Value::L({Value::N(3), Value::N(4)}), Value::N(5)})},
               {"m1", Value::M({{"child", Value::M({{"x", Value::N(1)}, {"y", Value::N(2)}})},
                                {"extra", Value::S("o")}})},
               {"x.y[0]", Value::S("odd")}});
}

std::string Projected(std::string_view text) {
  const SampleRequest request;
  const auto projection = request.ParseProjection(text);
  EXPECT_TRUE(projection.ok()) << projection.status();
  const Item item = ProjectedItem();
  const Item result = projection->Apply(item.view());
  EXPECT_TRUE(ItemView::Parse(result.bytes()).ok());
  return DebugString(result.view());
}

std::string Text(const Item& item) { return DebugString(item.view()); }

TEST(ProjectionApply, KeepsStructureAndPacksLists) {
  EXPECT_EQ(Projected("a, nope"), Text({{"a", Value::S("x")}}));
  EXPECT_EQ(Projected("#dots, a"), Text({{"a", Value::S("x")}, {"x.y[0]", Value::S("odd")}}));
  EXPECT_EQ(Projected("nope, nope2.x"), Text({}));
  EXPECT_EQ(Projected("m1.child.y"),
            Text({{"m1", Value::M({{"child", Value::M({{"y", Value::N(2)}})}})}}));
  EXPECT_EQ(Projected("m1.child.y, a, m1.extra"),
            Text({{"a", Value::S("x")},
                  {"m1", Value::M({{"child", Value::M({{"y", Value::N(2)}})},
                                   {"extra", Value::S("o")}})}}));
  EXPECT_EQ(Projected("l1[3], l1[0]"), Text({{"l1", Value::L({Value::N(0), Value::N(5)})}}));
  EXPECT_EQ(Projected("l1[2][1], l1[1].k, l1[9]"),
            Text({{"l1", Value::L({Value::M({{"k", Value::N(1)}}), Value::L({Value::N(4)})})}}));
}

TEST(ProjectionApply, PathsThroughOtherTypesSelectNothing) {
  EXPECT_EQ(Projected("a.b, m1[0], l1.k, m1x"), Text({}));
  EXPECT_EQ(Projected("l1[1].nope, l1[9], l1[3]"), Text({{"l1", Value::L({Value::N(5)})}}));
  EXPECT_EQ(Projected("m1.child.nope, m1.extra"),
            Text({{"m1", Value::M({{"extra", Value::S("o")}})}}));
}

TEST(ProjectionApply, TopLevelNames) {
  const std::vector<std::string> names = {"x.y[0]", "a", "nope"};
  const Projection projection = Projection::FromTopLevelNames(names);
  const Item item = ProjectedItem();
  EXPECT_EQ(projection.Apply(item.view()),
            Item({{"a", Value::S("x")}, {"x.y[0]", Value::S("odd")}}));
  ASSERT_EQ(projection.paths().size(), 3u);
  EXPECT_EQ(projection.paths()[0].ToString(), "[x.y[0]]");
}

TEST(ProjectionApply, IntoABuilder) {
  const SampleRequest request;
  const Item item = ProjectedItem();
  ItemBuilder builder;
  builder.BeginList();
  request.ParseProjection("a")->Apply(item.view(), &builder);
  request.ParseProjection("m1.extra")->Apply(item.view(), &builder);
  builder.EndList();
  EXPECT_EQ(builder.FinishValue(),
            Value::L({Value::M({{"a", Value::S("x")}}),
                      Value::M({{"m1", Value::M({{"extra", Value::S("o")}})}})}));
}

TEST(KeyPaths, KeysAreScalars) {
  TableSchema schema;
  schema.key = {{{"pk", Type::kString}}, {}};
  IndexSchema index;
  index.name = "ix";
  index.key = {{{"gk", Type::kString}}, {{"pk", Type::kString}}};
  schema.indexes.push_back(index);
  const SampleRequest request;
  const auto outcome = [&](std::string_view text) {
    return Outcome(
        CheckKeyPath(request.ParseProjection(text)->paths()[0], schema.key, schema.indexes));
  };
  EXPECT_EQ(outcome("pk"), kOk);
  EXPECT_EQ(outcome("extra.x"), kOk);
  EXPECT_EQ(outcome("pk.x"),
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
            "allowed: Key: pk");
  EXPECT_EQ(outcome("gk[0]"),
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
            "allowed: IndexKey: gk");
}

}  // namespace
}  // namespace dynolith
