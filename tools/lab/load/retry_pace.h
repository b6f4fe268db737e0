// The waits of clients before they retry throttled requests, and when they give up.
#ifndef DYNOLITH_TOOLS_LAB_LOAD_RETRY_PACE_H_
#define DYNOLITH_TOOLS_LAB_LOAD_RETRY_PACE_H_

#include <cstdint>
#include <optional>

#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// For all clients of a run together. Thread-compatible.
class RetryPace {
 public:
  // Only one of `sample` requests exists, so the quota is reduced to the same part.
  RetryPace(const RetryRule& rule, int64_t sample);

  // Returns the wait of a client after its nth throttled attempt, or nullopt if it gives up because
  // it has no attempt left or the quota is used up. Draws from `random` only for a wait.
  std::optional<Micros> WaitAfter(int64_t attempts, uint64_t* random);
  // The same if clients never give up: a time up to a limit that doubles. At least a microsecond.
  Micros Wait(int64_t attempts, uint64_t* random) const;
  // Call when an operation with retries was served at its nth attempt.
  void Served(int64_t attempts);

 private:
  const RetryRule rule_;
  const double tokens_max_;
  double tokens_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_LOAD_RETRY_PACE_H_
