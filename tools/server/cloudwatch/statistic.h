// What samples of a metric add up to: the statistics of the service, with percentiles.
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_STATISTIC_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_STATISTIC_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace dynolith::cloudwatch {

class Statistic {
 public:
  // The same value several times. O(distinct orders of magnitude seen).
  void Add(double value, uint64_t times = 1);
  void Merge(const Statistic& other);

  uint64_t count() const { return count_; }
  double sum() const { return sum_; }
  double minimum() const { return minimum_; }
  double maximum() const { return maximum_; }
  // In memory.
  size_t bytes() const { return sizeof(*this) + buckets_.capacity() * sizeof(buckets_[0]); }
  // Requires: count() > 0.
  double average() const { return sum_ / static_cast<double>(count_); }
  // The value that this part of the samples, above 0 up to 100 percent, does not exceed; within 2.5
  // percent. Requires: count() > 0.
  double Percentile(double percent) const;

 private:
  // Values of one bucket differ by less than kStep.
  static constexpr double kStep = 1.05;
  static int16_t BucketOf(double value);

  uint64_t count_ = 0;
  double sum_ = 0;
  double minimum_ = 0;
  double maximum_ = 0;
  // In order; the samples of each bucket.
  std::vector<std::pair<int16_t, uint64_t>> buckets_;
};

// One of the service's statistics: "Sum", "SampleCount", "p99.9".
struct StatisticName {
  enum class Kind : uint8_t { kSampleCount, kAverage, kSum, kMinimum, kMaximum, kPercentile };
  Kind kind = Kind::kSum;
  double percent = 0;
};
// nullopt: none of these.
std::optional<StatisticName> ParseStatistic(std::string_view name);
// Requires: of.count() > 0.
double ValueOf(const StatisticName& name, const Statistic& of);

}  // namespace dynolith::cloudwatch

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_STATISTIC_H_
