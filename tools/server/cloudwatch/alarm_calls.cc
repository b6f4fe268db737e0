#include "tools/server/cloudwatch/alarm_calls.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/server/cloudwatch/alarm.h"
#include "tools/server/cloudwatch/messages.h"
#include "tools/server/cloudwatch/page.h"
#include "tools/server/cloudwatch/statistic.h"

namespace dynolith::cloudwatch {
namespace {

constexpr size_t kActionsMax = 5;
constexpr size_t kNamesMax = 100;
constexpr int64_t kRecordsMax = 100;
constexpr int64_t kRecordsUsual = 50;
constexpr int64_t kWindowSecondsMax = 86'400;
constexpr size_t kTextBytesMax = 1024;

// What an alarm may be on besides one metric.
constexpr std::string_view kOtherKinds[] = {"Metrics", "ThresholdMetricId", "EvaluationCriteria"};

void ReadMetric(Members* members, AlarmDefinition* definition) {
  for (const std::string_view kind : kOtherKinds) {
    if (members->Has(kind)) members->Fail(ValidationFailed(messages::AlarmNoMetricMath()));
  }
  definition->metric_name = members->Text("MetricName");
  definition->metric_namespace = members->Text("Namespace");
  definition->dimensions = members->ReadDimensions("Dimensions");
  definition->unit = members->OptionalText("Unit");
  if (members->Has("Statistic") == members->Has("ExtendedStatistic")) {
    members->Fail(ValidationFailed(messages::AlarmOneStatistic()));
    return;
  }
  const bool is_plain = members->Has("Statistic");
  definition->statistic = members->Text(is_plain ? "Statistic" : "ExtendedStatistic");
  const std::optional<StatisticName> name = ParseStatistic(definition->statistic);
  if (!name || (name->kind == StatisticName::Kind::kPercentile) == is_plain) {
    members->Fail(ValidationFailed(messages::CloudwatchStatistic(definition->statistic)));
  }
}

void ReadEvaluation(Members* members, AlarmDefinition* definition) {
  definition->period_seconds = members->Integer("Period", 1, kWindowSecondsMax);
  const int64_t period = definition->period_seconds;
  const bool is_short = period == 10 || period == 20 || period == 30;
  if (!is_short && period % 60 != 0) {
    members->Fail(ValidationFailed(messages::AlarmPeriod(period)));
  }
  definition->evaluation_periods = members->Integer("EvaluationPeriods", 1, kWindowSecondsMax);
  definition->datapoints_to_alarm =
      members->OptionalInteger("DatapointsToAlarm", 1, kWindowSecondsMax);
  if (definition->datapoints_to_alarm.value_or(1) > definition->evaluation_periods) {
    members->Fail(ValidationFailed(messages::AlarmDatapoints()));
  }
  if (definition->evaluation_periods * period > kWindowSecondsMax) {
    members->Fail(ValidationFailed(messages::AlarmTooLong()));
  }
  const std::string comparison = members->Text("ComparisonOperator");
  const std::optional<Comparison> parsed = ParseComparison(comparison);
  if (!parsed && members->ok()) {
    const bool is_band =
        comparison.starts_with("LessThanLower") || comparison == "GreaterThanUpperThreshold";
    members->Fail(ValidationFailed(
        is_band ? messages::AlarmNoMetricMath()
                : messages::CloudwatchNotOneOf(
                      "ComparisonOperator", comparison,
                      "GreaterThanOrEqualToThreshold, GreaterThanThreshold, LessThanThreshold, "
                      "LessThanOrEqualToThreshold")));
  }
  definition->comparison = parsed.value_or(Comparison::kGreaterThanThreshold);
  definition->threshold = members->Number("Threshold");
  definition->treat_missing_data = members->OptionalText("TreatMissingData");
  constexpr std::string_view kTreatments[] = {"missing", "ignore", "breaching", "notBreaching"};
  if (definition->treat_missing_data &&
      std::find(std::begin(kTreatments), std::end(kTreatments), *definition->treat_missing_data) ==
          std::end(kTreatments)) {
    members->Fail(ValidationFailed(
        messages::CloudwatchNotOneOf("TreatMissingData", *definition->treat_missing_data,
                                     "missing, ignore, breaching, notBreaching")));
  }
}

Value TextList(const std::vector<std::string>& texts) {
  Value list = Value::List();
  for (const std::string& text : texts) list.elements.push_back(Value::Text(text));
  return list;
}

Value Describe(const Alarm& alarm) {
  const AlarmDefinition& definition = alarm.definition;
  Value described = Value::Structure();
  const auto set_text = [&](std::string_view name, const std::optional<std::string>& text) {
    if (text) described.Set(name, Value::Text(*text));
  };
  described.Set("AlarmName", Value::Text(definition.name));
  described.Set("AlarmArn", Value::Text(definition.arn));
  set_text("AlarmDescription", definition.description);
  described.Set("AlarmConfigurationUpdatedTimestamp", Value::Time(alarm.configured));
  described.Set("ActionsEnabled", Value::Bool(definition.actions_enabled));
  described.Set("OKActions", TextList(definition.ok_actions));
  described.Set("AlarmActions", TextList(definition.alarm_actions));
  described.Set("InsufficientDataActions", TextList(definition.insufficient_data_actions));
  described.Set("StateValue", Value::Text(NameOf(alarm.state)));
  described.Set("StateReason", Value::Text(alarm.reason));
  if (!alarm.reason_data.empty()) described.Set("StateReasonData", Value::Text(alarm.reason_data));
  described.Set("StateUpdatedTimestamp", Value::Time(alarm.updated));
  described.Set("StateTransitionedTimestamp", Value::Time(alarm.transitioned));
  described.Set("MetricName", Value::Text(definition.metric_name));
  described.Set("Namespace", Value::Text(definition.metric_namespace));
  const bool is_percentile =
      ParseStatistic(definition.statistic)->kind == StatisticName::Kind::kPercentile;
  described.Set(is_percentile ? "ExtendedStatistic" : "Statistic",
                Value::Text(definition.statistic));
  Value dimensions = Value::List();
  for (const auto& [name, value] : definition.dimensions) {
    Value dimension = Value::Structure();
    dimension.Set("Name", Value::Text(name)).Set("Value", Value::Text(value));
    dimensions.elements.push_back(std::move(dimension));
  }
  described.Set("Dimensions", std::move(dimensions));
  described.Set("Period", Value::Integer(definition.period_seconds));
  set_text("Unit", definition.unit);
  described.Set("EvaluationPeriods", Value::Integer(definition.evaluation_periods));
  if (definition.datapoints_to_alarm) {
    described.Set("DatapointsToAlarm", Value::Integer(*definition.datapoints_to_alarm));
  }
  described.Set("Threshold", Value::Number(definition.threshold));
  described.Set("ComparisonOperator", Value::Text(NameOf(definition.comparison)));
  set_text("TreatMissingData", definition.treat_missing_data);
  return described;
}

// Which alarms DescribeAlarms is asked for.
struct AlarmFilter {
  std::vector<std::string> names;
  std::optional<std::string> prefix;
  std::optional<std::string> state;
  std::optional<std::string> action_prefix;

