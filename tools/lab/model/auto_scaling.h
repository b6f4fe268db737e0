// Auto scaling of provisioned units as it is published (api/facts/capacity.md §8): target tracking
// on what each minute has consumed, by alarms and updates that take their time.
#ifndef DYNOLITH_TOOLS_LAB_MODEL_AUTO_SCALING_H_
#define DYNOLITH_TOOLS_LAB_MODEL_AUTO_SCALING_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "tools/lab/experiment/experiment.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// Of one table or one index; its reads and writes are scaled apart, but decreases of both count
// together. No clock of its own; times must not fall.
class AutoScaler {
 public:
  // Units at the start; a kind without a rule keeps its own.
  AutoScaler(const AutoScaling& scaling, const PerKind<int64_t>& units);

  // The units that were consumed in the minute that ends now: a data point of each kind, unless
  // nothing was consumed.
  void CloseMinute(Micros now, const PerKind<double>& consumed);
  // Calls for updates, and ends those that are done. Returns what has changed.
  std::vector<ScalingEvent> Advance(Micros now);

  // Units a second.
  const PerKind<int64_t>& units() const { return units_; }

 private:
  // An alarm that has gone off, and the update that comes of it.
  struct Change {
    Micros due = 0;  // of the call, then of its end
    int64_t units = 0;
    bool is_called = false;
  };
  struct Tracking {
    int high_points = 0;            // one after the other, above the target
    std::deque<double> low_points;  // one after the other, well below it; units a second
    std::optional<Change> change;
  };

  std::optional<int64_t> WantedUnits(AccessKind kind, double rate);
  // Whether a decrease is refused now; counts one that is not.
  bool IsDecreaseRefused(Micros now);

  const AutoScaling scaling_;
  PerKind<int64_t> units_;
  PerKind<Tracking> tracking_;
  int64_t decreases_today_ = 0;
  Micros last_decrease_ = 0;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_AUTO_SCALING_H_
