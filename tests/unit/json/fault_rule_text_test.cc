// Fault rules as texts: what is read is what is listed, and a typing error is told instead of
// making a rule that matches everything.
#include "api/json/fault_rule_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace dynolith {
namespace {

using ::testing::HasSubstr;

std::string Listed(const FaultRule& rule) {
  std::string text;
  AppendFaultReports({{.id = 7, .rule = rule, .matches = 5, .hits = 2}}, &text);
  return text;
}

TEST(FaultRuleTextTest, ListsWhatItHasRead) {
  for (
      const std::string members :
      {R"("fault":"throttle")", R"("fault":"latency","latency":0.25)",
       R"("fault":"partial_batch","table":"songs","share":0.5)",
       R"("fault":"answer_lost","operation":"PutItem","table":"a\"b","key":{"n":{"N":"1"},"s":{"S":"x"}},)"
       R"("nth":3,"probability":0.125,"seed":18446744073709551615,"hits_max":4,"lifetime":60.5)"}) {
    const absl::StatusOr<FaultRule> rule = ReadFaultRule("{" + members + "}");
    ASSERT_TRUE(rule.ok()) << rule.status();
    EXPECT_EQ(Listed(*rule),
              R"({"faults":[{"id":7,)" + members + R"(,"matches":5,"hits":2,"expired":false}]})");
  }
  EXPECT_TRUE(ReadFaultRule(kFaultExample).ok()) << "the example that messages give";
}

TEST(FaultRuleTextTest, RefusesWhatIsNoRule) {
  const auto refusal = [](std::string_view text) {
    return std::string(ReadFaultRule(text).status().message());
  };
  for (const char* text : {"", "{", "[]", "1", "\"throttle\"", R"({"fault":"throttle"} x)"}) {
    EXPECT_THAT(refusal(text), HasSubstr("no JSON object")) << text;
  }
  EXPECT_THAT(refusal(R"({"nth":1})"), HasSubstr("needs the member \"fault\""));
  EXPECT_THAT(refusal(R"({"fault":"Throttle"})"), HasSubstr("\"fault\" is not throttle, "));
  EXPECT_THAT(refusal(R"({"fault":"throttle","Table":"x"})"), HasSubstr("no member \"Table\""));
  EXPECT_THAT(refusal(R"({"nth":1,"nth":2})"), HasSubstr("\"nth\" is there twice"));
  for (const char* member :
       {R"("nth":1.5)", R"("nth":null)", R"("hits_max":-1)", R"("seed":-1)", R"("seed":"1")",
        R"("probability":0)", R"("share":1.01)", R"("latency":true)", R"("lifetime":0)",
        R"("lifetime":1e300)", R"("table":["x"])", R"("operation":{})", R"("key":"a")",
        R"("key":{"pk":{"S":"a","N":"1"}})", R"("key":{"pk":{"N":"one"}})"}) {
    const std::string text = std::string(R"({"fault":"throttle",)") + member + "}";
    const std::string name(member, std::string_view(member).find(':'));
    EXPECT_THAT(refusal(text), HasSubstr(name)) << member;
    EXPECT_THAT(refusal(text), HasSubstr("an example: ")) << member;
  }
}

}  // namespace
}  // namespace dynolith
