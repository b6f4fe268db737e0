// The model is an oracle only if it is right itself: a few facts, worked out by hand
// (api/facts/values.md §2, api/facts/expressions.md §7).
#include "tests/model/model.h"

#include <gtest/gtest.h>

namespace dynolith::model {
namespace {

TEST(DecimalTest, PrintsPlainly) {
  EXPECT_EQ(Decimal("+0042").ToString(), "42");
  EXPECT_EQ(Decimal("-0.0").ToString(), "0");
  EXPECT_EQ(Decimal("1.200").ToString(), "1.2");
  EXPECT_EQ(Decimal("-12.50e1").ToString(), "-125");
  EXPECT_EQ(Decimal(".5e-2").ToString(), "0.005");
  EXPECT_EQ(Decimal("1e3").ToString(), "1000");
}

TEST(DecimalTest, ComparesAndAddsExactly) {
  EXPECT_TRUE(Decimal("9") < Decimal("10"));
  EXPECT_TRUE(Decimal("-10") < Decimal("-9.5"));
  EXPECT_EQ((Decimal("0.1") + Decimal("0.2")).ToString(), "0.3");
  EXPECT_EQ((Decimal("1") - Decimal("1.0")).ToString(), "0");
  EXPECT_FALSE((Decimal("1e50") + Decimal("1")).Fits());
  EXPECT_TRUE(Decimal("99999999999999999999999999999999999999e88").Fits());
  EXPECT_FALSE(Decimal("99999999999999999999999999999999999999e89").Fits());
  EXPECT_TRUE(Decimal("1e-130").Fits());
  EXPECT_FALSE(Decimal("1e-131").Fits());
}

TEST(UpdateTest, ListIndexesAreThoseOfBefore) {
  const Item old = {{"l", Value{List{N("0"), N("1"), N("2")}}}};
  model::Update update;
  update.remove = {{"l", size_t{0}}};
  update.set = {{{"l", size_t{9}}, {.operands = {{Operand::Kind::kLiteral, {}, N("9")}}}},
                {{"l", size_t{1}}, {.operands = {{Operand::Kind::kLiteral, {}, N("7")}}}}};
  const auto updated = Apply(update, old, true);
  ASSERT_TRUE(updated);
  EXPECT_EQ(Text(*updated), R"({"l": [N 7, N 2, N 9]})");
}

TEST(ModelTest, AnIndexHoldsWhatHasItsKeys) {
  Model model({{.name = "t",
                .hash = {"pk", "S"},
                .indexes = {{.name = "ix", .hash = {{"g", "S"}}, .range = {{"r", "N"}}}}}});
  EXPECT_EQ(model.Run(PutOp{.table = "t", .item = {{"pk", S("a")}, {"g", S("x")}}}).error, "");
  EXPECT_EQ(model
                .Run(PutOp{.table = "t",
                           .item = {{"pk", S("b")}, {"g", S("x")}, {"r", N("1")}, {"v", S("v")}}})
                .error,
            "");
  EXPECT_EQ(model.Run(PutOp{.table = "t", .item = {{"pk", S("c")}, {"g", N("1")}}}).error,
            "ValidationException");
  const Outcome read =
      model.Run(ReadOp{.table = "t", .index = "ix", .is_query = true, .hash = {S("x")}});
  EXPECT_EQ(read.count, 1);
  EXPECT_EQ(read.pages, 1);
}

}  // namespace
}  // namespace dynolith::model
