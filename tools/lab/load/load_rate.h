// The rates of a load over time, and the times of single requests.
#ifndef DYNOLITH_TOOLS_LAB_LOAD_LOAD_RATE_H_
#define DYNOLITH_TOOLS_LAB_LOAD_LOAD_RATE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "engine/partition/tokens.h"
#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

inline constexpr Micros kNever = std::numeric_limits<Micros>::max();

// In the load's unit per second. 0 for polling workers and for loads that happen once.
double RateAt(const Load& load, Micros at);

// The times of requests: as many as the load demands, second by second. Thread-compatible.
class Arrivals {
 public:
  // One of `sample` requests arrives. `load` is borrowed.
  Arrivals(const Load& load, bool evenly, int64_t sample, uint64_t seed);

  // Begins the second at `now`. Requires: consecutive whole seconds.
  void BeginSecond(Micros now);
  // The next request of this second; kNever if there is none.
  Micros next() const { return next_; }
  // Removes the request at next().
  void Take();
  // Reports the consumption of a request in the unit that the load holds.
  void Consumed(double units) { units_ += units; }

 private:
  double NextWork();
  void DrawWork();
  void Schedule();
  void HoldTarget(double target);

  const Load& load_;
  const bool evenly_;
  const double sample_;
  uint64_t random_;
  // The work until each of the next requests, from drawn_at_ on, unless they come evenly: a
  // processor calculates several logarithms at once if nothing else lies between them.
  std::array<double, 16> drawn_{};
  size_t drawn_at_ = drawn_.size();
  double rate_ = 0;        // requests a second
  double each_micro_ = 0;  // requests a microsecond
  double work_ = 0;        // requests until the next one
  double at_ = 0;          // microseconds until which work_ was done
  Micros end_ = 0;         // of this second
  Micros next_ = kNever;
  double units_ = 0;
  double requests_ = 0;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_LOAD_LOAD_RATE_H_
