// Parts of a batch that a fault leaves out are not passed on, and come back as unprocessed.
#include "tools/proxy/batch_parts.h"

#include <gtest/gtest.h>

#include <optional>

namespace dynolith::proxy {
namespace {

TEST(BatchParts, AreCutFromKeys) {
  const std::optional<CutBatch> cut = CutBatchRequest(
      R"({"RequestItems":{"t":{"Keys":[{"k":{"S":"1"}},{"k":{"S":"2"}}],"ConsistentRead":true},)"
      R"("u":{"Keys":[{"k":{"N":"3"}}]}}})",
      {1, 2});
  ASSERT_TRUE(cut);
  EXPECT_FALSE(cut->is_all);
  EXPECT_EQ(cut->request,
            R"({"RequestItems":{"t":{"Keys":[{"k":{"S":"1"}}],"ConsistentRead":true}}})");
  EXPECT_EQ(
      cut->left,
      R"({"t":{"Keys":[{"k":{"S":"2"}}],"ConsistentRead":true},"u":{"Keys":[{"k":{"N":"3"}}]}})");
}

TEST(BatchParts, MayBeAll) {
  const std::optional<CutBatch> cut =
      CutBatchRequest(R"({"RequestItems":{"t":[{"PutRequest":{"Item":{}}}]}})", {0});
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->is_all);
  EXPECT_EQ(AnswerOfNothing("BatchWriteItem", cut->left),
            R"({"UnprocessedItems":{"t":[{"PutRequest":{"Item":{}}}]}})");
}

TEST(BatchParts, JoinThoseOfTheAnswer) {
  EXPECT_EQ(WithUnprocessed(R"({"UnprocessedItems":{"t":[1]}})", "BatchWriteItem",
                            R"({"t":[2],"u":[3]})"),
            R"({"UnprocessedItems":{"t":[1,2],"u":[3]}})");
  EXPECT_EQ(WithUnprocessed(R"({"Responses":{}})", "BatchGetItem", R"({"t":{"Keys":[1]}})"),
            R"({"Responses":{},"UnprocessedKeys":{"t":{"Keys":[1]}}})");
}

TEST(BatchParts, AreStatementsThatHaveNotFailed) {
  const std::optional<ExecutedStatements> executed = CutFailedStatements(
      R"({"Statements":[{"Statement":"a"},{"Statement":"b"},{"Statement":"c"}]})",
      R"({"Responses":[{"TableName":"t"},{"Error":{"Code":"ThrottlingError"}},{"Item":{}}]})");
  ASSERT_TRUE(executed);
  EXPECT_FALSE(executed->is_none);
  EXPECT_EQ(executed->request, R"({"Statements":[{"Statement":"a"},{"Statement":"c"}]})");
  EXPECT_EQ(executed->answer, R"({"Responses":[{"TableName":"t"},{"Item":{}}]})");
  EXPECT_TRUE(
      CutFailedStatements(R"({"Statements":[{}]})", R"({"Responses":[{"Error":{}}]})")->is_none);
  EXPECT_FALSE(CutFailedStatements(R"({"Statements":[{},{}]})", R"({"Responses":[{}]})"));
  EXPECT_FALSE(CutFailedStatements(R"({"Statements":[{}]})", "{}"));
}

TEST(BatchParts, AreNotInOtherBodies) {
  EXPECT_FALSE(CutBatchRequest("{}", {0}));
  EXPECT_FALSE(CutBatchRequest("x", {0}));
  EXPECT_FALSE(CutBatchRequest(R"({"RequestItems":{"t":1}})", {0}));
}

}  // namespace
}  // namespace dynolith::proxy
