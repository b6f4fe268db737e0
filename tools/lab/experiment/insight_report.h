// Reads a report of CloudWatch Contributor Insights as a distribution of keys.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_INSIGHT_REPORT_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_INSIGHT_REPORT_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// Reads the JSON of `aws cloudwatch get-insight-rule-report` into the values, weights and rest of a
// list. Each contributor gets its measured value as its weight; the remaining keys, as many as
// ApproximateUniqueCount counts, share what is left of AggregateValue evenly. Requires: the source
// has its prefix. Errors: kInvalidArgument, with a line "file:line:column: what is expected" for
// each invalid place.
absl::Status ReadInsightReport(const std::string& file, std::string_view text, KeySource* source);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_INSIGHT_REPORT_H_
