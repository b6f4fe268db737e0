// Where an experiment says how long attempts take, an operation takes all of its attempts and the
// waits between them, and nothing else of the run changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"
#include "tools/lab/experiment/experiment_file.h"
#include "tools/lab/load/attempt_latency.h"
#include "tools/lab/report/expectations.h"
#include "tools/lab/result/latency_histogram.h"

namespace dynolith::lab {
namespace {

constexpr double kMillisecond = 1e6;

double MillisAt(const RunResult& run, double part) {
  const std::optional<int64_t> value = run.Percentile(run.accesses.front(), part);
  return value ? static_cast<double>(*value) / kMillisecond : -1;
}

RunResult RunOfText(std::string_view text) {
  return testing::RunExperiment(testing::ReadExperiments(text).front());
}

TEST(LatencyTest, IsDrawnByItsQuantiles) {
  AttemptLatency latency({.p50 = 4'000, .p99 = 20'000}, 1);
  LatencyHistogram drawn;
  for (int i = 0; i < 100'000; ++i) drawn.Record(latency.Draw());
  EXPECT_NEAR(static_cast<double>(drawn.Percentile(0.5)), 4'000, 100);
  EXPECT_NEAR(static_cast<double>(drawn.Percentile(0.99)), 20'000, 800);
  // By the same distribution, one of a hundred on the other side.
  EXPECT_NEAR(static_cast<double>(drawn.Percentile(0.01)), 800, 40);
}

// Without throttles the operations' latencies are those of attempts.
TEST(LatencyTest, IsThatOfAnAttempt) {
  const RunResult run = RunOfText(
      Concat(testing::OneKey("100s", 100), "latency = { p50 = \"4ms\", p99 = \"20ms\" }\n"));
  EXPECT_NEAR(MillisAt(run, 0.5), 4, 0.2);
  EXPECT_NEAR(MillisAt(run, 0.99), 20, 2);
  EXPECT_EQ(run.accesses.front().waited_seconds, 0);
}

// A third of each spike is throttled, and served two seconds after that is known.
TEST(LatencyTest, RetriesTakeTheirAttemptsToo) {
  const RunResult run = RunOfText(Concat(
      "client = { attempts = 2, base = \"2s\", jitter = \"none\", quota = 0 }\n",
      testing::OneTable("20s",
                        "[[access]]\nname = \"write\"\noperation = \"PutItem\"\n"
                        "key.pk = { distribution = \"list\", values = [\"one\"] }\n"
                        "load = { shape = \"spikes\", base = 0, peak = 3000, every = \"10s\", "
                        "lasting = \"1s\" }\nlatency = { p50 = \"100ms\", p99 = \"100ms\" }\n")));
  EXPECT_NEAR(MillisAt(run, 0.6), 100, 0.2);
  EXPECT_NEAR(MillisAt(run, 0.7), 2'200, 4);
  EXPECT_NEAR(MillisAt(run, 1), 2'200, 4);
  EXPECT_EQ(run.accesses.front().total.failed, 0);
}

// A read and the write behind it are one request of two attempts; a Scan's pages take their time.
TEST(LatencyTest, OfSeveralStepsIsTheirSum) {
  const std::string access = "load = { rate = 10 }\nlatency = { p50 = \"10ms\", p99 = \"10ms\" }\n";
  const RunResult both = RunOfText(testing::OneTable(
      "10s", Concat("[[access]]\nname = \"both\"\noperation = \"GetItem\"\nthen = \"PutItem\"\n",
                    "key.pk = { distribution = \"uniform\", count = 10 }\n", access)));
  EXPECT_NEAR(MillisAt(both, 0), 20, 0.1);
  EXPECT_NEAR(MillisAt(both, 1), 20, 0.1);
  std::string scan =
      testing::OneTable("10s",
                        "storage = \"10MB\"\n[[access]]\nname = \"scan\"\noperation = \"Scan\"\n"
                        "load = { shape = \"once\" }\npage_time = \"30ms\"\n");
  scan.insert(scan.find("duration"), "latency = { p50 = \"10ms\", p99 = \"10ms\" }\n");
  EXPECT_NEAR(MillisAt(RunOfText(scan), 0.5), 30, 0.1);
}

// The head's is that of all accesses without one of their own; then p99 can be expected without a
// client.
TEST(LatencyTest, MayBeExpected) {
  std::string text = testing::OneKey("10s", 10);
  const auto is_expectable = [](std::string_view of) {
    return CheckExpectable("x", testing::ReadExperiments(of).front()).ok();
  };
  text.insert(text.find("duration"), "expect = { p99 = \"20ms\" }\n");
  EXPECT_FALSE(is_expectable(text));
  text.insert(text.find("duration"), "latency = { p50 = \"4ms\", p99 = \"30ms\" }\n");
  EXPECT_TRUE(is_expectable(text));
  EXPECT_FALSE(AreExpectationsMet({RunOfText(text)}, {}));
  EXPECT_TRUE(
      AreExpectationsMet({RunOfText(text + "latency = { p50 = \"4ms\", p99 = \"15ms\" }\n")}, {}));
}

TEST(LatencyTest, Errors) {
  const auto errors_of = [](std::string_view text) {
    const auto parsed = ParseExperiment("t", text, [](const std::string& path) {
      return absl::StatusOr<std::string>(absl::NotFoundError(path));
    });
    return std::string(parsed.status().message());
  };
  EXPECT_THAT(
      errors_of(Concat(testing::OneKey("1s", 1), "latency = { p50 = \"4ms\", p99 = 0.003 }")),
      ::testing::HasSubstr("access.write.latency.p99 must not be below "
                           "access.write.latency.p50"));
}

}  // namespace
}  // namespace dynolith::lab
