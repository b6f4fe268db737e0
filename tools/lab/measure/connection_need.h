// Computes the number of connections that keep a schedule: the calls that run at the same time,
// which is their rate times their duration (Little, 1961), and a margin.
#ifndef DYNOLITH_TOOLS_LAB_MEASURE_CONNECTION_NEED_H_
#define DYNOLITH_TOOLS_LAB_MEASURE_CONNECTION_NEED_H_

#include <cstddef>
#include <cstdint>

#include "tools/lab/measure/open_loop.h"

namespace dynolith::lab {

// Thread-compatible. Keeps its measurements from one run to the next.
class ConnectionNeed {
 public:
  // Call after each look at the loop. Returns how many connections to add to the present number: 0
  // while calls begin in time, at most half of `connections`.
  size_t Missing(const OpenLoop::State& state, size_t connections);

 private:
  double CallSeconds(const OpenLoop::State& state);

  // Answered calls and their durations, until there are enough for a mean.
  uint64_t answered_ = 0;
  double seconds_ = 0;
  double mean_ = 0;    // the last mean; 0: none yet
  double least_ = 0;   // of all means
  double silent_ = 0;  // seconds without any answer
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_CONNECTION_NEED_H_
