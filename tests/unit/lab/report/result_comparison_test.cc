// Results are read without their series, and only what is less or dearer is worse.
#include "tools/lab/report/result_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/strings.h"
#include "tests/unit/lab/lab_run.h"
#include "tools/lab/report/result_json.h"

namespace dynolith::lab {
namespace {

using ::testing::HasSubstr;

// A result with one design, whose members are these.
std::string ResultText(std::string_view design) {
  return Concat(R"({"version":1,"prices":{"currency":"USD"},"designs":[{"name":"a",)", design,
                "}]}");
}

ResultOutline Read(std::string_view text) {
  absl::StatusOr<ResultOutline> result = ReadResult("r.json", text);
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

TEST(ResultComparisonTest, SeriesAreSkippedAndTheirPlaceIsKept) {
  const std::string text = ResultText(
      R"("series":[1,[2,"]",3],[]],"heat":[[1,2],[3,4]],"text":"[1, \"{","totals":{"operations":9,)"
      R"("served":7,"month":5},"resources":[{"name":"t","units":[1],"hottest":[{"key":"[x","at":[3]}]}])");
  const ResultOutline result = Read(text);
  ASSERT_EQ(result.designs.size(), 1);
  EXPECT_EQ(result.designs.front().served, 7);
  EXPECT_EQ(result.designs.front().hottest.at("t"), "[x");
  const std::string broken = ResultText("\"series\":[1,2,3,\n4],x");
  EXPECT_THAT(std::string(ReadResult("r.json", broken).status().message()),
              HasSubstr("r.json:2:4: "));
}

// Each of a simulation that was printed is found again.
TEST(ResultComparisonTest, ReadsWhatIsPrinted) {
  const auto run_of = [](int rate) {
    return testing::RunExperiment(
        testing::ReadExperiments(Concat(testing::OneKey("10s", rate), "[client]\nattempts = 2\n"))
            .front());
  };
  PriceList prices{.currency = "USD"};
  prices.million.write = 1;
  const ResultOutline few = Read(ResultJson({run_of(500)}, prices));
  const ResultOutline many = Read(ResultJson({run_of(3'000)}, prices));
  EXPECT_EQ(few.designs.front().served_part(), 1);
  EXPECT_EQ(few.designs.front().hottest.at("t"), "one");
  EXPECT_EQ(few.designs.front().p99.at("write"), 0);
  EXPECT_TRUE(CompareResults(few, few, "")->designs.front().changes.empty());
  const ResultComparison worse = *CompareResults(few, many, "");
  const std::vector<Change>& changes = worse.designs.front().changes;
  ASSERT_EQ(changes.size(), 4);
  EXPECT_EQ(changes[0].what, "served");
  EXPECT_TRUE(changes[0].is_worse);
  EXPECT_EQ(changes[1].what, "USD/month");
  EXPECT_TRUE(changes[1].is_worse);
  EXPECT_EQ(changes[2].what, "throttled by the partition limit of t (writes)");
  EXPECT_EQ(changes[2].before, "0");
  EXPECT_EQ(changes[3].what, "p99 of write");
  EXPECT_EQ(changes[3].before, "0 ms");
  EXPECT_TRUE(worse.is_worse());
}

// Of what a measured run finds not everything is a change.
TEST(ResultComparisonTest, WhatWasMeasuredMayDiffer) {
  const auto result = [](std::string_view measured, int served, int month, int p99) {
    return Read(ResultText(Concat(measured, "\"totals\":{\"operations\":1000,\"served\":", served,
                                  ",\"month\":", month,
                                  "},\"accesses\":[{\"name\":\"get\",\"p99\":", p99, "}]")));
  };
  constexpr std::string_view kMeasured = R"("measured":{},)";
  const ResultOutline simulated = result("", 1000, 100, 10);
  const ResultOutline measured = result(kMeasured, 1000, 100, 10);
  const ResultOutline near = result(kMeasured, 990, 105, 30);
  const ResultOutline far = result(kMeasured, 989, 106, 30);
  const auto is_worse = [](const ResultOutline& before, const ResultOutline& after,
                           const std::vector<std::string>& tolerance) {
    return CompareResults(before, after, "", *ParseTolerance(tolerance))->is_worse();
  };
  EXPECT_TRUE(is_worse(simulated, result("", 999, 100, 10), {}));
  EXPECT_FALSE(is_worse(measured, near, {}));
  EXPECT_FALSE(is_worse(simulated, near, {}));
  EXPECT_TRUE(is_worse(measured, far, {}));
  EXPECT_FALSE(is_worse(measured, far, {"10%"}));
  EXPECT_TRUE(is_worse(measured, far, {"served=1%", "month=10%"}));
  EXPECT_TRUE(is_worse(measured, near, {"0%"}));
  EXPECT_TRUE(is_worse(measured, near, {"10%", "p99=100%"}));
  EXPECT_FALSE(is_worse(measured, near, {"p99=200%"}));
  const std::vector<Change> changes =
      CompareResults(measured, near, "", Tolerance())->designs.front().changes;
  EXPECT_EQ(changes[0].within, 0.01);
  EXPECT_EQ(changes[1].within, 0.05);
  EXPECT_THAT(ComparisonText(*CompareResults(measured, near, "")), HasSubstr("worse, within 5 %"));
  // Where nothing was before anything is too much.
  EXPECT_TRUE(is_worse(result("", 1000, 0, 10), simulated, {"50%"}));
  for (const char* bad : {"5", "-1%", "x%", "%", "cost=5%", "p99=", "nan%"}) {
    EXPECT_THAT(std::string(ParseTolerance({bad}).status().message()), HasSubstr(bad)) << bad;
  }
}

}  // namespace
}  // namespace dynolith::lab
