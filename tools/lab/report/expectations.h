// Checks whether a run meets its experiment's expectations, for CI.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_EXPECTATIONS_H_
#define DYNOLITH_TOOLS_LAB_REPORT_EXPECTATIONS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tools/lab/report/price_list.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// One expectation of [experiment] expect. Latencies are milliseconds, costs are monthly.
struct CheckedExpectation {
  std::string_view name;        // "served", "p99", "cost"
  std::string access;           // the access that meets it worst; empty for costs
  double wanted = 0;            // the minimum of "served", the maximum of the others
  std::optional<double> found;  // nullopt: nothing was served, so there is no latency
  bool is_met = false;
  std::string sentence;
};

// Checks the served part and the latency.
std::vector<CheckedExpectation> CheckService(const RunResult& run);
// Checks costs, too. In the order of the experiment's members.
std::vector<CheckedExpectation> CheckExpectations(const RunResult& run, const PriceList& prices);
// Whether the run meets all expectations.
bool IsAsExpected(const RunResult& run, const PriceList& prices);
// Whether all runs meet them, with all seeds and corners that were tried.
bool AreExpectationsMet(const std::vector<RunResult>& runs, const PriceList& prices);

// Errors: a simulation cannot give the expected figure; the message says why.
absl::Status CheckExpectable(std::string_view file, const Experiment& experiment);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_EXPECTATIONS_H_
