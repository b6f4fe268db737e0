// A probe finds in a service what was set there, under the clock of the test, and says what it did
// not find.
#include "tools/lab/measure/service_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "engine/base/clock.h"
#include "tools/lab/measure/library_target.h"

namespace dynolith {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Does not wait, but moves a clock, until `end`.
class MovedTime final : public lab::ProbeTime {
 public:
  explicit MovedTime(ManualClock* clock, Micros end = INT64_MAX) : clock_(clock), end_(end) {}

  Micros Now() override { return absl::ToUnixMicros(clock_->Now()); }
  bool WaitUntil(Micros at) override {
    if (at > Now()) clock_->Set(absl::FromUnixMicros(at));
    return at < end_;
  }

 private:
  ManualClock* const clock_;
  const Micros end_;
};

constexpr int64_t kProbeBegins = 1'790'000'000;

lab::ProbeReport RunProbe(CapacityOptions capacity, const lab::ProbeOptions& options,
                          Micros end = INT64_MAX) {
  ManualClock clock(absl::FromUnixSeconds(kProbeBegins));
  DatabaseOptions opened;
  opened.clock = &clock;
  opened.ttl_sweep_period = absl::ZeroDuration();
  opened.capacity = capacity;
  const auto target = lab::LibraryTarget::Open(std::move(opened));
  MovedTime time(&clock, end);
  const auto report = lab::ProbeService(options, target->get(), &time);
  EXPECT_TRUE(report.ok()) << report.status();
  // The tables are gone: they can be made again.
  MovedTime none(&clock, 0);
  EXPECT_TRUE(lab::ProbeService({.idle = 0}, target->get(), &none).ok());
  return report.ok() ? *report : lab::ProbeReport();
}

TEST(ServiceProbe, FindsWhatWasSet) {
  const lab::ProbeReport report = RunProbe({.mode = CapacityMode::kGlobal,
                                            .burst = absl::Seconds(120),
                                            .split_delay = absl::Seconds(70),
                                            .partition_reads = 4'500},
                                           {});
  EXPECT_EQ(report.found.burst, 120 * kSecond);
  EXPECT_EQ(report.found.eventual_units, 4'500);
  EXPECT_EQ(report.found.split_delay, 70 * kSecond);
  EXPECT_THAT(report.missing, IsEmpty());
}

TEST(ServiceProbe, FindsTheDefaults) {
  const lab::ProbeReport report = RunProbe({.mode = CapacityMode::kGlobal}, {});
  EXPECT_EQ(report.found.burst, 300 * kSecond);
  EXPECT_EQ(report.found.eventual_units, 3'000);
  EXPECT_EQ(report.found.split_delay, 300 * kSecond);
  EXPECT_THAT(report.missing, IsEmpty());
}

TEST(ServiceProbe, SaysWhatItDidNotFind) {
  // Nothing is refused.
  lab::ProbeReport report = RunProbe({}, {.hot = 8 * kSecond});
  EXPECT_FALSE(report.found.burst || report.found.eventual_units || report.found.split_delay);
  EXPECT_THAT(report.missing,
              ElementsAre("burst was not found: a table gave its units of 3600 seconds at once and "
                          "did not throttle.",
                          "eventual_reads was not found: a partition served 9600 units a second "
                          "without throttling in each; a connection nearer to the service asks for "
                          "more.",
                          "split_delay was not found, since eventual_reads was not."));
  // Too short.
  report = RunProbe({.mode = CapacityMode::kGlobal}, {.idle = 200 * kSecond, .hot = 100 * kSecond});
  EXPECT_EQ(report.found.eventual_units, 3'000);
  EXPECT_THAT(report.missing,
              ElementsAre("burst was not found: a table had saved 300 seconds, and may save more "
                          "when it is idle for longer (--idle).",
                          "split_delay was not found: a partition was hot for 100 seconds and not "
                          "split (--hot)."));
  report = RunProbe({.mode = CapacityMode::kGlobal}, {.hot = 3 * kSecond});
  EXPECT_THAT(report.missing,
              ElementsAre("eventual_reads was not found: a partition was hot for less than 6 "
                          "seconds (--hot).",
                          "split_delay was not found, since eventual_reads was not."));
  // Stopped while a table was idle.
  report = RunProbe({.mode = CapacityMode::kGlobal}, {}, kProbeBegins * kSecond + 1);
  EXPECT_THAT(report.missing,
              ElementsAre("burst was not found: the probe was stopped before.",
                          "eventual_reads was not found: the probe was stopped before.",
                          "split_delay was not found: the probe was stopped before."));
}

}  // namespace
}  // namespace dynolith
