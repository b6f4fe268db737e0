// The condition operators, each with values that do and do not hold, and what absent keys mean.
#include "tools/server/iam/policy/condition.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace dynolith::iam {
namespace {

bool Holds(std::string_view name, const std::vector<std::string>& wanted,
           const std::vector<std::string>& values, bool is_absent = false) {
  Condition condition{.compare = *ParseOperator(name, /*variables=*/true), .key = "a:Key"};
  for (const std::string& text : wanted) {
    auto value = ParseConditionValue(condition.compare, text);
    EXPECT_TRUE(value.ok()) << value.status();
    condition.values.push_back(*std::move(value));
  }
  RequestContext context;
  context.Set("aws:username", "ann");
  if (!is_absent) context.SetList("A:KEY", values);
  return condition.Holds(context);
}
bool HoldsWithout(std::string_view name, const std::vector<std::string>& wanted) {
  return Holds(name, wanted, {}, /*is_absent=*/true);
}

TEST(Conditions, Strings) {
  EXPECT_TRUE(Holds("StringEquals", {"a", "b"}, {"b"}));
  EXPECT_FALSE(Holds("StringEquals", {"a", "b"}, {"B"}));
  EXPECT_FALSE(Holds("StringEquals", {"*"}, {"B"}));
  EXPECT_TRUE(Holds("StringEquals", {"${aws:username}"}, {"ann"}));
  EXPECT_TRUE(Holds("StringNotEquals", {"a", "b"}, {"c"}));
  EXPECT_FALSE(Holds("StringNotEquals", {"a", "b"}, {"b"}));
  EXPECT_TRUE(Holds("StringEqualsIgnoreCase", {"Ab"}, {"aB"}));
  EXPECT_FALSE(Holds("StringNotEqualsIgnoreCase", {"Ab"}, {"aB"}));
  EXPECT_TRUE(Holds("StringLike", {"a?c*"}, {"abcd"}));
  EXPECT_FALSE(Holds("StringLike", {"a?c*"}, {"abd"}));
  EXPECT_TRUE(Holds("StringNotLike", {"a*"}, {"b"}));
  EXPECT_FALSE(Holds("StringNotLike", {"a*"}, {"ab"}));
}

TEST(Conditions, Numbers) {
  EXPECT_TRUE(Holds("NumericEquals", {"10"}, {"10.0"}));
  EXPECT_FALSE(Holds("NumericEquals", {"10"}, {"ten"}));
  EXPECT_TRUE(Holds("NumericNotEquals", {"10"}, {"11"}));
  EXPECT_TRUE(Holds("NumericLessThan", {"10"}, {"9.5"}));
  EXPECT_FALSE(Holds("NumericLessThan", {"10"}, {"10"}));
  EXPECT_TRUE(Holds("NumericLessThanEquals", {"10"}, {"10"}));
  EXPECT_TRUE(Holds("NumericGreaterThan", {"-1"}, {"0"}));
  EXPECT_FALSE(Holds("NumericGreaterThan", {"0"}, {"0"}));
  EXPECT_TRUE(Holds("NumericGreaterThanEquals", {"0"}, {"0"}));
  EXPECT_FALSE(ParseConditionValue(*ParseOperator("NumericEquals", true), "1x").ok());
}

TEST(Conditions, Dates) {
  EXPECT_TRUE(Holds("DateEquals", {"2026-11-28"}, {"2026-11-28T00:00:00Z"}));
  EXPECT_TRUE(Holds("DateEquals", {"2026-11-28T01:00:00+01:00"}, {"2026-11-28T00:00:00.000Z"}));
  EXPECT_TRUE(Holds("DateEquals", {"0"}, {"1970-01-01T00:00Z"}));
  EXPECT_TRUE(Holds("DateNotEquals", {"2026-11-28"}, {"2026-11-29T00:00:00Z"}));
  EXPECT_TRUE(Holds("DateLessThan", {"2026-11-28T12:00:00Z"}, {"2026-11-28T11:59:59.9Z"}));
  EXPECT_FALSE(Holds("DateLessThan", {"2026-11-28T12:00:00Z"}, {"2026-11-28T12:00:00Z"}));
  EXPECT_TRUE(Holds("DateLessThanEquals", {"2026-11-28T12:00:00Z"}, {"2026-11-28T12:00:00Z"}));
  EXPECT_TRUE(Holds("DateGreaterThan", {"2026"}, {"1800000000"}));
  EXPECT_FALSE(Holds("DateGreaterThan", {"2026-11"}, {"2026-11-01T00:00:00Z"}));
  EXPECT_TRUE(Holds("DateGreaterThanEquals", {"2026-11"}, {"2026-11-01T00:00:00Z"}));
  EXPECT_FALSE(ParseConditionValue(*ParseOperator("DateEquals", true), "28.11.2026").ok());
}

TEST(Conditions, OtherTypes) {
  EXPECT_TRUE(Holds("Bool", {"true"}, {"TRUE"}));
  EXPECT_FALSE(Holds("Bool", {"true"}, {"false"}));
  EXPECT_TRUE(Holds("BinaryEquals", {"aGk="}, {"aGk="}));
  EXPECT_FALSE(Holds("BinaryEquals", {"aGk="}, {"aGg="}));
  EXPECT_TRUE(Holds("IpAddress", {"10.0.0.0/8", "::1"}, {"10.9.8.7"}));
  EXPECT_TRUE(Holds("IpAddress", {"10.0.0.0/8", "::1"}, {"::1"}));
  EXPECT_FALSE(Holds("IpAddress", {"10.0.0.0/8"}, {"11.0.0.1"}));
  EXPECT_FALSE(Holds("IpAddress", {"10.0.0.0/8"}, {"here"}));
  EXPECT_TRUE(Holds("IpAddress", {"2001:db8::/33"}, {"2001:db8:7fff::1"}));
  EXPECT_FALSE(Holds("IpAddress", {"2001:db8::/33"}, {"2001:db8:8000::1"}));
  EXPECT_TRUE(Holds("NotIpAddress", {"10.0.0.0/8"}, {"11.0.0.1"}));
  EXPECT_FALSE(Holds("NotIpAddress", {"10.0.0.0/8"}, {"10.0.0.1"}));
  const std::string arn = "arn:aws:iam::111122223333:role/ops";
  EXPECT_TRUE(Holds("ArnEquals", {"arn:aws:iam::*:role/o?s"}, {arn}));
  EXPECT_TRUE(Holds("ArnLike", {"arn:aws:iam::*:role/*"}, {arn}));
  EXPECT_FALSE(Holds("ArnLike", {"arn:aws:iam::*role/*"}, {arn}));
  EXPECT_TRUE(Holds("ArnNotLike", {"arn:aws:iam::*:user/*"}, {arn}));
  EXPECT_FALSE(Holds("ArnNotEquals", {"arn:aws:iam::*:role/*"}, {arn}));
}

TEST(Conditions, AbsentKeys) {
  EXPECT_FALSE(HoldsWithout("StringEquals", {"a"}));
  EXPECT_TRUE(HoldsWithout("StringNotEquals", {"a"}));
  EXPECT_TRUE(HoldsWithout("StringEqualsIfExists", {"a"}));
  EXPECT_FALSE(Holds("StringEqualsIfExists", {"a"}, {"b"}));
  EXPECT_TRUE(HoldsWithout("ForAllValues:StringEquals", {"a"}));
  EXPECT_FALSE(HoldsWithout("ForAnyValue:StringEquals", {"a"}));
  EXPECT_FALSE(HoldsWithout("ForAnyValue:StringNotEquals", {"a"}));
  EXPECT_TRUE(HoldsWithout("ForAnyValue:StringEqualsIfExists", {"a"}));
  EXPECT_TRUE(HoldsWithout("Null", {"true"}));
  EXPECT_FALSE(HoldsWithout("Null", {"false"}));
  EXPECT_FALSE(Holds("Null", {"true"}, {"x"}));
  EXPECT_TRUE(Holds("Null", {"false"}, {"x"}));
}

TEST(Conditions, SeveralValues) {
  EXPECT_TRUE(Holds("ForAllValues:StringEquals", {"a", "b", "c"}, {"a", "b"}));
  EXPECT_FALSE(Holds("ForAllValues:StringEquals", {"a", "b", "c"}, {"a", "d"}));
  EXPECT_TRUE(Holds("ForAnyValue:StringEquals", {"a"}, {"b", "a"}));
  EXPECT_FALSE(Holds("ForAnyValue:StringEquals", {"a"}, {"b", "c"}));
  EXPECT_TRUE(Holds("ForAllValues:StringNotEquals", {"a"}, {"b", "c"}));
  EXPECT_FALSE(Holds("ForAllValues:StringNotEquals", {"a"}, {"b", "a"}));
  EXPECT_TRUE(Holds("ForAnyValue:StringNotEquals", {"a"}, {"b", "a"}));
  EXPECT_FALSE(Holds("ForAnyValue:StringNotEquals", {"a"}, {"a", "a"}));
  EXPECT_TRUE(Holds("StringEquals", {"a"}, {"b", "a"}));
  EXPECT_FALSE(Holds("StringNotEquals", {"a"}, {"b", "a"}));
}

}  // namespace
}  // namespace dynolith::iam
