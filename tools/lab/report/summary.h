// What runs have shown, at a glance: for a terminal.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_SUMMARY_H_
#define DYNOLITH_TOOLS_LAB_REPORT_SUMMARY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tools/lab/report/figures_text.h"
#include "tools/lab/report/price_list.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// The designs of one experiment side by side, and what stands out in each, with tables in lines
// of at most `width` characters where that can be. Requires: a run.
std::string SummaryText(const std::vector<RunResult>& runs, const PriceList& prices,
                        size_t width = kAnyWidth);

// What a limit is called in front of people: "partition limit".
std::string_view LimitName(ThroughputLimit limit);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_SUMMARY_H_
