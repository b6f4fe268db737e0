// Statistics are what programs compare with thresholds: sums and extremes are exact, and
// percentiles are within what the header promises, however the samples came together.
#include "tools/server/cloudwatch/statistic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace dynolith::cloudwatch {
namespace {

double Read(const char* name, const Statistic& of) { return ValueOf(*ParseStatistic(name), of); }

TEST(Statistic, TheServicesFive) {
  Statistic statistic;
  EXPECT_EQ(statistic.count(), 0u);
  statistic.Add(4);
  statistic.Add(0.5, 2);
  statistic.Add(1, 0);  // never
  EXPECT_EQ(Read("SampleCount", statistic), 3);
  EXPECT_EQ(Read("Sum", statistic), 5);
  EXPECT_EQ(Read("Minimum", statistic), 0.5);
  EXPECT_EQ(Read("Maximum", statistic), 4);
  EXPECT_DOUBLE_EQ(Read("Average", statistic), 5.0 / 3);
}

TEST(Statistic, MergedIsAsAddedTogether) {
  std::mt19937 random(7);  // NOLINT: the same each time
  std::lognormal_distribution<double> values(0, 3);
  Statistic all;
  Statistic merged;
  for (int part = 0; part < 20; ++part) {
    Statistic some;
    for (int i = 0; i < part; ++i) {
      const double value = values(random);
      all.Add(value);
      some.Add(value);
    }
    merged.Merge(some);
  }
  EXPECT_EQ(merged.count(), all.count());
  EXPECT_NEAR(merged.sum(), all.sum(), all.sum() * 1e-12);
  for (const char* const name : {"Minimum", "Maximum", "p1", "p50", "p90", "p99.9", "p100"}) {
    EXPECT_EQ(Read(name, merged), Read(name, all)) << name;
  }
  merged.Merge(Statistic());
  EXPECT_EQ(merged.count(), all.count());
}

TEST(Statistic, PercentilesAreNearTheSample) {
  std::mt19937 random(11);  // NOLINT: the same each time
  std::lognormal_distribution<double> values(1, 4);
  std::vector<double> samples;
  Statistic statistic;
  for (int i = 0; i < 5'000; ++i) {
    samples.push_back(values(random));
    statistic.Add(samples.back());
  }
  std::sort(samples.begin(), samples.end());
  const std::pair<double, size_t> ranks[] = {{0.1, 5},    {1, 50},     {10, 500},     {50, 2'500},
                                             {90, 4'500}, {99, 4'950}, {99.9, 4'995}, {100, 5'000}};
  for (const auto& [percent, rank] : ranks) {
    const double exact = samples[rank - 1];
    EXPECT_NEAR(statistic.Percentile(percent), exact, exact * 0.025) << percent;
  }
}

TEST(Statistic, PercentilesOfFew) {
  Statistic zeros;
  zeros.Add(0, 3);
  EXPECT_EQ(Read("p99", zeros), 0);
  zeros.Add(8);
  EXPECT_EQ(Read("p75", zeros), 0);
  EXPECT_EQ(Read("p100", zeros), 8);
}

TEST(Statistic, Names) {
  EXPECT_EQ(ParseStatistic("p99.9")->percent, 99.9);
  EXPECT_EQ(ParseStatistic("p0")->percent, 0);
  for (const char* const wrong :
       {"", "p", "p101", "p-1", "p1e1", "pnan", "p5x", "sum", "tm99", "p 5", "IQM"}) {
    EXPECT_FALSE(ParseStatistic(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace dynolith::cloudwatch
