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
      model.Run(ReadOp{.table = "t", .index = "ix", .is_query = true, .hash = {{"g", S("x")}}});
  EXPECT_EQ(read.count, 1);
  EXPECT_EQ(read.pages, 1);
}

TEST(ModelTest, ATransactionIsAllOrNothing) {
  Model model({{.name = "t", .hash = {"pk", "S"}}});
  const PutOp put{.table = "t", .item = {{"pk", S("a")}}};
  const CheckOp check{.table = "t",
                      .key = {{"pk", S("b")}},
                      .condition = {.kind = Condition::Kind::kExists,
                                    .operands = {{Operand::Kind::kPath, {"pk"}, {}}}}};
  const Outcome cancelled = model.Run(TransactOp{.actions = {put, check}});
  EXPECT_EQ(cancelled.error, "TransactionCanceledException");
  ASSERT_EQ(cancelled.parts.size(), 2);
  EXPECT_EQ(cancelled.parts[0].error, "None");
  EXPECT_EQ(cancelled.parts[1].error, "ConditionalCheckFailed");
  EXPECT_FALSE(model.Run(GetOp{.table = "t", .key = {{"pk", S("a")}}}).attributes);
  EXPECT_EQ(model.Run(TransactOp{.actions = {put}}).error, "");
  EXPECT_TRUE(model.Run(GetOp{.table = "t", .key = {{"pk", S("a")}}}).attributes);
  EXPECT_EQ(model.Run(StatementOp{put}).error, "DuplicateItemException");
}

TEST(ModelTest, ABackupIsTheTableOfItsMoment) {
  Model model({{.name = "t", .hash = {"pk", "S"}}});
  model.Run(PutOp{.table = "t", .item = {{"pk", S("a")}}});
  model.Run(CreateBackupOp{.table = "t", .label = "b"});
  model.Run(PutOp{.table = "t", .item = {{"pk", S("later")}}});
  EXPECT_EQ(model.Run(RestoreOp{.label = "b", .table = "t"}).error, "TableAlreadyExistsException");
  model.Run(DeleteTableOp{.table = "t"});
  EXPECT_EQ(model.Run(RestoreOp{.label = "b", .table = "t"}).error, "");
  const Outcome verified = model.Run(VerifyOp());
  ASSERT_EQ(verified.groups.size(), 1);
  ASSERT_EQ(verified.groups[0].size(), 1);
  EXPECT_EQ(Text(verified.groups[0][0]), R"({"pk": S"a"})");
  model.Run(DeleteBackupOp{.label = "b"});
  EXPECT_EQ(model.Run(RestoreOp{.label = "b", .table = "u"}).error, "BackupNotFoundException");
}

// Equally near ones are a group, of which a search may give any.
TEST(ModelTest, ASearchFindsTheNearest) {
  Model model(
      {{.name = "t",
        .hash = {"pk", "S"},
        .indexes = {{.name = "near",
                     .vector = Index::Vector{.attribute = "v",
                                             .dimensions = 1,
                                             .distance = Index::Vector::Distance::kEuclidean}}}}});
  for (const char* number : {"5", "1", "-1", "2"}) {
    const Item item = {{"pk", S(number)}, {"v", Value{List{N(number)}}}};
    ASSERT_EQ(model.Run(PutOp{.table = "t", .item = item}).error, "");
  }
  EXPECT_EQ(model.Run(PutOp{.table = "t", .item = {{"pk", S("x")}, {"v", N("1")}}}).error,
            "ValidationException");
  const Outcome found =
      model.Run(SearchOp{.table = "t", .index = "near", .vector = {0}, .top_k = 1});
  EXPECT_EQ(found.count, 1);
  ASSERT_EQ(found.groups.size(), 1);
  EXPECT_EQ(found.groups[0].size(), 2);
  EXPECT_EQ(Text(found.groups[0][0].at("score")), "S\"1.000000\"");
}

}  // namespace
}  // namespace dynolith::model
