// Draws the durations of attempts, if an experiment gives their quantiles.
#ifndef DYNOLITH_TOOLS_LAB_LOAD_ATTEMPT_LATENCY_H_
#define DYNOLITH_TOOLS_LAB_LOAD_ATTEMPT_LATENCY_H_

#include <cstdint>

#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// Thread-compatible. The same seed draws the same.
class AttemptLatency {
 public:
  AttemptLatency(const LatencyQuantiles& quantiles, uint64_t seed);

  // The duration of the next attempt.
  Micros Draw();

 private:
  const double mean_;       // of the logarithms
  const double deviation_;  // of the logarithms
  uint64_t random_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_LOAD_ATTEMPT_LATENCY_H_
