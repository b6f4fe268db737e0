// Runs an experiment in real time against any target: each request starts at the time that its load
// gives, however long others take (open loop).
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
  uint64_t items_most = 100'000;  // loaded into a table at most
  std::string prefix = "lab-";    // of tables' names
  std::string suffix;
  bool keeps_tables = false;
};

// Refuses members of the experiment that have no meaning for real requests. `file` is for the
// message. Errors: kInvalidArgument naming the member.
absl::Status CheckMeasurable(const std::string& file, const Experiment& experiment);

// What kept requests from being sent and answered in time.
enum class Hindrance : uint8_t { kNone, kGenerator, kTarget };

// The one that holds connections the longest, if more than a hundredth of the requests (`waited`)
// had to wait for one: the generator, from when a call was due and a connection free until it was
// sent (`lag`), or what answers (`calls`). Else the generator if its own lag (its 99th percentile,
// if that is a millisecond or more) is at least a tenth of the measured latency.
Hindrance FindHindrance(const LatencyHistogram& lag, const LatencyHistogram& calls,
                        const LatencyHistogram& latency, double waited);

// Multiplies all rates, the number of pollers and the speed of a replay by `factor`.
void ScaleLoads(double factor, Experiment* experiment);

// Creates the tables, loads items, warms up, measures, and deletes the tables. `loads` receives how
// many of how many items are loaded, and `go_on`, several times a second, the progress of the run;
// either ends it by returning false, and the result then covers the time until the end. Waits for
// answers of running calls at most half a minute. Errors: of the tables and the items; kCancelled
// if it was ended before the run began. Failures of requests are in the result.
absl::StatusOr<RunResult> Measure(const Experiment& experiment, const MeasurementOptions& options,
                                  MeasuredTarget* target,
                                  absl::FunctionRef<bool(uint64_t, uint64_t)> loads,
                                  absl::FunctionRef<bool(const RunProgress&)> go_on);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_MEASUREMENT_H_
