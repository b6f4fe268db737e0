// A line in a log must name the tables of any call, and whatever the body is must not disturb it.
#include "api/json/named_tables.h"

#include <gtest/gtest.h>

#include <string>

namespace dynolith {
namespace {

TEST(NamedTables, WhereCallsNameThem) {
  EXPECT_EQ(TablesNamedIn(R"({"TableName":"a","Item":{"TableName":{"S":"b"}}})"), "a");
  EXPECT_EQ(TablesNamedIn(R"({"RequestItems":{"a":[],"b":{},"a":[]}})"), "a,b");
  EXPECT_EQ(TablesNamedIn(R"({"TransactItems":[{"Put":{"TableName":"a"}},{"Get":{"TableName":"b"}},
                              {"Put":{"TableName":"a"}}]})"),
            "a,b");
}

TEST(NamedTables, WhatNamesNone) {
  for (const char* body :
       {"", "{", "[]", "null", "{}", R"({"TableName":null})", R"({"TableName":5})",
        R"({"RequestItems":[]})", R"({"RequestItems":null})", R"({"TransactItems":{"a":1}})",
        R"({"TransactItems":[1,{"Put":2}]})"}) {
    EXPECT_EQ(TablesNamedIn(body), "") << body;
  }
}

TEST(NamedTables, NotMoreThanALineHolds) {
  std::string body = R"({"RequestItems":{"t0":1)";
  for (int i = 1; i < 100; ++i) body += ",\"t" + std::to_string(i) + "\":1";
  EXPECT_EQ(TablesNamedIn(body + "}}"), "t0,t1,t2,t3,t4,t5,t6,t7,t8,t9");
}

}  // namespace
}  // namespace dynolith
