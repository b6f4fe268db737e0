// A line that is read the short way must be what the longer ways make of it, and whatever else it
// might be must be left to them.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "api/json/item_line.h"
#include "engine/base/limits.h"
#include "engine/value/item.h"

namespace dynolith {
namespace {

TEST(ReadPlainItemLine, WhatExportsWrite) {
  for (const std::string item :
       {R"({"pk":{"S":"a"}})", R"({"pk":{"S":"\u00e9\n"},"n":{"N":"-1.50e3"},"b":{"B":"AQID"}})",
        R"({"t":{"BOOL":true},"f":{"BOOL":false},"z":{"NULL":true}})",
        R"({"ss":{"SS":["a","b"]},"ns":{"NS":["1","2"]},"bs":{"BS":["AQ==","Ag=="]}})",
        R"({"l":{"L":[{"S":"a"},{"L":[]},{"M":{"k":{"N":"1"}}}]},"m":{"M":{"S":{"S":"x"}}}})",
        R"({"M":{"M":{}},"pk":{"S":"a"}})", R"({"S":{"S":"a"}})", R"({"L":{"L":[]}})", R"({})"}) {
    for (const std::string& line : {"{\"Item\":" + item + "}", " { \"Item\" : " + item + " }\r"}) {
      const std::optional<Item> plain = ReadPlainItemLine(line);
      const absl::StatusOr<Item> read = ReadItemLine(line);
      ASSERT_TRUE(plain && read.ok()) << line;
      EXPECT_EQ(plain->view(), read->view()) << line;
    }
  }
}

// Some of these are items all the same, and some of them other ones than ReadItemLine takes them
// for.
TEST(ReadPlainItemLine, WhatElseALineMayBe) {
  const std::string long_name(kAttributeNameBytesMax + 1, 'a');
  for (const std::string line : {R"()",
                                 R"(no json)",
                                 R"([])",
                                 R"({})",
                                 R"({"Item":[]})",
                                 R"({"item":{"pk":{"S":"a"}}})",
                                 R"({"pk":{"S":"a"}})",
                                 R"({"Item":{"pk":{"S":"a"}},"Other":1})",
                                 R"({"Other":1,"Item":{"pk":{"S":"a"}}})",
                                 R"({"Item":{"M":{"S":"x"}}})",
                                 R"({"Item":{"M":{"M":{}}}})",
                                 R"({"Item":{"pk":"a"}})",
                                 R"({"Item":{"pk":{"S":1}}})",
                                 R"({"Item":{"pk":{"N":1}}})",
                                 R"({"Item":{"pk":{"N":"x"}}})",
                                 R"({"Item":{"pk":{"S":"a","N":null}}})",
                                 R"({"Item":{"pk":{"s":"a"}}})",
                                 R"({"Item":{"pk":{}}})",
                                 R"({"Item":{"pk":{"BOOL":"true"}}})",
                                 R"({"Item":{"pk":{"NULL":false}}})",
                                 R"({"Item":{"pk":{"NULL":"true"}}})",
                                 R"({"Item":{"pk":{"B":"A"}}})",
                                 R"({"Item":{"pk":{"B":"AR=="}}})",
                                 R"({"Item":{"pk":{"BS":["A"]}}})",
                                 R"({"Item":{"pk":{"SS":[]}}})",
                                 R"({"Item":{"pk":{"SS":["a","a"]}}})",
                                 R"({"Item":{"pk":{"SS":[1]}}})",
                                 R"({"Item":{"pk":{"L":["a"]}}})",
                                 R"({"Item":{"pk":{"L":{}}}})",
                                 R"({"Item":{"pk":{"M":{"k":"a"}}}})",
                                 R"({"Item":{"pk":{"M":[]}}})",
                                 R"({"Item":{"":{"S":"a"}}})",
                                 R"({"Item":{"pk":{"S":"a"},"b":{"N":"1"},"b":{"N":"2"}}})",
                                 R"({"Item":{"pk":{"S":"a"},"b":{"N":"1"},"\u0062":{"N":"1"}}})",
                                 R"({"Item":{"pk":{"M":{"k":{"S":"a"},"j":{},"k":{"S":"a"}}}}})",
                                 R"({"Item":{"pk":{"M":{"k":{"S":"a"},"k":{"S":"b"}}}}})",
                                 R"({"Item":{"pk":{"L":[{"M":{"k":{"S":"a"},"k":{"S":"a"}}}]}}})",
                                 R"({"Item":{"pk":null}})"}) {
    EXPECT_FALSE(ReadPlainItemLine(line)) << line;
  }
  EXPECT_FALSE(ReadPlainItemLine("{\"Item\":{\"" + long_name + "\":{\"S\":\"a\"}}}"));
  EXPECT_FALSE(
      ReadPlainItemLine("{\"Item\":{\"pk\":{\"M\":{\"" + long_name + "\":{\"S\":\"a\"}}}}}"));
}

}  // namespace
}  // namespace dynolith
