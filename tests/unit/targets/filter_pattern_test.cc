// Event filter patterns: each operator, what it lets through and what it does not, and what is no
// pattern. A pattern that lets too little through loses changes without a word.
#include "tools/server/targets/filter_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/types/span.h"
#include "engine/base/errors.h"
#include "engine/text/json_tree.h"

namespace dynolith::targets {
namespace {

constexpr int kDepthMax = 64;

bool Lets(const std::string& pattern, const std::string& event) {
  FilterSet filters;
  EXPECT_EQ(filters.Add(pattern).message(), "") << pattern;
  const auto tree = ParseJson(event, kDepthMax);
  EXPECT_TRUE(tree.has_value()) << event;
  return tree && filters.Matches(*tree);
}

struct Case {
  const char* pattern;
  const char* event;
  bool matches;
};

void ExpectAll(absl::Span<const Case> cases) {
  for (const Case& each : cases) {
    EXPECT_EQ(Lets(each.pattern, each.event), each.matches) << each.pattern << " " << each.event;
  }
}

TEST(FilterPattern, ValuesAndTheirAbsence) {
  ExpectAll({
      // Values are what they are: no text is a number.
      {R"({"a": ["x"]})", R"({"a": "x"})", true},
      {R"({"a": ["x"]})", R"({"a": "y"})", false},
      {R"({"a": ["x"]})", R"({"b": "x"})", false},
      {R"({"a": ["1"]})", R"({"a": 1})", false},
      {R"({"a": [1]})", R"({"a": "1"})", false},
      {R"({"a": [1]})", R"({"a": 1.0})", true},
      {R"({"a": [true]})", R"({"a": true})", true},
      {R"({"a": [true]})", R"({"a": "true"})", false},
      {R"({"a": [""]})", R"({"a": ""})", true},
      {R"({"a": ["x", "y"]})", R"({"a": "y"})", true},
      // null
      {R"({"a": [null]})", R"({"a": null})", true},
      {R"({"a": [null]})", R"({"a": "null"})", false},
      {R"({"a": [null]})", R"({})", false},
      // exists: only where there is a value that is no object
      {R"({"a": [{"exists": true}]})", R"({"a": null})", true},
      {R"({"a": [{"exists": true}]})", R"({"b": 1})", false},
      {R"({"a": [{"exists": false}]})", R"({"b": 1})", true},
      {R"({"a": [{"exists": false}]})", R"({"a": 1})", false},
      {R"({"a": {"b": [{"exists": false}]}})", R"({"c": 1})", true},
      {R"({"a": [{"exists": true}]})", R"({"a": {"b": 1}})", false},
      {R"({"a": [{"exists": false}, "x"]})", R"({"a": "x"})", true},
  });
}

TEST(FilterPattern, PartsOfTextsAndNumbers) {
  ExpectAll({
      // prefix and suffix
      {R"({"a": [{"prefix": "ab"}]})", R"({"a": "abc"})", true},
      {R"({"a": [{"prefix": "ab"}]})", R"({"a": "a"})", false},
      {R"({"a": [{"prefix": "ab"}]})", R"({"a": "ABc"})", false},
      {R"({"a": [{"prefix": {"equals-ignore-case": "ab"}}]})", R"({"a": "ABc"})", true},
      {R"({"a": [{"prefix": "1"}]})", R"({"a": 12})", false},
      {R"({"a": [{"suffix": ".png"}]})", R"({"a": "x.png"})", true},
      {R"({"a": [{"suffix": ".png"}]})", R"({"a": "x.PNG"})", false},
      {R"({"a": [{"suffix": {"equals-ignore-case": ".png"}}]})", R"({"a": "x.PNG"})", true},
      {R"({"a": [{"suffix": "long"}]})", R"({"a": "g"})", false},
      // equals-ignore-case
      {R"({"a": [{"equals-ignore-case": "Red"}]})", R"({"a": "rED"})", true},
      {R"({"a": [{"equals-ignore-case": "Red"}]})", R"({"a": "reds"})", false},
      {R"({"a": [{"equals-ignore-case": "1"}]})", R"({"a": 1})", false},
      // numeric
      {R"({"a": [{"numeric": ["=", 5]}]})", R"({"a": 5.0})", true},
      {R"({"a": [{"numeric": [">", 0, "<=", 5]}]})", R"({"a": 5})", true},
      {R"({"a": [{"numeric": [">", 0, "<=", 5]}]})", R"({"a": 0})", false},
      {R"({"a": [{"numeric": [">=", 0, "<", 5]}]})", R"({"a": 5})", false},
      {R"({"a": [{"numeric": [">=", 0, "<", 5]}]})", R"({"a": 0})", true},
      {R"({"a": [{"numeric": ["=", 5]}]})", R"({"a": "5"})", false},
      // anything-but: an absent field is not anything
      {R"({"a": [{"anything-but": "x"}]})", R"({"a": "y"})", true},
      {R"({"a": [{"anything-but": "x"}]})", R"({"a": "x"})", false},
      {R"({"a": [{"anything-but": "x"}]})", R"({})", false},
      {R"({"a": [{"anything-but": 1}]})", R"({"a": "1"})", true},
      {R"({"a": [{"anything-but": ["x", 2]}]})", R"({"a": 2})", false},
      {R"({"a": [{"anything-but": ["x", 2]}]})", R"({"a": 3})", true},
      {R"({"a": [{"anything-but": {"prefix": "x"}}]})", R"({"a": "xy"})", false},
      {R"({"a": [{"anything-but": {"prefix": ["x", "z"]}}]})", R"({"a": "zy"})", false},
      {R"({"a": [{"anything-but": {"suffix": "x"}}]})", R"({"a": "xy"})", true},
      {R"({"a": [{"anything-but": {"equals-ignore-case": "x"}}]})", R"({"a": "X"})", false},
  });
}

TEST(FilterPattern, FieldsTogether) {
  ExpectAll({
      // several fields must all match; $or: one of them
      {R"({"a": ["x"], "b": ["y"]})", R"({"a": "x", "b": "y"})", true},
      {R"({"a": ["x"], "b": ["y"]})", R"({"a": "x", "b": "z"})", false},
      {R"({"$or": [{"a": ["x"]}, {"b": ["y"]}]})", R"({"a": "q", "b": "y"})", true},
      {R"({"$or": [{"a": ["x"]}, {"b": ["y"]}]})", R"({"a": "q", "b": "q"})", false},
      {R"({"c": ["1"], "$or": [{"a": ["x"]}, {"b": ["y"]}]})", R"({"a": "x", "c": "2"})", false},
      // nested, and lists
      {R"({"a": {"b": {"c": ["x"]}}})", R"({"a": {"b": {"c": "x"}}})", true},
      {R"({"a": {"b": {"c": ["x"]}}})", R"({"a": {"b": "x"}})", false},
      {R"({"a": {"$or": [{"b": [1]}, {"c": [2]}]}})", R"({"a": {"c": 2}})", true},
      {R"({"a": ["x"]})", R"({"a": ["y", "x"]})", true},
      {R"({"a": ["x"]})", R"({"a": []})", false},
      {R"({"a": {"b": ["x"]}})", R"({"a": [{"b": "y"}, {"b": "x"}]})", true},
      // A record of a stream.
      {R"({"eventName": ["INSERT"], "dynamodb": {"NewImage": {"n": {"N": [{"prefix": "1"}]}}}})",
       R"({"eventName": "INSERT", "dynamodb": {"NewImage": {"n": {"N": "17"}}}})", true},
  });
}

TEST(FilterPattern, OneOfSeveralIsEnough) {
  FilterSet filters;
  const auto event = ParseJson(R"({"a": "x"})", kDepthMax);
  EXPECT_TRUE(filters.Matches(*event));
  ASSERT_TRUE(filters.Add(R"({"a": ["y"]})").ok());
  EXPECT_FALSE(filters.Matches(*event));
  ASSERT_TRUE(filters.Add(R"({"a": ["x"]})").ok());
  EXPECT_TRUE(filters.Matches(*event));
}

TEST(FilterPattern, WhatIsNoneIsRefusedInWords) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "no JSON"},
      {"[]", "no object"},
      {"{}", "no field"},
      {R"({"a": "x"})", "a: wants a list"},
      {R"({"a": []})", "a: wants a list"},
      {R"({"a": {}})", "no field"},
      {R"({"a": [["x"]]})", "a rule is"},
      {R"({"a": [{}]})", "a rule is"},
      {R"({"a": [{"exists": "true"}]})", "exists: wants true or false"},
      {R"({"a": [{"prefix": 1}]})", "prefix: wants a text"},
      {R"({"a": [{"suffix": {"prefix": "x"}}]})", "suffix: wants a text"},
      {R"({"a": [{"numeric": [">"]}]})", "numeric: wants"},
      {R"({"a": [{"numeric": ["~", 1]}]})", "numeric: wants"},
      {R"({"a": [{"numeric": [">", "1"]}]})", "numeric: wants"},
      {R"({"a": [{"anything-but": []}]})", "anything-but: wants"},
      {R"({"a": [{"anything-but": {"exists": true}}]})", "anything-but: wants"},
      {R"({"a": [{"cidr": "10.0.0.0/8"}]})", "cidr is no operator"},
      {R"({"$or": []})", "$or: wants a list of patterns"},
  };
  for (const auto& [pattern, words] : cases) {
    FilterSet filters;
    const absl::Status added = filters.Add(pattern);
    EXPECT_EQ(added.code(), absl::StatusCode::kInvalidArgument) << pattern;
    EXPECT_THAT(std::string(MessageOf(added)), ::testing::HasSubstr(words)) << pattern;
    EXPECT_TRUE(filters.empty());
  }
}

}  // namespace
}  // namespace dynolith::targets
