// The calls that read metrics: GetMetricData, GetMetricStatistics, ListMetrics.
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_METRIC_CALLS_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_METRIC_CALLS_H_

#include "absl/time/time.h"
#include "tools/server/cloudwatch/call.h"
#include "tools/server/cloudwatch/monitor.h"
#include "tools/server/cloudwatch/value.h"

namespace dynolith::cloudwatch {

// `now`: by the database's clock.
CallResult GetMetricData(const Value& input, absl::Time now, Monitor* monitor);
CallResult GetMetricStatistics(const Value& input, absl::Time now, Monitor* monitor);
CallResult ListMetrics(const Value& input, absl::Time now, Monitor* monitor);

}  // namespace dynolith::cloudwatch

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_METRIC_CALLS_H_
