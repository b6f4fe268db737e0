// CloudWatch's metrics of tables and indexes over time: consumed, provisioned and throttled units.
#ifndef DYNOLITH_TOOLS_LAB_BILL_METRICS_H_
#define DYNOLITH_TOOLS_LAB_BILL_METRICS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/partition/capacity_settings.h"

namespace dynolith::lab {

// Minutes of some four years.
inline constexpr int64_t kBilledPeriodsMax = 2'000'000;

// By the second of the Unix epoch at which a period begins: the sum over the period; for
// provisioned units the average.
using MetricPoints = std::map<int64_t, double>;

struct ResourceMetrics {
  PerKind<MetricPoints> consumed;
  PerKind<MetricPoints> provisioned;
  PerKind<MetricPoints> throttled;  // events
};

struct Metrics {
  std::map<std::string, ResourceMetrics> resources;  // by "table" or "table/index"

  // If not 0, points may be missing: periods are not longer than this, nothing was consumed in one
  // without a point, and provisioned units are those of the point before.
  int64_t known_period = 0;

  // The length of a period in seconds: the smallest distance between two points of one metric,
  // unless `known_period` is less; 0 if no metric has two points, and no period is known.
  int64_t period() const;
  // The time of the first point, and the end of the period of the last one.
  int64_t begin() const;
  int64_t end() const;
};

// Adds the metrics of a text: JSON of `aws cloudwatch get-metric-data` or `get-metric-statistics`,
// or CSV with times in the first column and a series in each other column. The label of a series
// names resource and metric, "orders/by-status ConsumedReadCapacityUnits"; one without a resource
// belongs to `table`, which may be empty. Errors: kInvalidArgument with a line "file:line:column:
// what is expected" for each invalid place.
absl::Status AddMetrics(const std::string& file, std::string_view text, const std::string& table,
                        Metrics* metrics);

// Returns queries for `aws cloudwatch get-metric-data` as JSON: all metrics of these tables and
// indexes in periods of `period` seconds.
std::string MetricQueries(const std::vector<std::string>& resources, int64_t period);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_BILL_METRICS_H_
