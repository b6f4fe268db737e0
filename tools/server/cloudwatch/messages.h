// The texts of CloudWatch's answers (api/facts/cloudwatch.md §5), and those about it.
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_MESSAGES_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- members of a call

inline std::string CloudwatchMissing(std::string_view name) {
  return Concat("The parameter ", name, " is required.");
}
inline std::string CloudwatchMalformed(std::string_view name) {
  return Concat("The parameter ", name, " must be of another type.");
}
inline std::string CloudwatchTextLength(std::string_view name, size_t least, size_t most) {
  return Concat("The parameter ", name, " must have from ", least, " to ", most, " characters.");
}
inline std::string CloudwatchNumberBounds(std::string_view name, int64_t least, int64_t most) {
  return Concat("The parameter ", name, " must be from ", least, " to ", most, ".");
}
inline std::string CloudwatchListLength(std::string_view name, size_t most) {
  return Concat("The collection ", name, " must not have more than ", most, " elements.");
}
inline std::string CloudwatchNotOneOf(std::string_view name, std::string_view value,
                                      std::string_view values) {
  return Concat("The value ", value, " for parameter ", name, " must be one of: ", values, ".");
}

// --- reading metrics

inline std::string CloudwatchTimes() {
  return "The parameter StartTime must be less than the parameter EndTime.";
}
inline std::string CloudwatchPeriod(int64_t period) {
  return Concat("The parameter Period must be a multiple of 60, and not ", period, ".");
}
inline std::string CloudwatchNoStatistic() {
  return "At least one of the parameters Statistics and ExtendedStatistics must be specified.";
}
inline std::string CloudwatchTooManyDatapoints(int64_t asked, size_t most) {
  return Concat("You have requested up to ", asked, " datapoints, which exceeds the limit of ",
                most,
                ". You may reduce the datapoints requested by increasing Period, or decreasing the "
                "time range.");
}
inline std::string CloudwatchStatistic(std::string_view name) {
  return Concat("The value ", name,
                " is no statistic: SampleCount, Average, Sum, Minimum, Maximum, ",
                "or a percentile such as p99.");
}
inline std::string CloudwatchQueryId(std::string_view id) {
  return Concat("The value '", id, "' for parameter MetricDataQueries.Id is not matching the ",
                "expected pattern ^[a-z][a-zA-Z0-9_]*$.");
}
inline std::string CloudwatchQueryIdTwice(std::string_view id) {
  return Concat("The values for parameter id in MetricDataQueries are not unique: ", id, ".");
}
inline std::string CloudwatchNoExpressions() {
  return "Expressions are not evaluated here: ask for each metric, and compute with the values.";
}
inline std::string CloudwatchNextToken() { return "Invalid nextToken"; }

// --- alarms

inline std::string AlarmOneStatistic() {
  return "Exactly one of Statistic and ExtendedStatistic must be specified.";
}
inline std::string AlarmNoMetricMath() {
  return "Alarms on expressions, on anomaly detection and on PromQL are not evaluated here.";
}
inline std::string AlarmDatapoints() {
  return "DatapointsToAlarm must not be greater than EvaluationPeriods.";
}
inline std::string AlarmTooLong() {
  return "Metrics cannot be checked across more than a day (EvaluationPeriods * Period must be <= "
         "86400).";
}
inline std::string AlarmPeriod(int64_t period) {
  return Concat("The parameter Period must be 10, 20, 30 or a multiple of 60, and not ", period,
                ".");
}
inline std::string AlarmsNotFound(std::string_view name) {
  return Concat("There is no alarm named ", name, ": none has been deleted.");
}
inline std::string AlarmUnknown(std::string_view name) {
  return Concat("There is no alarm named ", name, ".");
}
inline std::string AlarmsTooMany(size_t most) {
  return Concat("The maximum number of alarms, ", most,
                ", or of the memory for those of all databases has been reached.");
}
inline std::string AlarmInitially() { return "Unchecked: Initial alarm creation"; }
inline std::string AlarmInsufficient(size_t unknown) {
  return Concat("Insufficient Data: ", unknown,
                unknown == 1 ? " datapoint was unknown." : " datapoints were unknown.");
}
// `points`: "5.0 (29/11/26 03:24:00), …"; `relation`: "greater than the threshold (1.0)".
inline std::string AlarmCrossed(size_t matching, size_t all, std::string_view points,
                                bool is_crossed, std::string_view relation, size_t least,
                                std::string_view transition) {
  return Concat("Threshold Crossed: ", matching, " out of the last ", all, " datapoints [", points,
                "] ", matching == 1 ? "was " : "were ", is_crossed ? "" : "not ", relation,
                " (minimum ", least, least == 1 ? " datapoint" : " datapoints", " for ", transition,
                " transition).");
}
// `treated`: "Breaching" or "NonBreaching".
inline std::string AlarmNothingReceived(size_t periods, std::string_view treated) {
  return Concat("Threshold Crossed: no datapoints were received for ", periods,
                periods == 1
                    ? " period and 1 missing datapoint was treated as ["
                    : Concat(" periods and ", periods, " missing datapoints were treated as ["),
                treated, "].");
}

// --- the call as a whole

inline std::string CloudwatchNoOperation(std::string_view name) {
  return Concat("The operation ", name,
                " is not answered here: GetMetricData, GetMetricStatistics, ListMetrics, "
                "PutMetricAlarm, DescribeAlarms, DeleteAlarms, SetAlarmState are.");
}
inline std::string CloudwatchNoDatabase() { return "The database is not open."; }
inline std::string CloudwatchTooLarge(size_t bytes_max) {
  return Concat("The request has more than ", bytes_max, " bytes.");
}
inline std::string CloudwatchNotReadable(std::string_view form) {
  return Concat("The body is no ", form, ".");
}

// --- for the server's log and options

inline std::string AlarmHasChanged(std::string_view alarm, std::string_view before,
                                   std::string_view after, std::string_view reason) {
  return Concat("alarm ", alarm, ": ", before, " -> ", after, ": ", reason);
}
inline std::string CloudwatchDelayBounds(int64_t most) {
  return Concat("--cloudwatch-delay wants seconds from 0 to ", most);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_MESSAGES_H_
