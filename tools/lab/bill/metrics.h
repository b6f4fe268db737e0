// What CloudWatch counted of tables and indexes: consumed, provisioned and throttled, over time.
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

// By second of the Unix epoch: of each period that begins then, the sum of what was counted, or
// for provisioned units their average.
using MetricPoints = std::map<int64_t, double>;

struct ResourceMetrics {
  PerKind<MetricPoints> consumed;
  PerKind<MetricPoints> provisioned;
  PerKind<MetricPoints> throttled;  // events
};

struct Metrics {
  std::map<std::string, ResourceMetrics> resources;  // by "table" or "table/index"

  // Seconds of a period: the smallest distance of two points of one metric, 0 if there are no two.
  int64_t period() const;
  // Of the first point, and behind the period of the last one.
  int64_t begin() const;
  int64_t end() const;
};

// Adds what the JSON text of `aws cloudwatch get-metric-data` or `get-metric-statistics` says, or a
// table in CSV: times in the first column, and a series in each of the others. The label of a
// series names resource and metric, "orders/by-status ConsumedReadCapacityUnits"; one without a
// resource belongs to `table`, which may be empty. Errors: kInvalidArgument, a line
// "file:line:column: what is expected" for each invalid place.
absl::Status AddMetrics(const std::string& file, std::string_view text, const std::string& table,
                        Metrics* metrics);

// Returns the queries that `aws cloudwatch get-metric-data` takes, JSON: all metrics of these
// tables and indexes, by `period` seconds.
std::string MetricQueries(const std::vector<std::string>& resources, int64_t period);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_BILL_METRICS_H_
