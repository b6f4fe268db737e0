#include "tools/server/cloudwatch/monitor.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "tools/server/cloudwatch/messages.h"

namespace dynolith::cloudwatch {
namespace {

// Alarms are evaluated for each minute that has passed unseen, up to so many.
constexpr Minute kEvaluatedMax = 24 * 60;
// And up to so many minutes of metrics that all alarms read then, for the last minute at least.
constexpr int64_t kReadMax = 2'000'000;
// Provisioned capacity is kept so long, as the metrics of minutes are.
constexpr Minute kKept = 15 * 24 * 60;

Minute FloorTo(Minute minute, Minute step) {
  const Minute rest = minute % step;
  return minute - (rest < 0 ? rest + step : rest);
}

Minute PeriodOf(const AlarmDefinition& definition) {
  return std::max<Minute>(1, definition.period_seconds / 60);
}

bool IsProvisioned(Metric metric) {
  return metric == Metric::kProvisionedReadCapacityUnits ||
         metric == Metric::kProvisionedWriteCapacityUnits;
}

}  // namespace

Monitor::Monitor(MonitorOptions options)
    : options_(std::move(options)), collector_(options_.collector) {}

Monitor::~Monitor() {
  for (const auto& [_, alarm] : alarms_) memory().alarm_bytes -= BytesOf(alarm.definition);
}

void Monitor::CatchUp(absl::Time now, const std::vector<UseReport>& tables) {
  absl::MutexLock lock(&mutex_);
  SampleAll(now, tables);
  EvaluateAlarms(now);
}

void Monitor::GoBack(absl::Time now) {
  const Minute minute = MinuteOf(now);
  collector_.DropFrom(minute);
  absl::MutexLock lock(&mutex_);
  sampled_ = std::min(sampled_, FloorTo(minute, kSlot) - kSlot);
  evaluated_ = std::min(evaluated_, minute);
  for (auto& [_, alarm] : alarms_) alarm.evaluated_until.reset();
  for (auto& [_, runs] : provisioned_) {
    std::erase_if(runs, [last = sampled_](const Steady& run) { return run.first > last; });
    if (!runs.empty()) runs.back().last = std::min(runs.back().last, sampled_);
  }
}

// --- Provisioned capacity

void Monitor::Sample(const Series& series, Minute first, Minute last, double value) {
  std::vector<Steady>& runs = provisioned_[series];
  if (!runs.empty() && runs.back().value == value && runs.back().last + kSlot >= first) {
    runs.back().last = std::max(runs.back().last, last);
    return;
  }
  runs.push_back({first, last, value});
}

void Monitor::SampleAll(absl::Time now, const std::vector<UseReport>& tables) {
  const Minute slot = FloorTo(MinuteOf(now), kSlot);
  if (slot <= sampled_) return;
  const Minute first = sampled_ == 0 ? slot : std::max(sampled_ + kSlot, slot - kKept);
  sampled_ = slot;
  for (const UseReport& table : tables) {
    Series series = {.table = table.table_name, .index = table.index_name};
    const auto sample = [&](Metric metric, int64_t units) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      series.metric = metric;
      if (units > 0) Sample(series, first, slot, static_cast<double>(units));
    };
    sample(Metric::kProvisionedReadCapacityUnits, table.provisioned_read_units);
    sample(Metric::kProvisionedWriteCapacityUnits, table.provisioned_write_units);
  }
  for (auto it = provisioned_.begin(); it != provisioned_.end();) {
    std::erase_if(it->second, [&](const Steady& run) { return run.last < slot - kKept; });
    for (Steady& run : it->second) run.first = std::max(run.first, FloorTo(slot - kKept, kSlot));
    it = it->second.empty() ? provisioned_.erase(it) : std::next(it);
  }
}

// --- Reads

