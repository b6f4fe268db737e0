#include "tools/lab/result/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dynolith::lab {

size_t LatencyHistogram::ToBucket(int64_t value) {
  const auto bits = std::bit_width(static_cast<uint64_t>(value));
  const int bucket = std::max(0, static_cast<int>(bits) - (kStepBits + 1));
  const auto step = static_cast<size_t>(value >> bucket);
  return static_cast<size_t>(bucket) * kSteps + step;
}

int64_t LatencyHistogram::HighestAt(size_t place) {
  const size_t bucket = place < 2 * kSteps ? 0 : place / kSteps - 1;
  const size_t step = place - bucket * kSteps;
  return (static_cast<int64_t>(step + 1) << bucket) - 1;
}

void LatencyHistogram::Record(int64_t nanoseconds) {
  if (counts_.empty()) counts_.resize(kCounts);
  const int64_t value = std::clamp<int64_t>(nanoseconds, 0, kMost);
  ++counts_[ToBucket(value)];
  least_ = count_ == 0 ? value : std::min(least_, value);
  most_ = std::max(most_, value);
  sum_ += static_cast<double>(value);
  ++count_;
}

void LatencyHistogram::Merge(const LatencyHistogram& other) {
  if (other.count_ == 0) return;
  if (counts_.empty()) counts_.resize(kCounts);
  for (size_t i = 0; i < kCounts; ++i) counts_[i] += other.counts_[i];
  least_ = count_ == 0 ? other.least_ : std::min(least_, other.least_);
  most_ = std::max(most_, other.most_);
  sum_ += other.sum_;
  count_ += other.count_;
}

void LatencyHistogram::Clear() {
  std::fill(counts_.begin(), counts_.end(), 0);
  count_ = 0;
  least_ = most_ = 0;
  sum_ = 0;
}

double LatencyHistogram::mean() const {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

int64_t LatencyHistogram::Percentile(double part) const {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(std::clamp(part, 0.0, 1.0) * static_cast<double>(count_));
  const auto rank = std::clamp<uint64_t>(static_cast<uint64_t>(wanted), 1, count_);
  uint64_t seen = 0;
  for (size_t i = 0; i < kCounts; ++i) {
    seen += counts_[i];
    if (seen >= rank) return std::min(HighestAt(i), most_);
  }
  return most_;
}

}  // namespace dynolith::lab
