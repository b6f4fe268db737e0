// The histogram held against all values in order: what it says of any part is the exact value, or
// up to a thousandth more.
#include "tools/lab/result/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tools/lab/load/key_generator.h"

namespace dynolith {
namespace {

using lab::LatencyHistogram;

constexpr double kParts[] = {0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1};

void ExpectLikeExact(std::vector<int64_t> values, const LatencyHistogram& histogram) {
  std::sort(values.begin(), values.end());
  ASSERT_EQ(histogram.count(), values.size());
  for (const double part : kParts) {
    const auto rank = static_cast<size_t>(std::ceil(part * static_cast<double>(values.size())));
    const int64_t exact = values[std::max<size_t>(rank, 1) - 1];
    const int64_t said = histogram.Percentile(part);
    EXPECT_GE(said, exact) << part;
    EXPECT_LE(said, exact + exact / 1'000) << part;
  }
  EXPECT_EQ(histogram.most(), values.back());
  EXPECT_EQ(histogram.least(), values.front());
}

TEST(LatencyHistogram, IsRightToAThousandth) {
  uint64_t random = 1;
  for (const double shape : {1.0, 4.0, 9.0}) {
    LatencyHistogram histogram;
    std::vector<int64_t> values;
    for (int i = 0; i < 20'000; ++i) {
      values.push_back(static_cast<int64_t>(std::exp(shape + lab::NextPart(&random) * 16)));
      histogram.Record(values.back());
    }
    ExpectLikeExact(values, histogram);
  }
}

TEST(LatencyHistogram, SmallValuesAreExact) {
  LatencyHistogram histogram;
  for (int64_t value = 0; value < 2'048; ++value) histogram.Record(value);
  for (int64_t value = 0; value < 2'048; ++value) {
    EXPECT_EQ(histogram.Percentile((static_cast<double>(value) + 0.5) / 2'048), value);
  }
}

// At each power of two steps become wider.
TEST(LatencyHistogram, BoundariesAreWhereTheyBelong) {
  for (int bit = 0; bit < 42; ++bit) {
    for (const int64_t offset : {-1, 0, 1}) {
      const int64_t value = std::max<int64_t>(0, (int64_t{1} << bit) + offset);
      LatencyHistogram histogram;
      histogram.Record(value);
      histogram.Record(LatencyHistogram::kMost);
      EXPECT_GE(histogram.Percentile(0.5), value);
      EXPECT_LE(histogram.Percentile(0.5), value + value / 1'000);
    }
  }
}

TEST(LatencyHistogram, HoldsWhatIsTooLong) {
  LatencyHistogram histogram;
  histogram.Record(INT64_MAX);
  histogram.Record(-5);
  EXPECT_EQ(histogram.most(), LatencyHistogram::kMost);
  EXPECT_EQ(histogram.least(), 0);
}

TEST(LatencyHistogram, MergedIsAsIfItWereOne) {
  uint64_t random = 7;
  LatencyHistogram both;
  LatencyHistogram parts[2];
  std::vector<int64_t> values;
  for (int i = 0; i < 5'000; ++i) {
    values.push_back(static_cast<int64_t>(lab::NextBelow(&random, 1'000'000'000)));
    both.Record(values.back());
    parts[i % 2].Record(values.back());
  }
  LatencyHistogram merged;
  for (const LatencyHistogram& part : parts) merged.Merge(part);
  merged.Merge(LatencyHistogram());
  ExpectLikeExact(values, merged);
  for (const double part : kParts) EXPECT_EQ(merged.Percentile(part), both.Percentile(part));
  EXPECT_DOUBLE_EQ(merged.mean(), both.mean());
  merged.Clear();
  EXPECT_EQ(merged.count(), 0);
  EXPECT_EQ(merged.Percentile(0.5), 0);
}

}  // namespace
}  // namespace dynolith
