// What --staleness and the admin endpoint's bodies may say: a rule that is misread would make a
// test pass for the wrong reason.
#include "api/service/staleness_text.h"

#include <gtest/gtest.h>

#include <string>

namespace dynolith {
namespace {

// "music/by-year random 1s monotonic"
std::string Shown(std::string_view text) {
  const auto rule = ParseStalenessRule(text);
  if (!rule) return "no rule";
  constexpr const char* kKinds[] = {"none", "fixed", "random", "held"};
  std::string shown = rule->of.table;
  if (!rule->of.index.empty()) shown += "/" + rule->of.index;
  if (rule->of.stream) shown += ":stream";
  shown += std::string(" ") + kKinds[static_cast<int>(rule->kind)] + " " +
           absl::FormatDuration(rule->bound);
  return rule->monotonic ? shown + " monotonic" : shown;
}

TEST(StalenessTextTest, Rules) {
  EXPECT_EQ(Shown("500ms"), " fixed 500ms");
  EXPECT_EQ(Shown("fixed:2s"), " fixed 2s");
  EXPECT_EQ(Shown("random:1.5s,monotonic"), " random 1.5s monotonic");
  EXPECT_EQ(Shown("music=held"), "music held 0");
  EXPECT_EQ(Shown("music=none"), "music none 0");
  EXPECT_EQ(Shown("music/by-year=random:1h"), "music/by-year random 1h");
  EXPECT_EQ(Shown("mu_s.i-c:stream=1s"), "mu_s.i-c:stream fixed 1s");
}

TEST(StalenessTextTest, NoRules) {
  for (const char* text : {"",
                           "music",
                           "music=",
                           "=1s",
                           "music=fixed",
                           "music=fixed:",
                           "music=1",
                           "/i=1s",
                           "t/=1s",
                           "t/i/j=1s",
                           "t:streams=1s",
                           "t/i:stream=1s",
                           ":stream=1s",
                           "t:stream/i=1s",
                           "1s,monotone",
                           "1s,",
                           "random:1s,monotonic,monotonic",
                           "held:1s",
                           "t,u=1s",
                           "t=u=1s",
                           "fixed:random:1s"}) {
    EXPECT_EQ(Shown(text), "no rule") << text;
  }
}

TEST(StalenessTextTest, Bodies) {
  EXPECT_EQ(ParseScopeBody(""), ReadScope());
  EXPECT_EQ(ParseScopeBody("{}"), ReadScope());
  EXPECT_EQ(ParseScopeBody(R"({"table": "t"})"), ReadScope{.table = "t"});
  EXPECT_EQ(ParseScopeBody(R"({"index": "i", "table": "t"})"), (ReadScope{"t", "i", false}));
  EXPECT_EQ(ParseScopeBody(R"({"table": "t", "stream": true})"), (ReadScope{"t", "", true}));
  EXPECT_EQ(ParseScopeBody(R"({"table": "t", "stream": false})"), ReadScope{.table = "t"});
  for (const char* body :
       {"[]", "1", "{", R"({"table": ""})", R"({"table": 1})", R"({"index": "i"})",
        R"({"stream": true})", R"({"table": "t", "index": "i", "stream": true})",
        R"({"table": "t", "stream": "true"})", R"({"table": "t", "name": "x"})",
        R"({"table": {"t": 1}})"}) {
    EXPECT_EQ(ParseScopeBody(body), std::nullopt) << body;
  }
}

TEST(StalenessTextTest, State) {
  StalenessState state;
  std::string body;
  AppendStaleness(state, &body);
  EXPECT_EQ(body, R"({"rules":[],"held":[],"snapshots":0})");
  state.rules = {*ParseStalenessRule("music/by-year=random:1s,monotonic"),
                 *ParseStalenessRule("held")};
  state.holds = {{{}, absl::FromUnixSeconds(7)},
                 {{.table = "music", .stream = true}, absl::FromUnixMillis(8500)}};
  state.snapshots = 3;
  body.clear();
  AppendStaleness(state, &body);
  EXPECT_EQ(body, R"({"rules":[{"table":"music","index":"by-year","kind":"random","seconds":1.0,)"
                  R"("monotonic":true},{"kind":"held"}],"held":[{"since":7},{"table":"music",)"
                  R"("stream":true,"since":8.500}],"snapshots":3})");
}

}  // namespace
}  // namespace dynolith
