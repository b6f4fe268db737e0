// Prints advice as text for a terminal, and as JSON for programs.
#ifndef DYNOLITH_TOOLS_LAB_ADVISE_ADVICE_TEXT_H_
#define DYNOLITH_TOOLS_LAB_ADVISE_ADVICE_TEXT_H_

#include <string>
#include <vector>

#include "tools/lab/advise/advice.h"
#include "tools/lab/report/price_list.h"
#include "tools/lab/result/run_result.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {

// `is_derived`: the open members are the defaults, not those of the file. `width`: the longest line
// of its table in characters, where possible.
std::string AdviceText(const Advice& advice, const PriceList& prices, bool is_derived,
                       size_t width = kAnyWidth);

// clang-format off
//   { "title", "throttled_at_most", "utilization", "burst", "placements", "serves", "open": [path…],
//     "complete", "simulations", "notes": [text…], "prices": {"region", "date", "currency"},
//     "designs": [ { "name", "serves", "month", "once", "not_served", "placements": {"served", "tried"}, "why",
//                    "helps": [text…], "less": [{"name", "why"}], "toml" } ] }
// clang-format on
//
// Designs that serve come first, beginning with the cheapest. "not_served" is the largest denied
// part of any access, "toml" the [[design]] for the experiment's file.
std::string AdviceJson(const Advice& advice, const PriceList& prices);

// The designs as runs for a report; each has its reason as its description.
std::vector<RunResult> AdviceRuns(const Advice& advice);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_ADVICE_TEXT_H_
