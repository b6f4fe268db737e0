// Policies and what statuses carry are read from text that somebody else may have written: what is
// no JSON must be refused, at any place, and what is JSON must print as it was read.
#include "engine/text/json_tree.h"

#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"

namespace dynolith {
namespace {

constexpr int kDepthMax = 3;

TEST(JsonTree, PrintsWithoutWhiteSpace) {
  const auto tree =
      ParseJson("{ \"a\" : [ 1 , -2.5e+3, true,\tfalse, null, \"x\" ],\n \"b\" : { } }", kDepthMax);
  ASSERT_TRUE(tree);
  EXPECT_EQ(PrintJson(*tree), R"({"a":[1,-2.5e+3,true,false,null,"x"],"b":{}})");
  ASSERT_NE(tree->Find("b"), nullptr);
  EXPECT_EQ(tree->Find("b")->line, 2u);
  EXPECT_EQ(tree->Find("b")->column, 8u);
  EXPECT_EQ(tree->Find("c"), nullptr);
}

TEST(JsonTree, Escapes) {
  const auto tree =
      ParseJson(R"(["\"\\\/\b\f\n\r\t", "\u00e9\u20AC", "\ud83d\ude00", "\ud83dx"])", kDepthMax);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->elements[0].text, "\"\\/\b\f\n\r\t");
  EXPECT_EQ(tree->elements[1].text, "é€");
  EXPECT_EQ(tree->elements[2].text, "😀");
  EXPECT_EQ(tree->elements[3].text, "\uFFFDx");
  EXPECT_EQ(PrintJson(tree->elements[0], "\n"), R"("\"\\/\u0008\u000c\n\u000d\u0009")");
}

TEST(JsonTree, WhatIsNoJson) {
  for (const std::string text :
       {"", " ", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "01", "1.", "-", "1e", "tru", "[1] 2",
        "\"a", "\"\n\"", R"("\x")", R"("\u12g4")", "[1 2]", "{\"a\":1,}"}) {
    EXPECT_FALSE(ParseJson(text, kDepthMax)) << text;
  }
}

TEST(JsonTree, NamesHaveTheirPlaces) {
  const auto tree = ParseJson("{\n  \"a\":\n    1, \"b\": 2}", kDepthMax);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->members[0].value.name_line, 2u);
  EXPECT_EQ(tree->members[0].value.name_column, 3u);
  EXPECT_EQ(tree->members[1].value.name_line, 3u);
  EXPECT_EQ(tree->members[1].value.name_column, 8u);
}

TEST(JsonTree, SaysHowFarTheTextIsJson) {
  for (const auto& [text, line, column] : std::vector<std::tuple<std::string, size_t, size_t>>{
           {"{\n \"a\": ?}", 2, 7}, {"[1, 2", 1, 6}, {"", 1, 1}, {"[1]\n]", 2, 1}}) {
    JsonLocation stopped;
    EXPECT_FALSE(ParseJson(text, kDepthMax, &stopped)) << text;
    EXPECT_EQ(stopped.line, line) << text;
    EXPECT_EQ(stopped.column, column) << text;
  }
}

TEST(JsonTree, EveryPrefixIsRefused) {
  const std::string text = R"({"a":[1.5e1,"\u00e9",true,{"b":null}]})";
  ASSERT_TRUE(ParseJson(text, kDepthMax));
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(ParseJson(text.substr(0, size), kDepthMax)) << size;
  }
}

TEST(JsonTree, DepthIsBounded) {
  EXPECT_TRUE(ParseJson("[[[1]]]", kDepthMax));
  EXPECT_FALSE(ParseJson("[[[[1]]]]", kDepthMax));
  EXPECT_FALSE(ParseJson(std::string(1'000'000, '['), kDepthMax));
}

}  // namespace
}  // namespace dynolith
