// What time to live deletes in a simulation: for nothing, 10 to 30 minutes after it has expired
// (api/facts/operations.md §5.4), from the table and its indexes, and not what is written again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"
#include "tools/lab/experiment/experiment_doubts.h"

namespace dynolith::lab {
namespace {

using testing::OneTable;
using testing::RunExperiment;

std::string Sessions(std::string_view duration, std::string_view more) {
  return OneTable(duration, Concat(R"(
[[table.index]]
name = "i"
partition_key = "g"
entry_size = 50
[keys.new]
distribution = "ascending"
[keys.some]
distribution = "uniform"
count = 10
)",
                                   more));
}

RunResult RunOfSessions(std::string_view duration, std::string_view more) {
  return RunExperiment(testing::ReadExperiments(Sessions(duration, more)).at(0));
}

constexpr std::string_view kNewSessions = R"([[access]]
name = "begin"
operation = "PutItem"
key = { pk = "new", g = "some" }
ttl = "10m"
load = { rate = 1 }
)";

TEST(TimeToLive, ItemsGoWithTheirEntriesForNothing) {
  const RunResult run = RunOfSessions("2h", kNewSessions);
  const ResourceResult& table = run.resources[0];
  const ResourceResult& index = run.resources[1];
  EXPECT_EQ(table.units.write, 7'200);
  EXPECT_EQ(index.units.write, 7'200);
  const double left = 7'200 - table.expired;
  EXPECT_GE(left, 20 * 60);
  EXPECT_LE(left, 40 * 60);
  EXPECT_EQ(static_cast<double>(table.moments.back().bytes), 100 * left);
  EXPECT_EQ(static_cast<double>(index.moments.back().bytes), 150 * left);
  EXPECT_EQ(index.expired, table.expired);
  EXPECT_EQ(table.expired_units, table.expired);
}

// Ten keys, each written until an hour has passed: then no more.
TEST(TimeToLive, WhatIsWrittenAgainLivesLonger) {
  const auto run = [](std::string_view duration) {
    return RunOfSessions(duration, R"([[access]]
name = "touch"
operation = "UpdateItem"
key.pk = "some"
ttl = "5m"
load = { shape = "steps", steps = [{ at = "0s", rate = 1 }, { at = "1h", rate = 0 }] }
)");
  };
  EXPECT_EQ(run("1h").resources[0].expired, 0);
  EXPECT_NEAR(run("2h").resources[0].expired, 10, 0.001);
  EXPECT_EQ(run("2h").resources[0].moments.back().bytes, 0);
}

TEST(TimeToLive, WhatIsDeletedBeforeDoesNotExpire) {
  const RunResult run = RunOfSessions("2h", Concat(kNewSessions, R"([[access]]
name = "end"
operation = "DeleteItem"
key.pk = { distribution = "ascending", prefix = "new#" }
load = { rate = 1 }
)"));
  EXPECT_EQ(run.resources[0].expired, 0);
}

TEST(TimeToLive, ItIsSaidThatTheExperimentIsTooShort) {
  const auto doubts = [](std::string_view duration) {
    std::vector<std::string> doubts;
    AddDoubts(testing::ReadExperiments(Sessions(duration, kNewSessions)).at(0), &doubts);
    return doubts;
  };
  EXPECT_THAT(doubts("1h"), ::testing::IsEmpty());
  EXPECT_THAT(
      doubts("30m"),
      ::testing::ElementsAre(::testing::HasSubstr(
          "which lasts 30 min: from a write until its item is deleted it takes up to 40 min")));
}

}  // namespace
}  // namespace dynolith::lab
