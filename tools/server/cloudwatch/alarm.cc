#include "tools/server/cloudwatch/alarm.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "engine/base/strings.h"
#include "tools/server/cloudwatch/messages.h"

namespace dynolith::cloudwatch {
namespace {

// Periods that are looked at beyond the evaluated ones.
constexpr int64_t kMorePeriods = 2;
constexpr int64_t kSecondsOfDay = 86'400;

// "5.0", as the service prints a double.
std::string DoubleText(double value) {
  char text[40];
  const auto end = std::to_chars(std::begin(text), std::end(text), value);
  std::string printed(text, end.ptr);
  if (printed.find_first_of(".en") == printed.npos) printed += ".0";
  return printed;
}

std::string PointText(const Datapoint& point) {
  return Concat(DoubleText(*point.value), " (",
                absl::FormatTime("%d/%m/%y %H:%M:%S", point.at, absl::UTCTimeZone()), ")");
}

std::string RelationText(const AlarmDefinition& definition) {
  const std::string threshold = Concat("the threshold (", DoubleText(definition.threshold), ")");
  switch (definition.comparison) {
    case Comparison::kGreaterThanOrEqualToThreshold:
      return Concat("greater than or equal to ", threshold);
    case Comparison::kGreaterThanThreshold:
      return Concat("greater than ", threshold);
    case Comparison::kLessThanThreshold:
      return Concat("less than ", threshold);
    case Comparison::kLessThanOrEqualToThreshold:
      break;
  }
  return Concat("less than or equal to ", threshold);
}

// What the existing datapoints say, the newest first.
struct Evidence {
  std::vector<Datapoint> points;
  size_t breaching = 0;
  // The number of periods from the oldest breaching one to now, that one included; 0: there is
  // none.
  size_t oldest_breaching_age = 0;
  bool is_any_within = false;
};

Evidence Gather(const AlarmDefinition& definition, const std::vector<Datapoint>& range) {
  const auto wanted = static_cast<size_t>(definition.evaluation_periods);
  Evidence evidence;
  for (size_t age = 1; age <= range.size() && evidence.points.size() < wanted; ++age) {
    const Datapoint& point = range[range.size() - age];
    if (!point.value) continue;
    evidence.points.push_back(point);
    if (definition.IsBreaching(*point.value)) {
      ++evidence.breaching;
      evidence.oldest_breaching_age = age;
    } else {
      evidence.is_any_within = true;
    }
  }
  return evidence;
}

Verdict Crossed(const AlarmDefinition& definition, AlarmState before, AlarmState after,
                const Evidence& evidence, std::string_view treated) {
  const bool is_alarm = after == AlarmState::kAlarm;
  if (is_alarm ? evidence.breaching == 0 : !evidence.is_any_within) {
    // Only missing ones are on this side of the threshold.
    const auto periods = static_cast<size_t>(definition.evaluation_periods);
    return {after, messages::AlarmNothingReceived(periods - evidence.points.size(), treated)};
  }
  std::string points;
  size_t matching = 0;
  for (const Datapoint& point : evidence.points) {
    if (definition.IsBreaching(*point.value) != is_alarm) continue;
    ++matching;
    points += Concat(points.empty() ? "" : ", ", PointText(point));
  }
  const auto all = static_cast<size_t>(definition.evaluation_periods);
  const size_t least =
      is_alarm ? definition.breaching_needed() : all - definition.breaching_needed() + 1;
  return {after, messages::AlarmCrossed(matching, all, points, is_alarm, RelationText(definition),
                                        least, Concat(NameOf(before), " -> ", NameOf(after)))};
}

}  // namespace

std::string_view NameOf(AlarmState state) {
  switch (state) {
    case AlarmState::kOk:
      return "OK";
    case AlarmState::kAlarm:
      return "ALARM";
    case AlarmState::kInsufficientData:
      break;
  }
  return "INSUFFICIENT_DATA";
}

std::optional<AlarmState> ParseAlarmState(std::string_view name) {
  for (const AlarmState state :
       {AlarmState::kOk, AlarmState::kAlarm, AlarmState::kInsufficientData}) {
    if (NameOf(state) == name) return state;
  }
  return std::nullopt;
}

std::string_view NameOf(Comparison comparison) {
  switch (comparison) {
    case Comparison::kGreaterThanOrEqualToThreshold:
      return "GreaterThanOrEqualToThreshold";
    case Comparison::kGreaterThanThreshold:
      return "GreaterThanThreshold";
    case Comparison::kLessThanThreshold:
      return "LessThanThreshold";
    case Comparison::kLessThanOrEqualToThreshold:
      break;
  }
  return "LessThanOrEqualToThreshold";
}

std::optional<Comparison> ParseComparison(std::string_view name) {
  for (const Comparison comparison :
       {Comparison::kGreaterThanOrEqualToThreshold, Comparison::kGreaterThanThreshold,
        Comparison::kLessThanThreshold, Comparison::kLessThanOrEqualToThreshold}) {
    if (NameOf(comparison) == name) return comparison;
  }
  return std::nullopt;
}

bool AlarmDefinition::IsBreaching(double value) const {
  switch (comparison) {
    case Comparison::kGreaterThanOrEqualToThreshold:
      return value >= threshold;
    case Comparison::kGreaterThanThreshold:
      return value > threshold;
    case Comparison::kLessThanThreshold:
      return value < threshold;
    case Comparison::kLessThanOrEqualToThreshold:
      break;
  }
  return value <= threshold;
}

MissingData AlarmDefinition::missing_data() const {
  if (treat_missing_data == "missing") return MissingData::kMissing;
  if (treat_missing_data == "ignore") return MissingData::kIgnore;
  if (treat_missing_data == "breaching") return MissingData::kBreaching;
  if (treat_missing_data == "notBreaching") return MissingData::kNotBreaching;
  // Of DynamoDB's metrics minutes without traffic have none.
  return metric_namespace == kNamespace ? MissingData::kIgnore : MissingData::kMissing;
}

size_t BytesOf(const AlarmDefinition& definition) {
  // With the entry of a map and a state's texts.
  size_t bytes = sizeof(Alarm) + 100 + kReasonBytesMax + kReasonDataBytesMax;
  const auto add = [&](std::string_view text) { bytes += sizeof(std::string) + text.size(); };
  for (const auto* const actions :
       {&definition.ok_actions, &definition.alarm_actions, &definition.insufficient_data_actions}) {
    for (const std::string& action : *actions) add(action);
  }
  for (const auto& [name, value] : definition.dimensions) {
    add(name);
    add(value);
  }
  for (const auto* const text :
       {&definition.description, &definition.unit, &definition.treat_missing_data}) {
    if (*text) add(**text);
  }
  add(definition.name);  // and again as a key
  add(definition.name);
  add(definition.arn);
  add(definition.metric_namespace);
  add(definition.metric_name);
  add(definition.statistic);
  return bytes;
}

size_t EvaluationRange(const AlarmDefinition& definition) {
  const int64_t most =
      std::max(definition.evaluation_periods, kSecondsOfDay / definition.period_seconds);
  return static_cast<size_t>(std::min(definition.evaluation_periods + kMorePeriods, most));
}

std::optional<Verdict> Judge(const AlarmDefinition& definition, AlarmState before,
                             const std::vector<Datapoint>& range) {
  const Evidence evidence = Gather(definition, range);
  const auto wanted = static_cast<size_t>(definition.evaluation_periods);
  const size_t needed = definition.breaching_needed();
  const size_t missing = wanted - evidence.points.size();
  const auto crossed = [&](AlarmState after, std::string_view treated = "") {
    return Crossed(definition, before, after, evidence, treated);
  };
  if (evidence.breaching >= needed) return crossed(AlarmState::kAlarm);
  if (missing == 0) return crossed(AlarmState::kOk);
  switch (definition.missing_data()) {
    case MissingData::kBreaching:
      return evidence.breaching + missing >= needed ? crossed(AlarmState::kAlarm, "Breaching")
                                                    : crossed(AlarmState::kOk);
    case MissingData::kNotBreaching:
      return crossed(AlarmState::kOk, "NonBreaching");
    case MissingData::kIgnore:
      if (evidence.is_any_within) return crossed(AlarmState::kOk);
      return std::nullopt;
    case MissingData::kMissing:
      break;
  }
  if (evidence.is_any_within) return crossed(AlarmState::kOk);
  // Nothing newer contradicts a breach that is old enough.
  if (evidence.oldest_breaching_age >= needed && !evidence.points.empty()) {
    return crossed(AlarmState::kAlarm);
  }
  return Verdict{AlarmState::kInsufficientData, messages::AlarmInsufficient(missing)};
}

}  // namespace dynolith::cloudwatch