std::vector<std::pair<Minute, Statistic>> Monitor::ReadMinutes(const MinuteStore& collected,
                                                               const Series& series, Minute begin,
                                                               Minute end) {
  if (!IsProvisioned(series.metric)) return collected.Read(series, begin, end);
  std::vector<std::pair<Minute, Statistic>> minutes;
  const auto runs = provisioned_.find(series);
  if (runs == provisioned_.end()) return minutes;
  for (const Steady& run : runs->second) {
    Minute slot = std::max(run.first, FloorTo(begin + kSlot - 1, kSlot));
    for (; slot <= run.last && slot < end; slot += kSlot) {
      minutes.emplace_back(slot, Statistic()).second.Add(run.value);
    }
  }
  return minutes;
}

Periods Monitor::Read(const Series& series, absl::Time begin, absl::Time end, absl::Duration period,
                      absl::Time now) {
  const Minute first = MinuteOf(begin);
  const Minute length = std::max<Minute>(1, absl::ToInt64Minutes(period));
  const Minute last =
      std::min(MinuteOf(end + absl::Minutes(1) - absl::Nanoseconds(1)), AppearedBefore(now));
  absl::MutexLock lock(&mutex_);
  Periods periods;
  // A period that begins before the end has all of its minutes.
  const Minute wanted = first + (last - first + length - 1) / length * length;
  for (const auto& [minute, statistic] :
       ReadMinutes(collector_.Collect(), series, first, std::min(wanted, AppearedBefore(now)))) {
    const absl::Time at = TimeOf(first + (minute - first) / length * length);
    if (periods.empty() || periods.back().first != at) periods.emplace_back(at, Statistic());
    periods.back().second.Merge(statistic);
  }
  return periods;
}