  bool Matches(const Alarm& alarm) const {
    const AlarmDefinition& definition = alarm.definition;
    if (!names.empty() && std::find(names.begin(), names.end(), definition.name) == names.end()) {
      return false;
    }
    if (prefix && !definition.name.starts_with(*prefix)) return false;
    if (state && NameOf(alarm.state) != *state) return false;
    return !action_prefix || HasAction(definition);
  }

 private:
  bool HasAction(const AlarmDefinition& definition) const {
    for (const auto* const actions : {&definition.ok_actions, &definition.alarm_actions,
                                      &definition.insufficient_data_actions}) {
      for (const std::string& action : *actions) {
        if (action.starts_with(*action_prefix)) return true;
      }
    }
    return false;
  }
};

std::string StateNames() { return "OK, ALARM, INSUFFICIENT_DATA"; }

}  // namespace

CallResult PutMetricAlarm(const Value& input, absl::Time now, const std::string& arn_prefix,
                          Monitor* monitor) {
  std::optional<CallError> error;
  Members members(input, &error);
  AlarmDefinition definition;
  definition.name = members.Text("AlarmName");
  definition.arn = arn_prefix + definition.name;
  definition.description = members.OptionalText("AlarmDescription", kTextBytesMax);
  definition.actions_enabled = members.OptionalBool("ActionsEnabled").value_or(true);
  definition.ok_actions = members.Texts("OKActions", kActionsMax);
  definition.alarm_actions = members.Texts("AlarmActions", kActionsMax);
  definition.insufficient_data_actions = members.Texts("InsufficientDataActions", kActionsMax);
  ReadMetric(&members, &definition);
  ReadEvaluation(&members, &definition);
  if (error) return *std::move(error);
  if (!monitor->PutAlarm(std::move(definition), now)) {
    return TooManyAlarms(messages::AlarmsTooMany(Monitor::kAlarmsMax));
  }
  return Value();
}

CallResult DescribeAlarms(const Value& input, Monitor* monitor) {
  std::optional<CallError> error;
  Members members(input, &error);
  AlarmFilter filter;
  filter.names = members.Texts("AlarmNames", kNamesMax);
  filter.prefix = members.OptionalText("AlarmNamePrefix");
  filter.state = members.OptionalText("StateValue");
  filter.action_prefix = members.OptionalText("ActionPrefix", kTextBytesMax);
  if (filter.state && !ParseAlarmState(*filter.state)) {
    members.Fail(
        ValidationFailed(messages::CloudwatchNotOneOf("StateValue", *filter.state, StateNames())));
  }
  const std::vector<std::string> types = members.Texts("AlarmTypes", kNamesMax);
  const int64_t most =
      members.OptionalInteger("MaxRecords", 1, kRecordsMax).value_or(kRecordsUsual);
  Page page(members.OptionalText("NextToken", kTokenBytesMax), static_cast<size_t>(most));
  if (!page.is_valid()) members.Fail(BadNextToken());
  if (error) return *std::move(error);

  // Alarms on other alarms there are none.
  const bool wants_metric_alarms =
      (types.empty() || std::find(types.begin(), types.end(), "MetricAlarm") != types.end()) &&
      !members.Has("ChildrenOfAlarmName") && !members.Has("ParentsOfAlarmName");
  Value alarms = Value::List();
  if (wants_metric_alarms) {
    monitor->VisitAlarms([&](const Alarm& alarm) {
      if (!filter.Matches(alarm) || page.Next() != Page::Place::kWithin) return;
      alarms.elements.push_back(Describe(alarm));
    });
  }
  Value output = Value::Structure();
  output.Set("MetricAlarms", std::move(alarms)).Set("CompositeAlarms", Value::List());
  if (const auto token = page.NextToken()) output.Set("NextToken", Value::Text(*token));
  return output;
}

CallResult DeleteAlarms(const Value& input, Monitor* monitor) {
  std::optional<CallError> error;
  Members members(input, &error);
  const std::vector<std::string> names = members.Texts("AlarmNames", kNamesMax);
  if (!members.Has("AlarmNames")) {
    members.Fail(MissingParameter(messages::CloudwatchMissing("AlarmNames")));
  }
  if (error) return *std::move(error);
  const std::string missing = monitor->DeleteAlarms(names);
  if (!missing.empty()) return AlarmNotFound(messages::AlarmsNotFound(missing));
  return Value();
}

CallResult SetAlarmState(const Value& input, absl::Time now, Monitor* monitor) {
  std::optional<CallError> error;
  Members members(input, &error);
  const std::string name = members.Text("AlarmName");
  const std::string value = members.Text("StateValue");
  const std::string reason = members.Text("StateReason", 0, kReasonBytesMax);
  const std::optional<std::string> data =
      members.OptionalText("StateReasonData", kReasonDataBytesMax);
  const std::optional<AlarmState> state = ParseAlarmState(value);
  if (!state) {
    members.Fail(ValidationFailed(messages::CloudwatchNotOneOf("StateValue", value, StateNames())));
  }
  if (error) return *std::move(error);
  if (!monitor->SetAlarmState(name, *state, reason, data.value_or(""), now)) {
    return AlarmNotFound(messages::AlarmUnknown(name));
  }
  return Value();
}

}  // namespace dynolith::cloudwatch
