// When clients ask again what was throttled, and when they give up.
#ifndef DYNOLITH_TOOLS_LAB_LOAD_RETRY_PACE_H_
#define DYNOLITH_TOOLS_LAB_LOAD_RETRY_PACE_H_

#include <cstdint>
#include <optional>

#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// Of all clients of a run together. Thread-compatible.
class RetryPace {
 public:
  // One of `sample` requests is there, and so is that part of the quota.
  RetryPace(const RetryRule& rule, int64_t sample);

  // How long a client waits that was throttled at its nth attempt; nullopt if it gives up: it has
  // no attempt left, or the quota is used up. `random` is drawn from only if it waits.
  std::optional<Micros> WaitAfter(int64_t attempts, uint64_t* random);
  // The same where nobody gives up: any time up to a limit that doubles.
  Micros Wait(int64_t attempts, uint64_t* random) const;
  // Something for which WaitAfter is asked was served at its nth attempt.
  void Served(int64_t attempts);

 private:
  const RetryRule rule_;
  const double tokens_max_;
  double tokens_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_LOAD_RETRY_PACE_H_
