// Tables for people: a window may be narrow, and nothing of a table may be lost in it.
#include "tools/lab/text/figures_text.h"

#include <gtest/gtest.h>

#include <string>

namespace dynolith::lab {
namespace {

TextColumns Designs() {
  TextColumns columns({{"design"}, {"served"}, {"empty"}, {"dollars"}, {"hottest key", true}});
  columns.Add({"as it is", "87.5 %", "", "1,234.50", "post#1 900, post#2 40, post#3 3"});
  columns.Add({"größer", "100 %", "", "9.00", "post#1 9"});
  return columns;
}

TEST(FiguresTextTest, ATableThatFitsIsOneBlock) {
  const std::string whole =
      "  design    served   dollars  hottest key\n"
      "  as it is  87.5 %  1,234.50  post#1 900, post#2 40, post#3 3\n"
      "  größer     100 %      9.00  post#1 9\n";
  EXPECT_EQ(Designs().Text(2), whole);
  EXPECT_EQ(Designs().Text(2, 61), whole);
}

TEST(FiguresTextTest, WordsGoOnInTheNextLine) {
  EXPECT_EQ(Designs().Text(2, 58),
            "  design    served   dollars  hottest key\n"
            "  as it is  87.5 %  1,234.50  post#1 900, post#2 40,\n"
            "                              post#3 3\n"
            "  größer     100 %      9.00  post#1 9\n");
}

TEST(FiguresTextTest, ColumnsWithoutRoomStandBelow) {
  EXPECT_EQ(Designs().Text(0, 34),
            "design    served   dollars\n"
            "as it is  87.5 %  1,234.50\n"
            "größer     100 %      9.00\n"
            "\n"
            "design    hottest key\n"
            "as it is  post#1 900, post#2 40,\n"
            "          post#3 3\n"
            "größer    post#1 9\n");
}

TEST(FiguresTextTest, WhatIsWiderThanALineIsWhole) {
  TextColumns columns({{"key"}, {"units"}, {"words", true}});
  columns.Add({"a-name-without-an-end", "123,456", "another-without-an-end"});
  EXPECT_EQ(columns.Text(0, 5),
            "key                      units\n"
            "a-name-without-an-end  123,456\n"
            "\n"
            "key                    words\n"
            "a-name-without-an-end  another-without-an-end\n");
}

}  // namespace
}  // namespace dynolith::lab
