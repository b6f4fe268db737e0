// A name that stands twice in a map of a record is an error in each form that is read through
// trees: an item of one of the two values would be one of less data than the file.
#include "tools/files/items/item_reader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "api/transfer/files/messages.h"
#include "engine/text/json_tree.h"
#include "tests/unit/store/scratch_folder.h"
#include "tools/files/items/messages.h"

namespace dynolith::designs {
namespace {

class ItemReaderTest : public ::testing::Test {
 protected:
  // For each record its item, or where and why it is none; "plain" for what went the short way.
  std::vector<std::string> Read(const std::string& text, ItemForm form, bool is_short_way = false) {
    const std::string file = folder_ / "items";
    std::ofstream(file, std::ios::binary) << text;
    std::vector<std::string> records;
    const auto begin = [] { return true; };
    const auto take = [&](const JsonTree& item, const ItemWrite&, const FileLocation&) {
      records.push_back(PrintJson(item));
      return absl::OkStatus();
    };
    const auto fail = [&](const FileLocation& place, const std::string& why) {
      records.push_back(std::to_string(place.line) + ":" + std::to_string(place.column) + ": " +
                        why);
    };
    const auto count = [](size_t) {};
    const auto take_plain = [&](ItemView) -> absl::StatusOr<bool> {
      records.emplace_back("plain");
      return true;
    };
    ItemFileHandler handler = {begin, take, fail, count};
    if (is_short_way) handler.take_plain.emplace(take_plain);
    EXPECT_TRUE(ReadItemFile({file, form}, {}, handler).ok());
    return records;
  }

  const dynolith::testing::ScratchFolder folder_;
};

TEST_F(ItemReaderTest, ANameTwiceInALine) {
  const std::string lines =
      "{\"Item\":{\"a\":{\"S\":\"1\"},\"b\":{\"N\":\"1\"}}}\n"
      "{\"Item\":{\"a\":{\"S\":\"2\"},\"b\":{\"N\":\"1\"},\"b\":{\"N\":\"2\"}}}\n"
      "{\"a\":\"3\",\"b\":1,\"b\":2}\n"
      "{\"Item\":{\"a\":{\"M\":{\"c\":{\"S\":\"4\"},\"c\":{\"S\":\"4\"}}}}}\n"
      "{\"Item\":{\"a\":{\"L\":[{\"M\":{\"d\":{\"L\":[]},\"d\":{\"L\":[]}}}]}}}\n"
      "{\"Item\":{\"a\":{\"S\":\"6\"}},\"Item\":{\"a\":{\"S\":\"7\"}}}\n";
  const auto twice = [](const std::string& place, std::string_view name) {
    return place + ": " + messages::DesignNameTwice(name);
  };
  std::vector<std::string> expected = {R"({"a":{"S":"1"},"b":{"N":"1"}})",
                                       twice("2:38", "b"),
                                       twice("3:16", "b"),
                                       twice("4:34", "c"),
                                       twice("5:39", "d"),
                                       twice("6:25", "Item")};
  EXPECT_EQ(Read(lines, ItemForm::kJsonLines), expected);
  expected[0] = "plain";
  EXPECT_EQ(Read(lines, ItemForm::kJsonLines, /*is_short_way=*/true), expected);
}

TEST_F(ItemReaderTest, ANameTwiceInALineOfDataPipeline) {
  const auto attribute = [](const std::string& name, const std::string& value) {
    return name + "\x03" + value;
  };
  const std::string lines =
      attribute("a", R"({"s":"1"})") + "\x02" + attribute("b", R"({"m":{"c":{"n":"1"}}})") + "\n" +
      attribute("a", R"({"s":"2"})") + "\x02" + attribute("a", R"({"s":"3"})") + "\n" +
      attribute("a", R"({"m":{"c":{"n":"1"},"c":{"n":"2"}}})") + "\n" +
      attribute("a", R"({"s":"4","s":"5"})") + "\n";
  EXPECT_EQ(
      Read(lines, ItemForm::kPipeline),
      (std::vector<std::string>{
          R"({"a":{"S":"1"},"b":{"M":{"c":{"N":"1"}}}})", "2:13: " + messages::DesignNameTwice("a"),
          "3:23: " + messages::DesignNameTwice("c"), "4:12: " + messages::DesignNameTwice("s")}));
}

TEST_F(ItemReaderTest, ANameTwiceInIon) {
  const std::string twice = messages::IonUnsupported("two fields called b");
  EXPECT_EQ(Read("$ion_1_0 {Item:{a:\"1\",b:1,'b':2}}\n{Item:{a:{b:1,b:1}}}\n{Item:{a:\"3\"}}\n",
                 ItemForm::kIon),
            (std::vector<std::string>{"1:0: " + twice, "2:0: " + twice, R"({"a":{"S":"3"}})"}));
}

}  // namespace
}  // namespace dynolith::designs
