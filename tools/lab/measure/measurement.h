// Runs an experiment in real time: each request at the time that its load says (open loop), however
// long others take, against whatever answers.
#ifndef DYNOLITH_TOOLS_LAB_MEASURE_MEASUREMENT_H_
#define DYNOLITH_TOOLS_LAB_MEASURE_MEASUREMENT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/measure/service_call.h"
#include "tools/lab/model/simulation.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

struct MeasurementOptions {
  size_t connections = 0;  // 0: as many as the schedule needs
  Micros warm_up = 5 * kSecond;
  uint64_t items_most = 100'000;  // that are loaded into a table
  std::string prefix = "lab-";    // of tables' names
  std::string suffix;
  bool keeps_tables = false;
};

// What of the experiment has no meaning where requests are real. `file` is for the message. Errors:
// kInvalidArgument naming the member.
absl::Status CheckMeasurable(const std::string& file, const Experiment& experiment);

// Whether the generator's own lag, one of a hundred times a millisecond or more, is at least a
// tenth of what is taken for latency.
bool IsGeneratorSlow(const LatencyHistogram& lag, const LatencyHistogram& latency);

// All rates, those who poll and the speed of a replay times `factor`.
void ScaleLoads(double factor, Experiment* experiment);

// Makes the tables, loads items, warms up, measures, and deletes the tables. `loads` is told how
// many items of how many are there, `go_on` several times a second how far the run is; either ends
// it with false, and the result is of what there was until then. The calls' answers are awaited, at
// most half a minute. Errors: of the tables and the items; kCancelled if it was ended before the
// run began; whatever goes wrong with a request is in the result.
absl::StatusOr<RunResult> Measure(const Experiment& experiment, const MeasurementOptions& options,
                                  MeasuredTarget* target,
                                  absl::FunctionRef<bool(uint64_t, uint64_t)> loads,
                                  absl::FunctionRef<bool(const RunProgress&)> go_on);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_MEASUREMENT_H_
