// Runs an experiment in virtual time, without I/O: the same experiment gives the same result, to
// the byte.
#ifndef DYNOLITH_TOOLS_LAB_MODEL_SIMULATION_H_
#define DYNOLITH_TOOLS_LAB_MODEL_SIMULATION_H_

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// The progress of a run.
struct RunProgress {
  Micros simulated = 0;
  Micros duration = 0;
  uint64_t decisions = 0;
  // Of a simulation: this part of the attempts of some access will have been throttled or refused
  // at the end, however the rest of the run goes. From 0 to 1.
  double denied_at_least = 0;
  bool is_warm_up = false;  // of a measured run: before it begins
};

// Calls `go_on` after each second of virtual time, on several threads after about a million
// operations; false ends the run, and the result covers the time until then. Takes about a quarter
// of a microsecond for each operation. What is independent within the run (run_parts.h) runs on at
// most `threads` threads; a run to its end gives the same result on any number of them.
RunResult Simulate(const Experiment& experiment, absl::FunctionRef<bool(const RunProgress&)> go_on,
                   size_t threads = 1);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_SIMULATION_H_
