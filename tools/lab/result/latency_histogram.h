// A histogram of durations: counts in the layout of HdrHistogram (Tene, 2012), whose steps are a
// thousandth of the value. Debian has no C or C++ library for it.
#ifndef DYNOLITH_TOOLS_LAB_RESULT_LATENCY_HISTOGRAM_H_
#define DYNOLITH_TOOLS_LAB_RESULT_LATENCY_HISTOGRAM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dynolith::lab {

// Nanoseconds from 0 to about an hour; larger values count as that. Takes 264 KB after the first
// value. Thread-compatible.
//
//   bucket b of 1,024 counts holds [2^(b+10), 2^(b+11)) in steps of 2^b; the values below 1,024
//   precede the first bucket, each with its own count.
class LatencyHistogram {
 public:
  static constexpr int64_t kMost = (int64_t{1} << 42) - 1;

  void Record(int64_t nanoseconds);
  void Merge(const LatencyHistogram& other);
  void Clear();

  uint64_t count() const { return count_; }
  // Exact; 0 if empty.
  int64_t least() const { return count_ == 0 ? 0 : least_; }
  int64_t most() const { return most_; }
  double mean() const;
  // The value that this part of all values, from 0 to 1, does not exceed: at most a thousandth
  // above the exact one; 0 if empty. O(buckets).
  int64_t Percentile(double part) const;

 private:
  static constexpr int kStepBits = 10;
  static constexpr size_t kSteps = size_t{1} << kStepBits;
  static constexpr size_t kCounts = (42 - kStepBits + 1) * kSteps;

  static size_t ToBucket(int64_t value);
  static int64_t HighestAt(size_t place);

  std::vector<uint64_t> counts_;  // none before the first value
  uint64_t count_ = 0;
  int64_t least_ = 0;
  int64_t most_ = 0;
  double sum_ = 0;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_RESULT_LATENCY_HISTOGRAM_H_
