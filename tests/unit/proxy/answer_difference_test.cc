// Which answers of two endpoints agree.
#include "tools/proxy/answer_difference.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynolith::proxy {
namespace {

// The paths of what differs; "?" if it cannot be told.
std::string Paths(std::string_view operation, std::string_view target, std::string_view shadow) {
  const std::optional<std::vector<AnswerDifference>> found =
      CompareAnswers(operation, {200, target}, {200, shadow});
  if (!found) return "?";
  std::string paths;
  for (const AnswerDifference& each : *found) paths += (paths.empty() ? "" : " ") + each.path;
  return paths;
}

TEST(AnswerDifference, MapsAndSetsHaveNoOrder) {
  EXPECT_EQ(
      Paths("GetItem", R"({"Item":{"a":{"SS":["x","y"]},"b":{"M":{"c":{"S":"1"},"d":{"N":"2"}}}}})",
            R"({"Item":{"b":{"M":{"d":{"N":"2"},"c":{"S":"1"}}},"a":{"SS":["y","x"]}}})"),
      "");
  EXPECT_EQ(Paths("GetItem", R"({"Item":{"a":{"L":[{"S":"x"},{"S":"y"}]}}})",
                  R"({"Item":{"a":{"L":[{"S":"y"},{"S":"x"}]}}})"),
            "Item.a");
}

TEST(AnswerDifference, NamesWhatDiffers) {
  EXPECT_EQ(Paths("GetItem", R"({"Item":{"a":{"S":"1"},"b":{"S":"1"}}})",
                  R"({"Item":{"a":{"S":"2"},"c":{"S":"1"}}})"),
            "Item.a Item.b Item.c");
  EXPECT_EQ(Paths("Query", R"({"Count":2,"Items":[{"a":{"S":"1"},"b":{"S":"2"}},{"a":{"S":"3"}}]})",
                  R"({"Count":1,"Items":[{"a":{"S":"1"},"b":{"S":"9"}}]})"),
            "Count Items[0].b Items[1]");
  const auto found = CompareAnswers("GetItem", {200, R"({"Item":{"a":{"S":"1"},"b":{"S":"x"}}})"},
                                    {200, R"({"Item":{"b":{"S":"x"}}})"});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1);
  EXPECT_EQ((*found)[0].target, R"({"S":"1"})");
  EXPECT_EQ((*found)[0].shadow, "");
}

TEST(AnswerDifference, SomeMembersDoNotCount) {
  EXPECT_EQ(Paths("PutItem", R"({"ConsumedCapacity":{"CapacityUnits":1}})", "{}"), "");
  EXPECT_EQ(Paths("ExecuteStatement", R"({"Items":[],"NextToken":"a"})",
                  R"({"Items":[],"NextToken":"b"})"),
            "");
  // An attribute may have such a name.
  EXPECT_EQ(Paths("GetItem", R"({"Item":{"NextToken":{"S":"a"},"k":{"S":"1"}}})",
                  R"({"Item":{"NextToken":{"S":"b"},"k":{"S":"1"}}})"),
            "Item.NextToken");
}

TEST(AnswerDifference, ScansAndBatchesHaveNoOrderOfItems) {
  constexpr std::string_view kOne = R"({"Items":[{"a":{"S":"1"}},{"a":{"S":"2"}}]})";
  constexpr std::string_view kOther = R"({"Items":[{"a":{"S":"2"}},{"a":{"S":"1"}}]})";
  EXPECT_EQ(Paths("Scan", kOne, kOther), "");
  EXPECT_EQ(Paths("Query", kOne, kOther), "Items[0].a Items[1].a");
  EXPECT_EQ(Paths("BatchGetItem", R"({"Responses":{"t":[{"a":{"S":"1"}},{"a":{"S":"2"}}]}})",
                  R"({"Responses":{"t":[{"a":{"S":"2"}},{"a":{"S":"1"}}]}})"),
            "");
  EXPECT_EQ(Paths("Scan", R"({"Items":[],"LastEvaluatedKey":{"a":{"S":"1"}}})", R"({"Items":[]})"),
            "?");
}

TEST(AnswerDifference, ErrorsAreComparedByTheirKind) {
  const auto paths = [](ComparedAnswer target, ComparedAnswer shadow) {
    std::string all;
    const auto found = CompareAnswers("PutItem", target, shadow);
    for (const AnswerDifference& each : *found) all += each.path + " ";
    return all;
  };
  EXPECT_EQ(paths({400, R"({"__type":"a#ValidationException","message":"x"})"},
                  {400, R"({"__type":"b#ValidationException","Message":"y"})"}),
            "");
  EXPECT_EQ(paths({400, R"({"__type":"a#ValidationException"})"}, {400, R"({"__type":"a#Other"})"}),
            "__type ");
  EXPECT_EQ(paths({200, "{}"}, {503, "no JSON"}), "status ");
}

TEST(AnswerDifference, AreBounded) {
  std::string many = R"({"Items":[)";
  for (int i = 0; i < 100; ++i) many += R"({"S":"1"},)";
  many.back() = ']';
  many += "}";
  EXPECT_EQ(CompareAnswers("Query", {200, many}, {200, R"({"Items":[]})"})->size(),
            kDifferencesMax);
  EXPECT_EQ(Paths("Query", "not JSON", "not JSON"), "");
  EXPECT_EQ(CompareAnswers("Query", {200, "not JSON"}, {200, "{}"})->size(), 1);
}

}  // namespace
}  // namespace dynolith::proxy
