#include "tools/lab/bill/metrics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "engine/base/strings.h"
#include "tools/files/toml/toml_text.h"
#include "tools/lab/bill/messages.h"
#include "tools/lab/experiment/messages.h"
#include "tools/lab/text/csv_text.h"
#include "tools/lab/text/json_reader.h"
#include "tools/lab/text/messages.h"

namespace dynolith::lab {
namespace {

// A metric of CloudWatch, and the destination of its points.
struct Metric {
  std::string_view name;
  std::string_view statistic;
  PerKind<MetricPoints> ResourceMetrics::*points;
  AccessKind kind;
};
constexpr Metric kMetrics[] = {
    {"ConsumedReadCapacityUnits", "Sum", &ResourceMetrics::consumed, AccessKind::kRead},
    {"ConsumedWriteCapacityUnits", "Sum", &ResourceMetrics::consumed, AccessKind::kWrite},
    {"ProvisionedReadCapacityUnits", "Average", &ResourceMetrics::provisioned, AccessKind::kRead},
    {"ProvisionedWriteCapacityUnits", "Average", &ResourceMetrics::provisioned, AccessKind::kWrite},
    {"ReadThrottleEvents", "Sum", &ResourceMetrics::throttled, AccessKind::kRead},
    {"WriteThrottleEvents", "Sum", &ResourceMetrics::throttled, AccessKind::kWrite}};

// Calls `visit` for all points of a kind of all resources.
template <typename Visit>
void ForEachSeries(const Metrics& metrics, Visit visit) {
  for (const auto& [name, resource] : metrics.resources) {
    for (const Metric& metric : kMetrics) visit((resource.*metric.points)[metric.kind]);
  }
}

struct Series {
  const Metric* metric = nullptr;
  std::string resource;
};

// nullopt: the label names no known metric.
std::optional<Series> ParseLabel(std::string_view label, const std::string& table) {
  for (const Metric& metric : kMetrics) {
    if (label.size() < metric.name.size() ||
        label.substr(label.size() - metric.name.size()) != metric.name) {
      continue;
    }
    std::string_view resource = label.substr(0, label.size() - metric.name.size());
    while (!resource.empty() && resource.back() == ' ') resource.remove_suffix(1);
    // CloudWatch's own label of an index: the words with a space in between.
    std::string name(resource.empty() ? std::string_view(table) : resource);
    std::replace(name.begin(), name.end(), ' ', '/');
    return Series{&metric, std::move(name)};
  }
  return std::nullopt;
}

// Parses a time such as 2026-11-25T12:00:00Z, as in a table of CloudWatch, or seconds.
std::optional<int64_t> ParseSecond(std::string_view text) {
  // Beyond it are no years that a calendar has.
  constexpr double kSecondsMax = 1e11;
  double seconds = 0;
  if (absl::SimpleAtod(ToAbsl(text), &seconds)) {
    if (!(std::abs(seconds) < kSecondsMax)) return std::nullopt;
    return static_cast<int64_t>(std::floor(seconds));
  }
  for (const std::string_view format :
       {std::string_view("%Y-%m-%d%ET%H:%M:%E*S%Ez"), std::string_view("%Y-%m-%d %H:%M:%S"),
        std::string_view("%Y/%m/%d %H:%M:%S")}) {
    absl::Time time;
    if (absl::ParseTime(ToAbsl(format), ToAbsl(text), absl::UTCTimeZone(), &time, nullptr)) {
      return absl::ToUnixSeconds(time);
    }
  }
  return std::nullopt;
}

class MetricsReader {
 public:
  MetricsReader(const std::string& table, JsonErrors* errors, Metrics* metrics)
      : table_(table), errors_(errors), metrics_(metrics) {}

  void Read(const JsonObject& root) {
    if (root.Has("MetricDataResults")) {
      for (const JsonObject& result : root.Objects("MetricDataResults")) ReadResult(result);
    } else if (root.Has("Datapoints")) {
      ReadStatistics(root);
    } else {
      root.Error(messages::LabBillNoMetrics());
    }
  }

 private:
  MetricPoints* FindPoints(const JsonObject& owner, const Metric** metric = nullptr) {
    const std::string label = owner.NeededText("Label");
    if (label.empty()) return nullptr;
    const std::optional<Series> series = ParseLabel(label, table_);
    if (!series || series->resource.empty()) {
      owner.ErrorAt("Label",
                    series ? messages::LabBillNoTable(owner.MemberPath("Label"), label)
                           : messages::LabBillUnknownMetric(owner.MemberPath("Label"), label));
      return nullptr;
    }
    if (metric != nullptr) *metric = series->metric;
    return &(metrics_->resources[series->resource].*series->metric->points)[series->metric->kind];
  }

  void Add(const JsonTree& at, double value, std::string_view path, MetricPoints* points) {
    const std::optional<int64_t> second = ParseSecond(at.text);
    if (!second) return errors_->Add(at, messages::LabBillNotATime(path));
    (*points)[*second] = value;
  }

  void ReadResult(const JsonObject& result) {
    MetricPoints* const points = FindPoints(result);
    const std::vector<double> values = result.Numbers("Values");
    const JsonTree* const times = result.tree().Find("Timestamps");
    if (points == nullptr) return;
    if (times == nullptr || times->elements.size() != values.size()) {
      return result.Error(messages::LabBillUnequal(result.MemberPath("Timestamps")));
    }
    for (size_t i = 0; i < values.size(); ++i) {
      Add(times->elements[i], values[i], result.MemberPath("Timestamps"), points);
    }
  }

