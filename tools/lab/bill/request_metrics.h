// The units that recorded requests consumed, as metrics: of a trace, or of a log of AWS CloudTrail.
#ifndef DYNOLITH_TOOLS_LAB_BILL_REQUEST_METRICS_H_
#define DYNOLITH_TOOLS_LAB_BILL_REQUEST_METRICS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tools/lab/bill/metrics.h"
#include "tools/lab/experiment/access_log.h"

namespace dynolith::lab {

// Whether a file with these bytes holds requests, not metrics.
bool HoldsRequests(std::string_view bytes);

// Adds what each table and global index consumed by the minutes of the clock, its throttles, and
// the units that a trace says are provisioned. A first or last minute that is incomplete is left
// out. There are points of minutes with requests, and of the first and the last minute. Returns
// warnings: what was assumed or could not be read. Errors: those of ReadRequests; kInvalidArgument
// if the requests last less than two whole minutes.
absl::StatusOr<std::vector<std::string>> AddRequestMetrics(
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read,
    const LogAssumptions& assumptions, Metrics* metrics);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_BILL_REQUEST_METRICS_H_
