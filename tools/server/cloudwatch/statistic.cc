#include "tools/server/cloudwatch/statistic.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <system_error>

namespace dynolith::cloudwatch {

int16_t Statistic::BucketOf(double value) {
  // Nothing that is counted is below 0.
  if (!(value > 0)) return std::numeric_limits<int16_t>::min();
  static const double kLogOfStep = std::log(kStep);
  return static_cast<int16_t>(
      std::clamp(std::floor(std::log(value) / kLogOfStep), -32'000.0, 32'000.0));
}

void Statistic::Add(double value, uint64_t times) {
  if (times == 0) return;
  minimum_ = count_ == 0 ? value : std::min(minimum_, value);
  maximum_ = count_ == 0 ? value : std::max(maximum_, value);
  count_ += times;
  sum_ += value * static_cast<double>(times);
  const int16_t bucket = BucketOf(value);
  auto at = std::lower_bound(buckets_.begin(), buckets_.end(), std::pair(bucket, uint64_t{0}));
  if (at == buckets_.end() || at->first != bucket) at = buckets_.insert(at, {bucket, 0});
  at->second += times;
}

void Statistic::Merge(const Statistic& other) {
  if (other.count_ == 0) return;
  minimum_ = count_ == 0 ? other.minimum_ : std::min(minimum_, other.minimum_);
  maximum_ = count_ == 0 ? other.maximum_ : std::max(maximum_, other.maximum_);
  count_ += other.count_;
  sum_ += other.sum_;
  std::vector<std::pair<int16_t, uint64_t>> merged;
  merged.reserve(buckets_.size() + other.buckets_.size());
  std::merge(buckets_.begin(), buckets_.end(), other.buckets_.begin(), other.buckets_.end(),
             std::back_inserter(merged));
  buckets_.clear();
  // Most merges bring no new ones.
  for (const auto& [bucket, times] : merged) {
    if (!buckets_.empty() && buckets_.back().first == bucket) {
      buckets_.back().second += times;
    } else {
      buckets_.emplace_back(bucket, times);
    }
  }
}

double Statistic::Percentile(double percent) const {
  // 99.9 percent of 1,000 are 999, and not a bit more.
  constexpr double kRounding = 1e-9;
  const auto count = static_cast<double>(count_);
  const double wanted = std::max(1.0, std::ceil(count * percent / 100 - kRounding));
  if (wanted >= count) return maximum_;
  uint64_t seen = 0;
  for (const auto& [bucket, times] : buckets_) {
    seen += times;
    if (static_cast<double>(seen) < wanted) continue;
    if (bucket == std::numeric_limits<int16_t>::min()) return minimum_;
    return std::clamp(std::pow(kStep, bucket + 0.5), minimum_, maximum_);
  }
  return maximum_;
}

std::optional<StatisticName> ParseStatistic(std::string_view name) {
  using Kind = StatisticName::Kind;
  if (name == "SampleCount") return StatisticName{Kind::kSampleCount};
  if (name == "Average") return StatisticName{Kind::kAverage};
  if (name == "Sum") return StatisticName{Kind::kSum};
  if (name == "Minimum") return StatisticName{Kind::kMinimum};
  if (name == "Maximum") return StatisticName{Kind::kMaximum};
  if (name.size() < 2 || name[0] != 'p' || name[1] < '0' || name[1] > '9') return std::nullopt;
  double percent = 0;
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + 1, end, percent, std::chars_format::fixed);
  if (parsed.ec != std::errc() || parsed.ptr != end || percent > 100) return std::nullopt;
  return StatisticName{Kind::kPercentile, percent};
}

double ValueOf(const StatisticName& name, const Statistic& of) {
  switch (name.kind) {
    case StatisticName::Kind::kSampleCount:
      return static_cast<double>(of.count());
    case StatisticName::Kind::kAverage:
      return of.average();
    case StatisticName::Kind::kSum:
      return of.sum();
    case StatisticName::Kind::kMinimum:
      return of.minimum();
    case StatisticName::Kind::kMaximum:
      return of.maximum();
    case StatisticName::Kind::kPercentile:
      break;
  }
  return of.Percentile(name.percent);
}

}  // namespace dynolith::cloudwatch
