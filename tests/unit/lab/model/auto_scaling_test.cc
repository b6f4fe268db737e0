// When auto scaling changes units, and to how many, minute by minute (api/facts/capacity.md §8).
#include "tools/lab/model/auto_scaling.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/lab/lab_run.h"

namespace dynolith::lab {
namespace {

constexpr Micros kHour = 60 * kMinute;

AutoScaling Writes(int64_t minimum, int64_t maximum) {
  AutoScaling scaling;
  scaling.rules.write = ScalingRule{minimum, maximum, 0.7};
  return scaling;
}

// A table whose minutes are told one after the other; what was done in each of them.
class Minutes {
 public:
  Minutes(const AutoScaling& scaling, int64_t units) : scaler_(scaling, {1, units}) {}

  // Passes `count` minutes, each with so many write units a second.
  void Pass(int count, double rate) {
    for (int i = 0; i < count; ++i) {
      for (int second = 1; second <= 60; ++second) {
        now_ += kSecond;
        for (const ScalingEvent& event : scaler_.Advance(now_)) events_.push_back(event);
      }
      scaler_.CloseMinute(now_, {0, rate * 60});
    }
  }
  int64_t units() const { return scaler_.units().write; }
  const std::vector<ScalingEvent>& events() const { return events_; }

 private:
  AutoScaler scaler_;
  Micros now_ = 0;
  std::vector<ScalingEvent> events_;
};

TEST(AutoScaler, TwoMinutesAboveTheTargetThenAnAlarmAndAnUpdate) {
  Minutes minutes(Writes(10, 1'000), 100);
  minutes.Pass(5, 70);  // at the target
  minutes.Pass(2, 140);
  // One minute for the alarm, three for the update.
  minutes.Pass(3, 140);
  EXPECT_EQ(minutes.units(), 100);
  minutes.Pass(1, 140);
  EXPECT_EQ(minutes.units(), 200);
  ASSERT_EQ(minutes.events().size(), 1);
  EXPECT_EQ(minutes.events().front().at, 11 * kMinute);
  EXPECT_EQ(minutes.events().front().kind, AccessKind::kWrite);
  EXPECT_EQ(minutes.events().front().before, 100);
  // 140 is the target of 200.
  minutes.Pass(60, 140);
  EXPECT_EQ(minutes.events().size(), 1);
}

TEST(AutoScaler, OneMinuteIsNoBreach) {
  Minutes minutes(Writes(10, 1'000), 100);
  for (int i = 0; i < 20; ++i) {
    minutes.Pass(1, 500);
    minutes.Pass(1, 60);
  }
  EXPECT_TRUE(minutes.events().empty());
}

TEST(AutoScaler, FifteenMinutesTwentyPointsBelow) {
  Minutes minutes(Writes(10, 1'000), 100);
  minutes.Pass(60, 50);  // 50 % is not below 70 - 20
  EXPECT_TRUE(minutes.events().empty());
  minutes.Pass(14, 35);
  minutes.Pass(1, 51);
  minutes.Pass(14, 35);
  minutes.Pass(1, 42);
  EXPECT_TRUE(minutes.events().empty());
  minutes.Pass(4, 35);
  // The highest of the fifteen.
  EXPECT_EQ(minutes.units(), 60);
}

TEST(AutoScaler, BetweenMinimumAndMaximum) {
  Minutes minutes(Writes(50, 120), 100);
  minutes.Pass(10, 1'000);
  EXPECT_EQ(minutes.units(), 120);
  minutes.Pass(30, 1);
  EXPECT_EQ(minutes.units(), 50);
  minutes.Pass(60, 1);
  EXPECT_EQ(minutes.events().size(), 2);
}

TEST(AutoScaler, MinutesWithoutConsumptionAreNoDataPoints) {
  Minutes minutes(Writes(10, 1'000), 100);
  minutes.Pass(14, 7);
  minutes.Pass(600, 0);
  EXPECT_TRUE(minutes.events().empty());
  minutes.Pass(1, 7);
  minutes.Pass(4, 0);
  EXPECT_EQ(minutes.units(), 10);
}

// Always 45 % of what there is: four decreases, then one an hour.
TEST(AutoScaler, DecreasesOfADay) {
  Minutes minutes(Writes(1, 100'000), 100'000);
  for (int i = 0; i < 40; ++i) minutes.Pass(20, static_cast<double>(minutes.units()) * 0.45);
  const std::vector<ScalingEvent>& events = minutes.events();
  ASSERT_GT(events.size(), 8);
  for (size_t i = 1; i < events.size(); ++i) {
    const Micros pause = events[i].at - events[i - 1].at;
    if (i < 4) {
      EXPECT_LT(pause, 30 * kMinute) << i;
    } else {
      EXPECT_GE(pause, kHour) << i;
      EXPECT_LT(pause, 2 * kHour) << i;
    }
  }
  // Increases are never refused, and another day has four again.
  minutes.Pass(24 * 60 - 40 * 20 - 20, static_cast<double>(minutes.units()) * 0.6);
  const size_t before = events.size();
  for (int i = 0; i < 5; ++i) minutes.Pass(20, static_cast<double>(minutes.units()) * 0.45);
  EXPECT_GE(minutes.events().size() - before, 4);
}

TEST(AutoScaler, DelaysOfTheExperiment) {
  AutoScaling scaling = Writes(10, 1'000);
  scaling.alarm_delay = 0;
  scaling.update_delay = 10 * kSecond;
  Minutes minutes(scaling, 100);
  minutes.Pass(3, 140);
  ASSERT_EQ(minutes.events().size(), 1);
  EXPECT_EQ(minutes.events().front().at, 2 * kMinute + 10 * kSecond);
}

// In a run: a table without units begins at the minimum, an index scales as its table, and what
// is paid is the average.
TEST(AutoScaling, OfATableAndItsIndex) {
  const auto runs = testing::RunAll(R"(
[experiment]
duration = "20m"
arrivals = "even"
[[table]]
name = "t"
partition_key = "pk"
item_size = 1_000
billing = "provisioned"
auto_scaling = { read = { maximum = 10 }, write = { minimum = 50, maximum = 500, target = 50 } }
[[table.index]]
name = "ix"
partition_key = "a"
[[table.index]]
name = "fixed"
partition_key = "a"
units = { read = 5, write = 200 }
auto_scaling = false
[[access]]
name = "put"
operation = "PutItem"
key.pk = { distribution = "uniform", count = 1_000 }
key.a = { distribution = "uniform", count = 1_000 }
load = { rate = 50 }
)");
  const RunResult& run = runs.begin()->second;
  EXPECT_EQ(run.total().throttled, 0);
  const auto& table = run.resources.at(0);
  EXPECT_EQ(run.resources.at(1).name, "t/ix");
  for (const size_t i : {0, 1}) {
    const ResourceResult& scaled = run.resources.at(i);
    ASSERT_EQ(scaled.scalings.size(), 1) << i;
    // Two minutes, an alarm of one and an update of three.
    EXPECT_EQ(scaled.scalings.front().at, 6 * kMinute);
    EXPECT_EQ(scaled.scalings.front().after, 100);
    EXPECT_DOUBLE_EQ(scaled.provisioned.write, (50 * 6 + 100 * 14) / 20.0);
    EXPECT_EQ(scaled.provisioned.read, 1);
  }
  EXPECT_EQ(table.moments.at(359).capacity.write, 100);
  EXPECT_EQ(table.moments.at(358).capacity.write, 50);
  EXPECT_TRUE(run.resources.at(2).scalings.empty());
  EXPECT_EQ(run.resources.at(2).provisioned.write, 200);
}

}  // namespace
}  // namespace dynolith::lab
