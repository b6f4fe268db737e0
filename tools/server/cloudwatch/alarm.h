// One alarm: its definition, its state, and how datapoints decide on it (api/facts/cloudwatch.md
// §4).
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_ALARM_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_ALARM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "tools/server/cloudwatch/metric.h"
#include "tools/server/cloudwatch/statistic.h"

namespace dynolith::cloudwatch {

enum class AlarmState : uint8_t { kOk, kAlarm, kInsufficientData };
// "OK"
std::string_view NameOf(AlarmState state);
std::optional<AlarmState> ParseAlarmState(std::string_view name);

enum class Comparison : uint8_t {
  kGreaterThanOrEqualToThreshold,
  kGreaterThanThreshold,
  kLessThanThreshold,
  kLessThanOrEqualToThreshold
};
std::string_view NameOf(Comparison comparison);
std::optional<Comparison> ParseComparison(std::string_view name);

enum class MissingData : uint8_t { kMissing, kIgnore, kBreaching, kNotBreaching };

// Of what has set a state.
inline constexpr size_t kReasonBytesMax = 1023;
inline constexpr size_t kReasonDataBytesMax = 4000;

// As PutMetricAlarm gives it.
struct AlarmDefinition {
  std::string name;
  std::string arn;
  std::optional<std::string> description;
  bool actions_enabled = true;
  std::vector<std::string> ok_actions;
  std::vector<std::string> alarm_actions;
  std::vector<std::string> insufficient_data_actions;
  std::string metric_namespace;
  std::string metric_name;
  Dimensions dimensions;
  std::optional<std::string> unit;
  std::string statistic;  // one that ParseStatistic reads
  int64_t period_seconds = 60;
  int64_t evaluation_periods = 1;
  std::optional<int64_t> datapoints_to_alarm;
  double threshold = 0;
  Comparison comparison = Comparison::kGreaterThanThreshold;
  std::optional<std::string> treat_missing_data;  // as given

  size_t breaching_needed() const {
    return static_cast<size_t>(datapoints_to_alarm.value_or(evaluation_periods));
  }
  bool IsBreaching(double value) const;
  MissingData missing_data() const;
};

struct Alarm {
  AlarmDefinition definition;
  AlarmState state = AlarmState::kInsufficientData;
  std::string reason;
  std::string reason_data;  // JSON; may be empty
  absl::Time configured;
  absl::Time updated;       // the state or its reason
  absl::Time transitioned;  // the state
  // The end of the periods that it was evaluated on, by minutes since 1970; nullopt: it has to be
  // evaluated, whichever they are.
  std::optional<int64_t> evaluated_until;
};

// What an alarm of this definition may take at most; estimated.
size_t BytesOf(const AlarmDefinition& definition);

// The datapoint of a period; nullopt: missing.
struct Datapoint {
  absl::Time at;
  std::optional<double> value;
};

// The number of periods that are looked at when data may be missing.
size_t EvaluationRange(const AlarmDefinition& definition);

struct Verdict {
  AlarmState state = AlarmState::kInsufficientData;
  std::string reason;
};
// `range`: the last EvaluationRange periods, oldest first. nullopt: the state stays as it is.
std::optional<Verdict> Judge(const AlarmDefinition& definition, AlarmState before,
                             const std::vector<Datapoint>& range);

}  // namespace dynolith::cloudwatch

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_ALARM_H_