std::vector<Series> Monitor::List(absl::Time since, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  const Minute first = MinuteOf(since);
  const Minute end = AppearedBefore(now);
  std::vector<Series> found = collector_.Collect().List(first, end);
  for (const auto& [series, runs] : provisioned_) {
    const bool is_there = std::any_of(runs.begin(), runs.end(), [&](const Steady& run) {
      return run.first < end && run.last >= first;
    });
    if (is_there) found.push_back(series);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// --- Alarms

bool Monitor::PutAlarm(AlarmDefinition definition, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  const auto found = alarms_.find(definition.name);
  const size_t before = found == alarms_.end() ? 0 : BytesOf(found->second.definition);
  const size_t after = BytesOf(definition);
  if (found == alarms_.end() && alarms_.size() >= kAlarmsMax) return false;
  if ((memory().alarm_bytes += after - before) > memory().alarm_bytes_max && after > before) {
    memory().alarm_bytes -= after - before;
    return false;
  }
  if (found != alarms_.end()) {
    // It keeps its state until it is evaluated.
    found->second.definition = std::move(definition);
    found->second.configured = now;
    found->second.evaluated_until.reset();
    return true;
  }
  // With no other there was nothing to evaluate.
  if (alarms_.empty()) evaluated_ = MinuteOf(now);
  Alarm alarm = {
      .reason = messages::AlarmInitially(), .configured = now, .updated = now, .transitioned = now};
  alarm.definition = std::move(definition);
  std::string name = alarm.definition.name;
  alarms_.emplace(std::move(name), std::move(alarm));
  return true;
}

std::string Monitor::DeleteAlarms(const std::vector<std::string>& names) {
  absl::MutexLock lock(&mutex_);
  for (const std::string& name : names) {
    if (!alarms_.contains(name)) return name;
  }
  for (const std::string& name : names) {
    const auto found = alarms_.find(name);
    if (found == alarms_.end()) continue;  // it was named twice
    memory().alarm_bytes -= BytesOf(found->second.definition);
    alarms_.erase(found);
  }
  return {};
}

void Monitor::VisitAlarms(absl::FunctionRef<void(const Alarm& alarm)> visit) {
  absl::MutexLock lock(&mutex_);
  for (const auto& [_, alarm] : alarms_) visit(alarm);
}

bool Monitor::SetAlarmState(const std::string& name, AlarmState state, std::string_view reason,
                            std::string_view reason_data, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  const auto found = alarms_.find(name);
  if (found == alarms_.end()) return false;
  SetState({state, std::string(reason)}, now, &found->second);
  found->second.reason_data = reason_data;
  found->second.evaluated_until.reset();
  return true;
}

void Monitor::SetState(const Verdict& verdict, absl::Time at, Alarm* alarm) {
  const AlarmState before = alarm->state;
  alarm->state = verdict.state;
  // One of many datapoints is cut, as none is longer in the service.
  alarm->reason = verdict.reason.substr(0, kReasonBytesMax);
  alarm->reason_data.clear();
  alarm->updated = at;
  if (before == verdict.state) return;
  alarm->transitioned = at;
  if (!options_.note) return;
  options_.note(messages::AlarmHasChanged(alarm->definition.name, NameOf(before),
                                          NameOf(verdict.state), verdict.reason));
}

void Monitor::EvaluateAlarms(absl::Time now) {
  const Minute minute = MinuteOf(now);
  if (alarms_.empty()) {
    evaluated_ = minute;
    return;
  }
  if (minute <= evaluated_) return;
  const MinuteStore& collected = collector_.Collect();
  for (Minute at = FirstEvaluated(minute); at <= minute; ++at) {
    for (auto& [_, alarm] : alarms_) Evaluate(collected, at, &alarm);
  }
  evaluated_ = minute;
}

Minute Monitor::FirstEvaluated(Minute now) {
  // An alarm is evaluated once at least, and once for each of its periods that end: that is as much
  // as its whole range, and for each minute as many minutes as there are periods in its range.
  int64_t once = 0;
  int64_t each_minute = 1;
  for (const auto& [_, alarm] : alarms_) {
    const auto periods = static_cast<int64_t>(EvaluationRange(alarm.definition));
    once += periods * PeriodOf(alarm.definition);
    each_minute += periods;
  }
  const Minute most = std::max<int64_t>(0, kReadMax - once) / each_minute;
  return std::max(evaluated_ + 1, now + 1 - std::clamp<Minute>(most, 1, kEvaluatedMax));
}

void Monitor::Evaluate(const MinuteStore& collected, Minute at, Alarm* alarm) {
  const AlarmDefinition& definition = alarm->definition;
  const Minute length = PeriodOf(definition);
  const Minute end = FloorTo(AppearedBefore(TimeOf(at)), length);
  // The same periods say the same again.
  if (alarm->evaluated_until == end) return;
  alarm->evaluated_until = end;
  const std::optional<StatisticName> statistic = ParseStatistic(definition.statistic);
  std::optional<Series> series;
  if (definition.metric_namespace == kNamespace) {
    series = FindSeries(definition.metric_name, definition.dimensions);
  }
  if (series && definition.unit && *definition.unit != InfoOf(series->metric).unit) series.reset();
  const size_t count = EvaluationRange(definition);
  const Minute begin = end - static_cast<Minute>(count) * length;
  std::vector<Statistic> sums(count);
  if (series) {
    for (const auto& [minute, sum] : ReadMinutes(collected, *series, begin, end)) {
      sums[static_cast<size_t>((minute - begin) / length)].Merge(sum);
    }
  }
  std::vector<Datapoint> range;
  for (size_t i = 0; i < count; ++i) {
    Datapoint& point = range.emplace_back();
    point.at = TimeOf(begin + static_cast<Minute>(i) * length);
    if (sums[i].count() > 0) point.value = ValueOf(*statistic, sums[i]);
  }
  const std::optional<Verdict> verdict = Judge(definition, alarm->state, range);
  if (verdict && verdict->state != alarm->state) SetState(*verdict, TimeOf(at), alarm);
}

}  // namespace dynolith::cloudwatch
