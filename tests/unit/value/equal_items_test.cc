#include "engine/value/equal_items.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace dynolith {
namespace {

// Items that differ in their first bytes, their last ones, or their lengths only.
std::vector<Item> Different(size_t count, const std::string& before, const std::string& behind) {
  std::vector<Item> items;
  for (size_t i = 0; i < count; ++i) {
    items.push_back(Item{{"k", Value::S(before + std::to_string(i) + behind)}});
  }
  return items;
}

TEST(EqualItems, AreFoundWhereverTheyStand) {
  for (const size_t count : {1, 2, 25, 100, 128, 129, 300}) {
    const std::pair<std::string, std::string> around[] = {
        {"", ""}, {"a", std::string(40, 'x')}, {"x", ""}};
    for (const auto& [before, behind] : around) {
      std::vector<Item> items = Different(count, before, behind);
      EXPECT_FALSE(HasEqualItems(items)) << count;
      for (const size_t first : {size_t{0}, count / 2, count - 1}) {
        std::vector<Item> twice = items;
        twice.push_back(items[first]);
        EXPECT_TRUE(HasEqualItems(twice)) << count << " " << first;
        std::rotate(twice.begin(), twice.end() - 1, twice.end());
        EXPECT_TRUE(HasEqualItems(twice)) << count << " " << first;
      }
    }
  }
}

TEST(EqualItems, NoneAndEmptyOnes) {
  EXPECT_FALSE(HasEqualItems({}));
  EXPECT_FALSE(HasEqualItems({Item()}));
  EXPECT_TRUE(HasEqualItems({Item(), Item()}));
}

// All in one slot: the middle and the end are the same.
TEST(EqualItems, SameSlots) {
  std::vector<Item> items;
  for (char c = 'A'; c <= 'Z'; ++c) {
    items.push_back(Item{{"k", Value::S(std::string(1, c) + std::string(64, 'x'))}});
  }
  EXPECT_FALSE(HasEqualItems(items));
  items.push_back(items.front());
  EXPECT_TRUE(HasEqualItems(items));
}

}  // namespace
}  // namespace dynolith
