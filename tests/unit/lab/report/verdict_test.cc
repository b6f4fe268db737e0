// The verdict names what was throttled, since when, how much of it and what helps, and does not
// call good what only burst capacity carried.
#include "tools/lab/report/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"

namespace dynolith::lab {
namespace {

using ::testing::HasSubstr;
using testing::OneKey;
using testing::OneTable;
using testing::ReadExperiments;
using testing::RunExperiment;

std::vector<Finding> VerdictOn(std::string_view text) {
  return MakeVerdict(RunExperiment(ReadExperiments(text).front()));
}

// Of many keys at this load, where so many write units are provisioned.
std::string Provisioned(std::string_view units, std::string_view load) {
  return OneTable("10m",
                  Concat("billing = \"provisioned\"\nunits = { read = 10, write = ", units,
                         " }\n[[access]]\nname = \"write\"\noperation = \"PutItem\"\nkey.pk = { "
                         "distribution = \"uniform\", count = 10000 }\nload = ",
                         load, "\n"));
}

TEST(VerdictTest, AKeyMeetsItsPartitionsLimit) {
  const std::vector<Finding> verdict = VerdictOn(OneKey("60s", 3'000));
  ASSERT_EQ(verdict.size(), 1);
  const Finding& finding = verdict.front();
  EXPECT_EQ(finding.kind, Finding::Kind::kThrottled);
  EXPECT_EQ(finding.resource, "t");
  EXPECT_EQ(finding.access, AccessKind::kWrite);
  EXPECT_EQ(finding.limit, ThroughputLimit::kKeyRange);
  EXPECT_EQ(finding.key, "one");
  EXPECT_EQ(finding.attempts, 180'000);
  EXPECT_NEAR(finding.share, 2.0 / 3, 0.02);
  EXPECT_EQ(finding.from, 0);
  EXPECT_EQ(finding.to, kMinute);
  EXPECT_EQ(finding.sentence,
            "66.1 % of the writes of t (119,000 of 180,000 attempts) were throttled from 00:00:00 "
            "on: key one of t (100 % of it) met its partition's 1,000 write units a second. What "
            "helps: more shards of its keys, another key, or a queue that collects writes.");
}

// As when the keys that were throttled were too many to be counted.
TEST(VerdictTest, AKeyThatWasNotThrottledIsNotNamed) {
  RunResult run = RunExperiment(ReadExperiments(OneKey("10s", 3'000)).front());
  run.resources.front().hottest.front().throttled = {};
  const Finding finding = MakeVerdict(run).front();
  EXPECT_EQ(finding.key, "");
  EXPECT_THAT(finding.sentence,
              ::testing::Not(::testing::AnyOf(HasSubstr("one"), HasSubstr(" 0 %"))));
}

// More than that it cannot give, however low its target.
TEST(VerdictTest, AutoScalingMeetsItsMaximum) {
  const std::string text = Provisioned("50", "{ rate = 400 }");
  const auto scaled_to = [&text](std::string_view maximum) {
    std::string file = text;
    file.insert(
        file.find("[[access]]"),
        Concat("auto_scaling.write = { minimum = 50, maximum = ", maximum, ", target = 70 }\n"));
    const size_t duration = file.find("\"10m\"");
    return VerdictOn(file.replace(duration, 5, "\"20m\"")).front();
  };
  const Finding met = scaled_to("60");
  EXPECT_EQ(met.helps, "a higher maximum of auto scaling, or on demand");
  EXPECT_THAT(met.sentence,
              HasSubstr("t had 60.0 write units a second, the maximum of its auto scaling. What"));
  const Finding late = scaled_to("1000");
  EXPECT_EQ(late.helps, "a higher minimum or a lower target of auto scaling, or on demand");
  EXPECT_THAT(late.sentence, HasSubstr(": auto scaling takes minutes"));
}

TEST(VerdictTest, ProvisionedUnitsAreUsedUp) {
  const std::vector<Finding> verdict =
      VerdictOn(Provisioned("100",
                            "{ shape = \"steps\", steps = [{ at = 0, rate = 10 }, { at = \"4m\", "
                            "rate = 400 }] }"));
  ASSERT_EQ(verdict.size(), 1);
  EXPECT_EQ(verdict.front().limit, ThroughputLimit::kProvisionedThroughput);
  // What was saved, 300 × 100, lasts for 100 s of 300 more.
  EXPECT_NEAR(static_cast<double>(*verdict.front().from / kSecond), 240 + 100, 2);
  EXPECT_EQ(verdict.front().key, "");
  EXPECT_THAT(verdict.front().sentence, HasSubstr("t had used up its 100 write units a second and "
                                                  "what was saved. What helps: more write units"));
}

// 1,800 units a second of 1,500 for five minutes: all served, and no design to keep.
TEST(VerdictTest, BurstCapacityIsNotPassedOver) {
  const std::vector<Finding> verdict =
      VerdictOn(Provisioned("1500",
                            "{ shape = \"steps\", steps = [{ at = 0, rate = 1000 }, { at = \"2m\", "
                            "rate = 1800 }, { at = \"7m\", rate = 1000 }] }"));
  ASSERT_EQ(verdict.size(), 2);
  EXPECT_EQ(verdict.front().kind, Finding::Kind::kBurst);
  EXPECT_EQ(verdict.front().resource, "t");
  EXPECT_EQ(verdict.front().from, 2 * kMinute);
  EXPECT_EQ(verdict.front().to, 7 * kMinute);
  EXPECT_NEAR(verdict.front().units, 1'800, 1e-6);
  EXPECT_EQ(verdict.front().provisioned, 1'500);
  // 300 × 1,500 at 300 a second.
  EXPECT_EQ(verdict.front().empty_after, 1'500 * kSecond);
  EXPECT_EQ(verdict.front().sentence,
            "t consumed 1,800 of 1,500 provisioned write units a second from 00:02:00 to 00:07:00: "
            "burst capacity carried it, and 20.0 % of that was gone; at that load it is empty "
            "after 25 min. Do not count on it. What helps: more write units, auto scaling, or on "
            "demand.");
  EXPECT_EQ(verdict.back().kind, Finding::Kind::kServed);
  EXPECT_EQ(verdict.back().reserve, 0);
}

TEST(VerdictTest, WhatIsServedHasAReserve) {
  const std::vector<Finding> verdict = VerdictOn(Provisioned("100", "{ rate = 60 }"));
  ASSERT_EQ(verdict.size(), 1);
  EXPECT_EQ(verdict.front().kind, Finding::Kind::kServed);
  EXPECT_EQ(verdict.front().share, 1);
  EXPECT_NEAR(*verdict.front().reserve, 0.4, 1e-9);
  EXPECT_EQ(verdict.front().sentence,
            "Nothing was throttled, and 100 % of 36,000 operations were served; the least that was "
            "left in reserve is 40.0 %: t took 60.0 of the 100 write units a second that are "
            "provisioned, in its busiest minute.");
}

// Reads of one index and writes of the table, by two limits.
TEST(VerdictTest, TheWorstIsFirst) {
  const std::vector<Finding> verdict = VerdictOn(OneTable(
      "60s",
      "[[table.index]]\nname = \"by\"\npartition_key = \"by\"\n"
      "[[access]]\nname = \"write\"\noperation = \"PutItem\"\n"
      "key.pk = { distribution = \"uniform\", count = 10000 }\n"
      "key.by = { distribution = \"list\", values = [\"all\"] }\nload = { rate = 3000 }\n"
      "[[access]]\nname = \"read\"\noperation = \"GetItem\"\nconsistency = \"strong\"\n"
      "key.pk = { distribution = \"list\", values = [\"pk#1\"] }\nload = { rate = 4000 }\n"));
  ASSERT_EQ(verdict.size(), 2);
  EXPECT_EQ(verdict[0].resource, "t/by");
  EXPECT_EQ(verdict[0].key, "all");
  EXPECT_EQ(verdict[0].helps, "more shards of the index, or another key for it");
  EXPECT_EQ(verdict[1].resource, "t");
  EXPECT_EQ(verdict[1].access, AccessKind::kRead);
  EXPECT_EQ(verdict[1].key, "pk#1");
  EXPECT_THAT(verdict[1].helps, HasSubstr("eventually consistent reads, a cache"));
  EXPECT_GT(verdict[0].throttled, verdict[1].throttled);
}

}  // namespace
}  // namespace dynolith::lab