  void ReadStatistics(const JsonObject& root) {
    const Metric* metric = nullptr;
    MetricPoints* const points = FindPoints(root, &metric);
    if (points == nullptr) return;
    for (const JsonObject& point : root.Objects("Datapoints")) {
      const std::optional<double> value = point.Number(metric->statistic, 0);
      const JsonTree* const time = point.tree().Find("Timestamp");
      if (!point.Has(metric->statistic)) {
        point.Error(messages::LabJsonLacks(point.MemberPath(metric->statistic)));
      } else if (time == nullptr) {
        point.Error(messages::LabJsonLacks(point.MemberPath("Timestamp")));
      } else if (value) {
        Add(*time, *value, point.MemberPath("Timestamp"), points);
      }
    }
  }

  const std::string& table_;
  JsonErrors* const errors_;
  Metrics* const metrics_;
};

// Reads a table: times in the first column, and the label of a series over each other column.
absl::Status AddTable(const std::string& file, std::string_view text, const std::string& table,
                      Metrics* metrics) {
  std::string lines;
  const auto error = [&](int64_t line, int64_t column, std::string_view words) {
    lines += Concat(lines.empty() ? "" : "\n", messages::LabErrorAt(file, line, column, words));
  };
  CsvRows rows(text);
  std::vector<MetricPoints*> series;
  for (size_t i = 1; i < rows.columns().size(); ++i) {
    const std::string& label = rows.columns()[i];
    const std::optional<Series> found = ParseLabel(label, table);
    if (!found || found->resource.empty()) {
      const std::string path = messages::LabBillColumn(i + 1);
      error(1, 1,
            found ? messages::LabBillNoTable(path, label)
                  : messages::LabBillUnknownMetric(path, label));
      continue;
    }
    ResourceMetrics& resource = metrics->resources[found->resource];
    series.push_back(&(resource.*found->metric->points)[found->metric->kind]);
  }
  if (rows.columns().size() < 2) error(1, 1, messages::LabBillNoMetrics());
  while (lines.empty() && rows.Next()) {
    const std::optional<int64_t> second = ParseSecond(rows.cell(0));
    if (!second) error(rows.line(), 1, messages::LabBillNotATime(rows.columns()[0]));
    for (size_t i = 0; second && i < series.size(); ++i) {
      const std::string_view cell = rows.cell(i + 1);
      double value = 0;
      if (cell.empty()) continue;
      if (absl::SimpleAtod(ToAbsl(cell), &value) && value >= 0 && std::isfinite(value)) {
        (*series[i])[*second] = value;
      } else {
        error(rows.line(), 1, messages::LabWrongKind(rows.columns()[i + 1], "a number"));
      }
    }
  }
  return lines.empty() ? absl::OkStatus() : absl::InvalidArgumentError(ToAbsl(lines));
}

}  // namespace

int64_t Metrics::period() const {
  int64_t least = known_period;
  ForEachSeries(*this, [&least](const MetricPoints& points) {
    for (auto point = points.begin(); point != points.end(); ++point) {
      const auto next = std::next(point);
      if (next == points.end()) break;
      const int64_t distance = next->first - point->first;
      least = least == 0 ? distance : std::min(least, distance);
    }
  });
  return least;
}

int64_t Metrics::begin() const {
  int64_t begin = std::numeric_limits<int64_t>::max();
  ForEachSeries(*this, [&begin](const MetricPoints& points) {
    if (!points.empty()) begin = std::min(begin, points.begin()->first);
  });
  return begin;
}

int64_t Metrics::end() const {
  int64_t last = std::numeric_limits<int64_t>::min();
  ForEachSeries(*this, [&last](const MetricPoints& points) {
    if (!points.empty()) last = std::max(last, points.rbegin()->first);
  });
  return last + period();
}

absl::Status AddMetrics(const std::string& file, std::string_view text, const std::string& table,
                        Metrics* metrics) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  const bool is_json =
      begin != std::string_view::npos && (text[begin] == '{' || text[begin] == '[');
  if (!is_json) return AddTable(file, text, table, metrics);
  JsonErrors errors(file);
  const std::optional<JsonTree> tree = ParseJsonObject(text, &errors);
  if (tree) MetricsReader(table, &errors, metrics).Read(JsonObject(*tree, "", &errors));
  return errors.status();
}

std::string MetricQueries(const std::vector<std::string>& resources, int64_t period) {
  std::string queries;
  int number = 0;
  for (const std::string& resource : resources) {
    const size_t slash = resource.find('/');
    std::string dimensions =
        Concat("{\"Name\": \"TableName\", \"Value\": ", TomlText(resource.substr(0, slash)), "}");
    if (slash != std::string::npos) {
      dimensions += Concat(", {\"Name\": \"GlobalSecondaryIndexName\", \"Value\": ",
                           TomlText(resource.substr(slash + 1)), "}");
    }
    for (const Metric& metric : kMetrics) {
      queries +=
          Concat(queries.empty() ? "" : ",\n", " {\"Id\": \"m", ++number,
                 "\", \"Label\": ", TomlText(Concat(resource, " ", metric.name)),
                 ", \"MetricStat\": {\"Period\": ", period, ", \"Stat\": \"", metric.statistic,
                 "\", \"Metric\": {\"Namespace\": \"AWS/DynamoDB\", \"MetricName\": \"",
                 metric.name, "\", \"Dimensions\": [", dimensions, "]}}}");
    }
  }
  return Concat("[\n", queries, "\n]\n");
}

}  // namespace dynolith::lab
