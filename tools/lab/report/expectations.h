// Whether a run is as its experiment expects it, for CI.
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

// One of [experiment] expect. Latencies are milliseconds, costs those of a month.
struct CheckedExpectation {
  std::string_view name;        // "served", "p99", "cost"
  std::string access;           // the one that is the farthest from it; empty for costs
  double wanted = 0;            // at least of "served", at most of the others
  std::optional<double> found;  // nullopt: nothing was served that could have a latency
  bool is_met = false;
  std::string sentence;
};

// Of what is served, and how soon.
std::vector<CheckedExpectation> CheckService(const RunResult& run);
// Of costs, too. In the order of the experiment's members.
std::vector<CheckedExpectation> CheckExpectations(const RunResult& run, const PriceList& prices);
// Whether all of them are met.
bool IsAsExpected(const RunResult& run, const PriceList& prices);
// By all runs, and with all seeds and corners that were tried.
bool AreExpectationsMet(const std::vector<RunResult>& runs, const PriceList& prices);

// Errors: a simulation of it has nothing of what is expected, and why.
absl::Status CheckExpectable(std::string_view file, const Experiment& experiment);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_EXPECTATIONS_H_
