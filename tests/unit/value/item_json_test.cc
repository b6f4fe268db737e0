// An item that a status carries goes through JSON: the same bytes must come back, from the deepest
// item that may be stored too, and a text of another form must not become an item.
#include "engine/value/item_json.h"

#include <string>

#include "engine/base/limits.h"
#include "gtest/gtest.h"

namespace dynolith {
namespace {

std::optional<Item> ThroughJson(const Item& item) {
  std::string json;
  AppendJsonItem(item.view(), &json);
  const auto tree = ParseJson(json, kItemJsonDepthMax);
  return tree ? ItemOfJson(*tree) : std::nullopt;
}

TEST(ItemJson, EveryTypeComesBack) {
  const Item item = {{"n", Value::ParseN("-1234.50e-100").value()},
                     {"s", Value::S("a\"\\\n\x01'é😀")},
                     {"empty", Value::S("")},
                     {"b", Value::B(std::string("\0\xff,", 3))},
                     {"yes", Value::Bool(true)},
                     {"no", Value::Bool(false)},
                     {"null", Value::Null()},
                     {"ss", Value::SS({"b", "a", ""})},
                     {"ns", Value::NS({Number::FromInt64(10), Number::FromInt64(-3)})},
                     {"bs", Value::BS({std::string("\0", 1), "z"})},
                     {"l", Value::L({Value::N(1), Value::L({}), Value::S("x")})},
                     {"m", Value::M({{"x", Value::N(2)}, {"", Value::M({})}})}};
  EXPECT_EQ(ThroughJson(item), item);
  EXPECT_EQ(ThroughJson(Item()), Item());
}

TEST(ItemJson, TheDeepestStoredItemComesBack) {
  Value list = Value::SS({"a"});
  Value map = Value::SS({"a"});
  for (int i = 0; i < kNestingDepthMax; ++i) {
    list = Value::L({list});
    map = Value::M({{"k", map}});
  }
  const Item item = {{"list", list}, {"map", map}};
  EXPECT_EQ(ThroughJson(item), item);
}

TEST(ItemJson, OtherTextsAreNoItems) {
  for (const std::string text : {R"([])",
                                 R"("a")",
                                 R"({"a":1})",
                                 R"({"a":{}})",
                                 R"({"a":{"X":"b"}})",
                                 R"({"a":{"S":1}})",
                                 R"({"a":{"N":"x"}})",
                                 R"({"a":{"N":1}})",
                                 R"({"a":{"B":"%"}})",
                                 R"({"a":{"BOOL":"true!"}})",
                                 R"({"a":{"NULL":false}})",
                                 R"({"a":{"NULL":"true"}})",
                                 R"({"a":{"BOOL":"true"}})",
                                 R"({"a":{"BOOL":"false"}})",
                                 R"({"a":{"SS":[]}})",
                                 R"({"a":{"SS":["b","b"]}})",
                                 R"({"a":{"SS":"b"}})",
                                 R"({"a":{"NS":["1","x"]}})",
                                 R"({"a":{"L":{}}})",
                                 R"({"a":{"M":[]}})",
                                 R"({"a":{"L":[{"S":1}]}})",
                                 R"({"a":{"S":"b","N":"1"}})"}) {
    const auto tree = ParseJson(text, kItemJsonDepthMax);
    ASSERT_TRUE(tree) << text;
    EXPECT_FALSE(ItemOfJson(*tree)) << text;
  }
}

}  // namespace
}  // namespace dynolith
