// Items are the same however they are written and in whatever order they come; nothing else is.
#include "tools/migrate/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/migrate/item_changes.h"

namespace dynolith::migrate {
namespace {

std::string Canonical(const std::string& text) { return CanonicalText(*ParseJson(text, 64)); }

TEST(CanonicalItems, TheSameValueIsTheSameText) {
  const std::vector<std::pair<std::string, std::string>> same = {
      {R"({"a":{"N":"1.50"},"b":{"S":"x"}})", R"({"b":{"S":"x"},"a":{"N":"1.5"}})"},
      {R"({"a":{"N":"100"}})", R"({"a":{"N":"1E+2"}})"},
      {R"({"a":{"SS":["x","y"]}})", R"({"a":{"SS":["y","x"]}})"},
      {R"({"a":{"NS":["1.0","2"]}})", R"({"a":{"NS":["2","1"]}})"},
      {R"({"a":{"M":{"p":{"N":"0"},"q":{"BOOL":true}}}})",
       R"({"a":{"M":{"q":{"BOOL":true},"p":{"N":"0.0"}}}})"}};
  for (const auto& [left, right] : same) EXPECT_EQ(Canonical(left), Canonical(right));
}

TEST(CanonicalItems, OtherValuesAreOtherTexts) {
  const std::vector<std::string> all = {R"({})",
                                        R"({"a":{"S":"1"}})",
                                        R"({"a":{"N":"1"}})",
                                        R"({"a":{"B":"1"}})",
                                        R"({"a":{"SS":["1"]}})",
                                        R"({"a":{"SS":["1","2"]}})",
                                        R"({"a":{"SS":["1\",\"2"]}})",
                                        R"({"a":{"NS":["1"]}})",
                                        R"({"a":{"BS":["1"]}})",
                                        R"({"a":{"L":[]}})",
                                        R"({"a":{"L":[{"S":"1"},{"S":"2"}]}})",
                                        R"({"a":{"L":[{"S":"2"},{"S":"1"}]}})",
                                        R"({"a":{"L":[{"L":[{"S":"1"}]},{"S":"2"}]}})",
                                        R"({"a":{"L":[{"L":[{"S":"1"},{"S":"2"}]}]}})",
                                        R"({"a":{"M":{}}})",
                                        R"({"a":{"M":{"a":{"S":"1"}}}})",
                                        R"({"a":{"NULL":true}})",
                                        R"({"a":{"BOOL":true}})",
                                        R"({"a":{"BOOL":false}})",
                                        R"({"b":{"S":"1"}})",
                                        R"({"a":{"S":"1"},"b":{"S":"1"}})"};
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(Canonical(all[i]), Canonical(all[j])) << i << " " << j;
  }
}

TEST(ItemSums, TheOrderDoesNotCount) {
  ItemSums one;
  ItemSums other;
  for (int i = 0; i < 1000; ++i) one.Add(std::to_string(i), "item " + std::to_string(i));
  for (int i = 999; i >= 0; --i) other.Add(std::to_string(i), "item " + std::to_string(i));
  EXPECT_TRUE(one.Difference(other).empty());
  EXPECT_EQ(one.count(), 1000U);
}

TEST(ItemSums, ThePartOfWhatDiffersIsFound) {
  const auto sums = [](const std::vector<std::string>& items) {
    ItemSums all;
    for (size_t i = 0; i < items.size(); ++i) {
      if (!items[i].empty()) all.Add(std::to_string(i), items[i]);
    }
    return all;
  };
  const ItemSums all = sums({"a", "b", "c"});
  using ::testing::ElementsAre;
  EXPECT_THAT(all.Difference(sums({"a", "x", "c"})), ElementsAre(ItemSums::PartOf("1")));
  EXPECT_THAT(all.Difference(sums({"a", "", "c"})), ElementsAre(ItemSums::PartOf("1")));
  EXPECT_THAT(all.Difference(sums({"a", "b", "c", "d"})), ElementsAre(ItemSums::PartOf("3")));
  // Two that have changed places.
  EXPECT_EQ(all.Difference(sums({"b", "a", "c"})).size(), 2U);
}

}  // namespace
}  // namespace dynolith::migrate
