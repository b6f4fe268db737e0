// A short summary of runs for a terminal.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_SUMMARY_H_
#define DYNOLITH_TOOLS_LAB_REPORT_SUMMARY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tools/lab/report/price_list.h"
#include "tools/lab/result/run_result.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {

// Begins with the verdict on each design of one experiment, compares the designs, and lists the
// notable figures of each. Lines of tables have at most `width` characters where possible.
// Requires: a run.
std::string SummaryText(const std::vector<RunResult>& runs, const PriceList& prices,
                        size_t width = kAnyWidth);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_SUMMARY_H_
