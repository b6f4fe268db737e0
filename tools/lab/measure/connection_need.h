// How many connections it takes to keep a schedule: as many as calls are under way at a time, which
// is their rate times their duration (Little, 1961), and a margin.
#ifndef DYNOLITH_TOOLS_LAB_MEASURE_CONNECTION_NEED_H_
#define DYNOLITH_TOOLS_LAB_MEASURE_CONNECTION_NEED_H_

#include <cstddef>
#include <cstdint>

#include "tools/lab/measure/open_loop.h"

namespace dynolith::lab {

// Thread-compatible. Keeps what it has learnt from one run to the next.
class ConnectionNeed {
 public:
  // Call after each look at the loop. Returns how many connections should be added to `connections`
  // of them: none as long as calls begin in time, at most half as many again.
  size_t Missing(const OpenLoop::State& state, size_t connections);

 private:
  double CallSeconds(const OpenLoop::State& state);

  // Of calls that were answered, until there are enough for a mean.
  uint64_t answered_ = 0;
  double seconds_ = 0;
  double mean_ = 0;    // of the last that were enough; 0: there are none yet
  double least_ = 0;   // of all means
  double silent_ = 0;  // seconds without any answer
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_CONNECTION_NEED_H_
