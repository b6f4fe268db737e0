// The range of the figures of several runs of a design.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_SPREAD_H_
#define DYNOLITH_TOOLS_LAB_REPORT_SPREAD_H_

#include <optional>
#include <vector>

#include "tools/lab/report/price_list.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

RunOutcome SummarizeRun(const RunResult& run, const PriceList& prices);

struct Spread {
  double least = 0;
  double median = 0;  // of an even number of runs the mean of the two middle ones
  double most = 0;
};

struct RunSpread {
  Spread served;              // part of the operations
  Spread throttled;           // attempts
  std::optional<Spread> p99;  // milliseconds; nullopt unless each run has one
  Spread month;
};

// Requires: at least one outcome.
RunSpread MakeSpread(const std::vector<RunOutcome>& outcomes);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_SPREAD_H_
