// The calls about alarms: PutMetricAlarm, DescribeAlarms, DeleteAlarms, SetAlarmState.
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_ALARM_CALLS_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_ALARM_CALLS_H_

#include <string>

#include "absl/time/time.h"
#include "tools/server/cloudwatch/call.h"
#include "tools/server/cloudwatch/monitor.h"
#include "tools/server/cloudwatch/value.h"

namespace dynolith::cloudwatch {

// `now`: by the database's clock. `arn_prefix`: of an alarm's ARN, before its name.
CallResult PutMetricAlarm(const Value& input, absl::Time now, const std::string& arn_prefix,
                          Monitor* monitor);
CallResult DescribeAlarms(const Value& input, Monitor* monitor);
CallResult DeleteAlarms(const Value& input, Monitor* monitor);
CallResult SetAlarmState(const Value& input, absl::Time now, Monitor* monitor);

}  // namespace dynolith::cloudwatch

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_ALARM_CALLS_H_
