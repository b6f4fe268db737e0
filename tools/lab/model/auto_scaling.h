// Auto scaling of provisioned units as AWS documents it (api/facts/capacity.md §8): target tracking
// on the consumption of each minute, by alarms and updates that take time.
#ifndef DYNOLITH_TOOLS_LAB_MODEL_AUTO_SCALING_H_
#define DYNOLITH_TOOLS_LAB_MODEL_AUTO_SCALING_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "tools/lab/experiment/experiment.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// Scales one table or one index. Reads and writes are scaled separately, but decreases of both
// count together. It has no clock; times must not fall.
class AutoScaler {
 public:
  // `units`: at the start. A kind without a rule keeps them.
  AutoScaler(const AutoScaling& scaling, const PerKind<int64_t>& units);

  // Adds the consumption of the minute that ends now: a data point of each kind, unless nothing was
  // consumed.
  void CloseMinute(Micros now, const PerKind<double>& consumed);
  // Begins due updates and ends finished ones. Returns what has changed.
  std::vector<ScalingEvent> Advance(Micros now);

  // Units a second.
  const PerKind<int64_t>& units() const { return units_; }

 private:
  // An alarm that has fired, and the update that it causes.
  struct Change {
    Micros due = 0;  // when the update begins, then when it ends
    int64_t units = 0;
    bool is_called = false;
  };
  struct Tracking {
    int high_points = 0;            // one after the other, above the target
    std::deque<double> low_points;  // consecutive ones well below the target; units a second
    std::optional<Change> change;
  };

  std::optional<int64_t> WantedUnits(AccessKind kind, double rate);
  // Whether a decrease is refused now; counts it otherwise.
  bool IsDecreaseRefused(Micros now);

  const AutoScaling scaling_;
  PerKind<int64_t> units_;
  PerKind<Tracking> tracking_;
  int64_t decreases_today_ = 0;
  Micros last_decrease_ = 0;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_AUTO_SCALING_H_
