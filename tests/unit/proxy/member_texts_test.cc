// Members of an object are found and changed where they stand, and nothing else is.
#include "tools/proxy/member_texts.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace dynolith::proxy {
namespace {

std::string Without(std::string_view object, std::string_view name) {
  const std::optional<MemberSpan> span = FindMember(object, name);
  return span ? WithoutMember(object, *span) : "none";
}

TEST(MemberTexts, AreTakenOut) {
  EXPECT_EQ(Without(R"({"a":1})", "a"), "{}");
  EXPECT_EQ(Without(R"({ "a" : "x" })", "a"), "{  }");
  EXPECT_EQ(Without(R"({"a":1,"b":2})", "a"), R"({"b":2})");
  EXPECT_EQ(Without(R"({"a":1, "b" : {"c":[1,"]}"]} })", "b"), R"({"a":1 })");
  EXPECT_EQ(Without(R"({"a":[{"b":1},"\"b\":2"],"b":true,"c":3})", "b"),
            R"({"a":[{"b":1},"\"b\":2"],"c":3})");
}

TEST(MemberTexts, AreNotFoundWhereTheyAreNot) {
  for (const std::string_view object :
       {"", "[]", "{}", "x", R"({"b":1})", R"({"b":{"a":1}})", R"({"b":"a"})", R"({"aa":1})",
        R"({"a")", R"({"b":1 "a":2})", R"(["a"])"}) {
    EXPECT_EQ(Without(object, "a"), "none") << object;
  }
}

// A text that ends anywhere is read no further.
TEST(MemberTexts, EndAnywhere) {
  const std::string whole = R"({"x":"\"","y":[1,{"a":2}], "a" : {"b":"c"} })";
  for (size_t size = 0; size <= whole.size(); ++size) {
    const std::string text = whole.substr(0, size);
    const std::optional<MemberSpan> span = FindMember(text, "a");
    if (span) {
      EXPECT_LE(span->end, text.size());
      EXPECT_LT(WithoutMember(text, *span).size(), text.size());
    }
  }
  EXPECT_TRUE(FindMember(whole, "a"));
}

TEST(MemberTexts, AreAdded) {
  EXPECT_EQ(WithMember("{}", "a", "1"), R"({"a":1})");
  EXPECT_EQ(WithMember(" { }", "a", "1"), R"( {"a":1 })");
  EXPECT_EQ(WithMember(R"({"b":2})", "a", "1"), R"({"a":1,"b":2})");
}

}  // namespace
}  // namespace dynolith::proxy
