#include "tools/server/cloudwatch/metric_calls.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/server/cloudwatch/messages.h"
#include "tools/server/cloudwatch/page.h"
#include "tools/server/cloudwatch/statistic.h"

namespace dynolith::cloudwatch {
namespace {

// Of GetMetricStatistics.
constexpr int64_t kDatapointsMax = 1'440;
constexpr size_t kStatisticsMax = 5;
constexpr size_t kExtendedStatisticsMax = 10;
// Of GetMetricData.
constexpr size_t kQueriesMax = 500;
constexpr int64_t kPageDatapointsMax = 100'800;
// Of ListMetrics.
constexpr size_t kPageMetricsMax = 500;
constexpr size_t kFiltersMax = 10;
constexpr absl::Duration kListed = absl::Hours(24 * 14);
constexpr absl::Duration kRecentlyActive = absl::Hours(3);

constexpr int64_t kPeriodMax = 86'400 * 36'500LL;

absl::Time FloorToMinute(absl::Time time) { return TimeOf(MinuteOf(time)); }

// Minutes are the shortest that there are.
int64_t ReadPeriod(Members* members) {
  const int64_t period = members->Integer("Period", 1, kPeriodMax);
  if (period % 60 != 0) members->Fail(InvalidValue(messages::CloudwatchPeriod(period)));
  return std::max<int64_t>(60, period);
}

void CheckTimes(absl::Time start, absl::Time end, Members* members) {
  if (members->ok() && start >= end) members->Fail(InvalidCombination(messages::CloudwatchTimes()));
}

StatisticName ReadStatistic(std::string_view name, Members* members) {
  const std::optional<StatisticName> statistic = ParseStatistic(name);
  if (!statistic) members->Fail(InvalidValue(messages::CloudwatchStatistic(name)));
  return statistic.value_or(StatisticName());
}

// nullopt: nothing of the kind is measured.
std::optional<Series> FindMeasured(std::string_view metric_namespace, std::string_view metric,
                                   const Dimensions& dimensions,
                                   const std::optional<std::string>& unit) {
  if (metric_namespace != kNamespace) return std::nullopt;
  std::optional<Series> series = FindSeries(metric, dimensions);
  if (series && unit && *unit != InfoOf(series->metric).unit) return std::nullopt;
  return series;
}

Value DimensionList(const Dimensions& dimensions) {
  Value list = Value::List();
  for (const auto& [name, value] : dimensions) {
    Value dimension = Value::Structure();
    dimension.Set("Name", Value::Text(name)).Set("Value", Value::Text(value));
    list.elements.push_back(std::move(dimension));
  }
  return list;
}

struct NamedStatistic {
  std::string name;
  StatisticName statistic;
};

Value DatapointOf(absl::Time at, const Statistic& sums, std::string_view unit,
                  const std::vector<NamedStatistic>& plain,
                  const std::vector<NamedStatistic>& extended) {
  Value point = Value::Structure();
  point.Set("Timestamp", Value::Time(at));
  for (const NamedStatistic& each : plain) {
    point.Set(each.name, Value::Number(ValueOf(each.statistic, sums)));
  }
  point.Set("Unit", Value::Text(unit));
  if (extended.empty()) return point;
  Value values = Value::Map();
  for (const NamedStatistic& each : extended) {
    values.Set(each.name, Value::Number(ValueOf(each.statistic, sums)));
  }
  point.Set("ExtendedStatistics", std::move(values));
  return point;
}

// One of GetMetricData's queries.
struct Query {
  std::string id;
  std::string label;
  bool returns_data = true;
  std::optional<Series> series;
  StatisticName statistic;
  int64_t period = 60;
};

bool IsQueryId(std::string_view id) {
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !id.empty() && id[0] >= 'a' && id[0] <= 'z' && std::all_of(id.begin(), id.end(), is_good);
}

Query ReadQuery(const Value& given, std::optional<CallError>* error) {
  Members members(given, error);
  Query query;
  query.id = members.Text("Id");
  if (members.ok() && !IsQueryId(query.id)) {
    members.Fail(ValidationFailed(messages::CloudwatchQueryId(query.id)));
  }
  if (members.Has("Expression")) {
    members.Fail(ValidationFailed(messages::CloudwatchNoExpressions()));
  }
  query.returns_data = members.OptionalBool("ReturnData").value_or(true);
  const Value* const stat = given.Find("MetricStat");
  const Value* const metric = stat != nullptr ? stat->Find("Metric") : nullptr;
  if (metric == nullptr) {
    members.Fail(MissingParameter(
        messages::CloudwatchMissing(stat == nullptr ? "MetricStat" : "MetricStat.Metric")));
    return query;
  }
  Members of_stat(*stat, error);
  query.period = ReadPeriod(&of_stat);
  query.statistic = ReadStatistic(of_stat.Text("Stat"), &of_stat);
  const std::optional<std::string> unit = of_stat.OptionalText("Unit");
  Members of_metric(*metric, error);
  const std::string metric_namespace = of_metric.Text("Namespace");
  const std::string name = of_metric.Text("MetricName");
  query.series = FindMeasured(metric_namespace, name, of_metric.ReadDimensions("Dimensions"), unit);
  query.label = members.OptionalText("Label", 1024).value_or(name);
  return query;
}

// Periods begin at multiples of themselves.
Periods ReadQueried(const Query& query, absl::Time start, absl::Time end, absl::Time now,
                    bool ascending, Monitor* monitor) {
  if (!query.series) return {};
  const int64_t seconds = absl::ToUnixSeconds(FloorToMinute(start));
  const int64_t rest = ((seconds % query.period) + query.period) % query.period;
  Periods periods = monitor->Read(*query.series, absl::FromUnixSeconds(seconds - rest), end,
                                  absl::Seconds(query.period), now);
  if (!ascending) std::reverse(periods.begin(), periods.end());
  return periods;
}

bool Matches(const Series& series, const std::optional<std::string>& metric_name,
             const std::vector<std::pair<std::string, std::optional<std::string>>>& filters) {
  if (metric_name && *metric_name != InfoOf(series.metric).name) return false;
  const Dimensions dimensions = DimensionsOf(series);
  return std::all_of(filters.begin(), filters.end(), [&](const auto& filter) {
    return std::any_of(dimensions.begin(), dimensions.end(), [&](const auto& dimension) {
      return dimension.first == filter.first &&
             (!filter.second || dimension.second == *filter.second);
    });
  });
}

}  // namespace

CallResult GetMetricStatistics(const Value& input, absl::Time now, Monitor* monitor) {
  std::optional<CallError> error;
  Members members(input, &error);
  const std::string metric_namespace = members.Text("Namespace");
  const std::string metric = members.Text("MetricName");
  const Dimensions dimensions = members.ReadDimensions("Dimensions");
  const absl::Time start = FloorToMinute(members.Time("StartTime"));
  const absl::Time end = members.Time("EndTime");
  CheckTimes(start, end, &members);
  const int64_t period = ReadPeriod(&members);
  const std::optional<std::string> unit = members.OptionalText("Unit");
  std::vector<NamedStatistic> plain;
  std::vector<NamedStatistic> extended;
  for (const std::string& name : members.Texts("Statistics", kStatisticsMax)) {
    plain.push_back({name, ReadStatistic(name, &members)});
  }
  for (const std::string& name : members.Texts("ExtendedStatistics", kExtendedStatisticsMax)) {
    extended.push_back({name, ReadStatistic(name, &members)});
  }
  if (plain.empty() && extended.empty()) {
    members.Fail(InvalidCombination(messages::CloudwatchNoStatistic()));
  }
  const int64_t asked = members.ok() ? absl::ToInt64Seconds(end - start) / period : 0;
  if (asked > kDatapointsMax) {
    members.Fail(InvalidCombination(messages::CloudwatchTooManyDatapoints(asked, kDatapointsMax)));
  }
  if (error) return *std::move(error);

  Value points = Value::List();
  if (const auto series = FindMeasured(metric_namespace, metric, dimensions, unit)) {
    for (const auto& [at, sums] : monitor->Read(*series, start, end, absl::Seconds(period), now)) {
      points.elements.push_back(
          DatapointOf(at, sums, InfoOf(series->metric).unit, plain, extended));
    }
  }
  Value output = Value::Structure();
  output.Set("Label", Value::Text(metric)).Set("Datapoints", std::move(points));
  return output;
}

CallResult GetMetricData(const Value& input, absl::Time now, Monitor* monitor) {
  std::optional<CallError> error;
  Members members(input, &error);
  const absl::Time start = members.Time("StartTime");
  const absl::Time end = members.Time("EndTime");
  if (members.ok() && start >= end) {
    members.Fail(ValidationFailed(messages::CloudwatchTimes()));
  }
  const std::string scan_by = members.OptionalText("ScanBy").value_or("TimestampDescending");
  if (scan_by != "TimestampDescending" && scan_by != "TimestampAscending") {
    members.Fail(ValidationFailed(messages::CloudwatchNotOneOf(
        "ScanBy", scan_by, "TimestampDescending, TimestampAscending")));
  }
  const int64_t most =
      members.OptionalInteger("MaxDatapoints", 1, kPageDatapointsMax).value_or(kPageDatapointsMax);
  if (!members.Has("MetricDataQueries")) {
    members.Fail(MissingParameter(messages::CloudwatchMissing("MetricDataQueries")));
  }
  std::vector<Query> queries;
  std::set<std::string> ids;
  for (const Value& given : members.List("MetricDataQueries", kQueriesMax)) {
    queries.push_back(ReadQuery(given, &error));
    if (error) break;
    if (!ids.insert(queries.back().id).second) {
      members.Fail(ValidationFailed(messages::CloudwatchQueryIdTwice(queries.back().id)));
    }
  }
  Page page(members.OptionalText("NextToken", kTokenBytesMax), static_cast<size_t>(most));
  if (!page.is_valid()) members.Fail(BadNextToken());
  if (error) return *std::move(error);

  Value results = Value::List();
  for (const Query& query : queries) {
    if (!query.returns_data) continue;
    Value times = Value::List();
    Value values = Value::List();
    bool is_complete = true;
    for (const auto& [at, sums] :
         ReadQueried(query, start, end, now, scan_by == "TimestampAscending", monitor)) {
      const Page::Place place = page.Next();
      if (place == Page::Place::kAfter) is_complete = false;
      if (place != Page::Place::kWithin) continue;
      times.elements.push_back(Value::Time(at));
      values.elements.push_back(Value::Number(ValueOf(query.statistic, sums)));
    }
    Value result = Value::Structure();
    result.Set("Id", Value::Text(query.id))
        .Set("Label", Value::Text(query.label))
        .Set("Timestamps", std::move(times))
        .Set("Values", std::move(values))
        .Set("StatusCode", Value::Text(is_complete ? "Complete" : "PartialData"));
    results.elements.push_back(std::move(result));
  }
  Value output = Value::Structure();
  output.Set("MetricDataResults", std::move(results)).Set("Messages", Value::List());
  if (const auto token = page.NextToken()) output.Set("NextToken", Value::Text(*token));
  return output;
}

CallResult ListMetrics(const Value& input, absl::Time now, Monitor* monitor) {
  std::optional<CallError> error;
  Members members(input, &error);
  const std::optional<std::string> metric_namespace = members.OptionalText("Namespace");
  const std::optional<std::string> metric_name = members.OptionalText("MetricName");
  std::vector<std::pair<std::string, std::optional<std::string>>> filters;
  for (const Value& given : members.List("Dimensions", kFiltersMax)) {
    Members filter(given, &error);
    std::string name = filter.Text("Name");
    filters.emplace_back(std::move(name), filter.OptionalText("Value", 1024));
  }
  const std::optional<std::string> active = members.OptionalText("RecentlyActive");
  if (active && *active != "PT3H") {
    members.Fail(InvalidValue(messages::CloudwatchNotOneOf("RecentlyActive", *active, "PT3H")));
  }
  Page page(members.OptionalText("NextToken", kTokenBytesMax), kPageMetricsMax);
  if (!page.is_valid()) {
    members.Fail(InvalidValue(messages::CloudwatchNextToken()));
  }
  if (error) return *std::move(error);

  Value metrics = Value::List();
  const bool is_ours = !metric_namespace || *metric_namespace == kNamespace;
  for (const Series& series : is_ours
                                  ? monitor->List(now - (active ? kRecentlyActive : kListed), now)
                                  : std::vector<Series>()) {
    if (!Matches(series, metric_name, filters)) continue;
    if (page.Next() != Page::Place::kWithin) continue;
    Value metric = Value::Structure();
    metric.Set("Namespace", Value::Text(kNamespace))
        .Set("MetricName", Value::Text(InfoOf(series.metric).name))
        .Set("Dimensions", DimensionList(DimensionsOf(series)));
    metrics.elements.push_back(std::move(metric));
  }
  Value output = Value::Structure();
  output.Set("Metrics", std::move(metrics));
  if (const auto token = page.NextToken()) output.Set("NextToken", Value::Text(*token));
  return output;
}

}  // namespace dynolith::cloudwatch
