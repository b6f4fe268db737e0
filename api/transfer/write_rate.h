// Limits the rate of a bulk put.
#ifndef DYNOLITH_API_TRANSFER_WRITE_RATE_H_
#define DYNOLITH_API_TRANSFER_WRITE_RATE_H_

#include <cstdint>
#include <optional>

#include "absl/time/time.h"

namespace dynolith {

// Limits a stream of writes to a number of units per second: from the beginning of the first write
// to any moment, no more than the share of that time and one write. Unused units are made up for,
// so that an advance of a manual clock admits as much as its time allows.
class WriteRate {
 public:
  // nullopt: no limit.
  explicit WriteRate(std::optional<int64_t> units_per_second)
      : units_per_second_(units_per_second) {}

  bool IsDue(absl::Time now) const { return now >= due_; }
  // When the next write is due.
  absl::Time due() const { return due_; }
  // A write begins. Its end would be too late: others can see the write before, and may advance
  // the clock by the time that it takes.
  void Begin(absl::Time now) {
    if (units_per_second_ && due_ == absl::InfinitePast()) due_ = now;
  }
  // Requires: Begin.
  void Spend(double units) {
    if (!units_per_second_) return;
    due_ += absl::Seconds(units / static_cast<double>(*units_per_second_));
  }

 private:
  const std::optional<int64_t> units_per_second_;
  absl::Time due_ = absl::InfinitePast();
};

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_WRITE_RATE_H_
