// Wildcards and variables: what decides whether a statement is about a resource.
#include "tools/server/iam/policy/pattern.h"

#include <gtest/gtest.h>

#include <string_view>

namespace dynolith::iam {
namespace {

RequestContext PatternContext() {
  RequestContext context;
  context.Set("aws:username", "ann");
  context.Set("aws:PrincipalTag/team", "*");
  context.SetList("dynamodb:LeadingKeys", {"a", "b"});
  return context;
}

bool IsMatch(std::string_view pattern, std::string_view text, const PatternRules& rules = {}) {
  return Pattern::Parse(pattern, rules)->Matches(text, PatternContext());
}
bool IsArnMatch(std::string_view pattern, std::string_view arn) {
  return Pattern::Parse(pattern, {.variables = true})->MatchesArn(arn, PatternContext());
}

TEST(Patterns, Wildcards) {
  EXPECT_TRUE(IsMatch("", ""));
  EXPECT_TRUE(IsMatch("*", ""));
  EXPECT_TRUE(IsMatch("a*", "a"));
  EXPECT_TRUE(IsMatch("a*c*e", "abcdcde"));
  EXPECT_FALSE(IsMatch("a*c*e", "abcdcdf"));
  EXPECT_TRUE(IsMatch("a?c", "abc"));
  EXPECT_FALSE(IsMatch("a?c", "ac"));
  EXPECT_TRUE(IsMatch("a?c",
                      "a\xC3\xA4"
                      "c"))
      << "one character of two bytes";
  EXPECT_FALSE(IsMatch("a", "ab"));
  EXPECT_FALSE(IsMatch("*b", "ba"));
  EXPECT_TRUE(IsMatch("a*", "a*", {.wildcards = false}));
  EXPECT_FALSE(IsMatch("a*", "ab", {.wildcards = false}));
  EXPECT_TRUE(IsMatch("dynamodb:get*", "DynamoDB:GetItem", {.ignores_case = true}));
  EXPECT_FALSE(IsMatch("dynamodb:get*", "DynamoDB:GetItem"));
}

TEST(Patterns, Variables) {
  const PatternRules rules = {.variables = true};
  EXPECT_TRUE(IsMatch("home/${aws:username}", "home/ann", rules));
  EXPECT_TRUE(IsMatch("home/${AWS:UserName}/*", "home/ann/x", rules)) << "keys have no case";
  EXPECT_FALSE(IsMatch("home/${aws:username}", "home/ann"));
  EXPECT_TRUE(IsMatch("home/${aws:username}", "home/${aws:username}"));
  // A value is no wildcard, whatever is in it.
  EXPECT_TRUE(IsMatch("${aws:PrincipalTag/team}", "*", rules));
  EXPECT_FALSE(IsMatch("${aws:PrincipalTag/team}", "x", rules));
  EXPECT_TRUE(IsMatch("${*}${?}${$}", "*?$", rules));
  EXPECT_FALSE(IsMatch("${*}", "x", rules));
  // None, or several.
  EXPECT_FALSE(IsMatch("${aws:PrincipalTag/none}", "", rules));
  EXPECT_FALSE(IsMatch("*${dynamodb:LeadingKeys}", "a", rules));
  EXPECT_TRUE(IsMatch("${aws:PrincipalTag/none, 'all'}-x", "all-x", rules));
  EXPECT_FALSE(IsMatch("${aws:username, 'all'}", "all", rules));
  EXPECT_FALSE(Pattern::Parse("${aws:username", rules).has_value());
  EXPECT_FALSE(Pattern::Parse("${}", rules).has_value());
  EXPECT_FALSE(Pattern::Parse("${a, b}", rules).has_value());
}

TEST(Patterns, ArnsByTheirParts) {
  constexpr std::string_view kTable = "arn:aws:dynamodb:us-east-1:000000000000:table/a";
  EXPECT_TRUE(IsArnMatch("*", kTable));
  EXPECT_TRUE(IsArnMatch("*", "*"));
  EXPECT_TRUE(IsArnMatch("arn:aws:dynamodb:*:*:table/a", kTable));
  EXPECT_TRUE(IsArnMatch("arn:aws:dynamodb:us-*:000000000000:*", kTable));
  EXPECT_FALSE(IsArnMatch("arn:aws:dynamodb:*:table/a", kTable)) << "no wildcard for two parts";
  EXPECT_FALSE(IsArnMatch("arn:aws:s3:*:*:table/a", kTable));
  EXPECT_TRUE(IsArnMatch("arn:aws:dynamodb", kTable)) << "missing parts are wildcards";
  EXPECT_FALSE(IsArnMatch("arn:aws:dynamodb:*:*:table/*", "*"));
  EXPECT_FALSE(IsArnMatch("arn:aws:dynamodb:*:*:table/a", "arn:aws:dynamodb"));
  // The last part may have colons.
  constexpr std::string_view kStream =
      "arn:aws:dynamodb:us-east-1:000000000000:table/a/stream/2026-11-28T09:30:00.000";
  EXPECT_TRUE(IsArnMatch("arn:aws:dynamodb:*:*:table/a/stream/*", kStream));
  EXPECT_TRUE(IsArnMatch("arn:aws:dynamodb:*:*:table/*/stream/2026-11-28T09:30:00.000", kStream));
  EXPECT_FALSE(IsArnMatch("arn:aws:dynamodb:*:*:table/a", kStream));
  EXPECT_TRUE(IsArnMatch("arn:aws:dynamodb:*:*:table/${aws:username}",
                         "arn:aws:dynamodb:us-east-1:000000000000:table/ann"));
}

}  // namespace
}  // namespace dynolith::iam
