// How little is simulated until it is certain whether a design serves (api/facts/capacity.md §4 for
// what one key gets).
#include "tools/lab/advise/placements.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"
#include "tools/lab/advise/design_change.h"

namespace dynolith::lab {
namespace {

// Counts what it simulates.
class PlacementsTest : public ::testing::Test {
 protected:
  static Experiment Design(int64_t shards) {
    Experiment design =
        dynolith::testing::ReadExperiments(dynolith::testing::OneKey("64s", 2'000)).at(0);
    SetShards({.kind = OpenMember::Kind::kShards, .source = 0}, shards, &design);
    return design;
  }
  std::optional<RunResult> Simulate(const Experiment& experiment,
                                    absl::FunctionRef<bool(const RunProgress&)> go_on) {
    RunResult run = lab::Simulate(experiment, go_on);
    decisions_ += run.decisions;
    return run;
  }
  uint64_t TakeDecisions() { return std::exchange(decisions_, 0); }

  static constexpr uint64_t kWhole = 64 * 2'000;
  const AdviceRequest request_ = {.placements = 10, .serves = 0.9, .open = {}};
  const Experiment start_ = Design(1);
  Placements placements_{start_, request_, [this](const Experiment& experiment, const auto& go_on) {
                           return Simulate(experiment, go_on);
                         }};
  uint64_t decisions_ = 0;
};

// Published figures of Wilson's interval; all of 20 are no proof of all.
TEST(LikelyPartTest, NarrowsWithTheNumberOfPlacements) {
  EXPECT_NEAR(FindLikelyPart(20, 20).least, 0.8389, 1e-4);
  EXPECT_EQ(FindLikelyPart(20, 20).most, 1);
  EXPECT_NEAR(FindLikelyPart(8, 10).least, 0.4902, 1e-4);
  EXPECT_NEAR(FindLikelyPart(8, 10).most, 0.9433, 1e-4);
  EXPECT_EQ(FindLikelyPart(0, 2).least, 0);
  EXPECT_NEAR(FindLikelyPart(0, 2).most, 0.6576, 1e-4);
}

TEST_F(PlacementsTest, AFailureEndsEarly) {
  const std::optional<Judgement> certain = placements_.Judge(start_, FailedRun::kUntilCertain);
  ASSERT_TRUE(certain);
  EXPECT_FALSE(certain->serves);
  EXPECT_EQ(certain->served, 0);
  EXPECT_EQ(certain->tried, 2);
  EXPECT_FALSE(certain->run.is_complete);
  EXPECT_LT(TakeDecisions(), kWhole / 10);
  // Who wants to tell of it gets all of a run.
  RunResult told = certain->run;
  ASSERT_TRUE(placements_.Complete(&told));
  EXPECT_TRUE(told.is_complete);
  EXPECT_EQ(TakeDecisions(), kWhole);
  const std::optional<Judgement> whole = placements_.Judge(start_, FailedRun::kWhole);
  EXPECT_TRUE(whole->run.is_complete);
  EXPECT_EQ(TakeDecisions(), kWhole);
}

TEST_F(PlacementsTest, NoPlacementIsTriedTwice) {
  const Experiment design = Design(200);
  const std::optional<Judgement> probed = placements_.Probe(design, FailedRun::kUntilCertain);
  ASSERT_TRUE(probed && probed->serves);
  EXPECT_TRUE(probed->run.is_complete);
  const uint64_t first = TakeDecisions();
  const std::optional<Judgement> judged = placements_.Judge(design, FailedRun::kUntilCertain);
  ASSERT_TRUE(judged && judged->serves);
  EXPECT_EQ(judged->tried, 10);
  EXPECT_LE(TakeDecisions(), first + kWhole / 10);
}

// After a glance at each, those come first that will fail.
TEST_F(PlacementsTest, WhatFailsInFewPlacementsIsFoundSoon) {
  for (int64_t shards = 6; shards <= 12; ++shards) {
    Placements placements(start_, request_,
                          [this](const Experiment& experiment, const auto& go_on) {
                            return Simulate(experiment, go_on);
                          });
    const std::optional<Judgement> judged =
        placements.Judge(Design(shards), FailedRun::kUntilCertain);
    ASSERT_TRUE(judged);
    const uint64_t decisions = TakeDecisions();
    EXPECT_TRUE(judged->serves || decisions < 2 * kWhole) << shards << ": " << decisions;
  }
}

}  // namespace
}  // namespace dynolith::lab
