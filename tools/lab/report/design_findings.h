// Writes the findings of a run in the form that the design loop of AWS's agent skill reads.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_DESIGN_FINDINGS_H_
#define DYNOLITH_TOOLS_LAB_REPORT_DESIGN_FINDINGS_H_

#include <string>

#include "tools/lab/report/price_list.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// clang-format off
//   { "classified_findings": [ { "id": "finding-1", "category": "design", "signal",
//       "pattern_ids": [accesses…], "evidence": {…}, "axioms": […], "severity" } ],
//     "top_cost_drivers": [ { "pattern_id", "monthly", "share" } ], the dearest first
//     "no_significant_findings", "coverage_incomplete": whether something was asked for too late }
// clang-format on
//
// Signals, by the skill's own thresholds: persistent_throttles, key_skew_patterns,
// high_gsi_amplification and dominant_cost_patterns; only a benchmark can give the other signals.
// As in the skill, requests are charged as on demand. README.md names the skill's description.
std::string DesignFindings(const RunResult& run, const PriceList& prices);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_DESIGN_FINDINGS_H_
