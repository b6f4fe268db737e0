// What is measured next is not to pay for what was written before.
#ifndef DYNOLITH_BENCH_COMPACTIONS_H_
#define DYNOLITH_BENCH_COMPACTIONS_H_

#include <chrono>
#include <thread>

#include "dynolith/database.h"

namespace dynolith {

// Returns when none has run for a moment, and no flush either.
inline void WaitForCompactions(const Database& database) {
  for (int quiet = 0; quiet < 3;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const StoreStatistics now = database.TakeStatistics().store;
    quiet = now.running_flushes + now.running_compactions == 0 ? quiet + 1 : 0;
  }
}

}  // namespace dynolith

#endif  // DYNOLITH_BENCH_COMPACTIONS_H_
