// The requests of an export: spans, and figures. Counters become cumulative sums, histograms
// cumulative histograms, gauges gauges, all with the names that they have for Prometheus.
#ifndef DYNOLITH_TOOLS_SERVER_OTLP_EXPORT_REQUEST_H_
#define DYNOLITH_TOOLS_SERVER_OTLP_EXPORT_REQUEST_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "tools/server/metrics/metric_families.h"

namespace dynolith::otlp {

// When each series began to count: one that appears, or has less than before, as after a return to
// a snapshot or when a table is made anew, began when it was last looked at. For one thread.
class SeriesStarts {
 public:
  // `start`: of the server, with which everything began that is there at the first look.
  explicit SeriesStarts(absl::Time start) : last_look_(start) {}

  // A look at all series: Begin, then each one, then End.
  void Begin() { seen_.clear(); }
  // `key`: of one series; `value`: what it has counted.
  absl::Time StartOf(const std::string& key, double value);
  void End(absl::Time now);

 private:
  struct Known {
    absl::Time start;
    double value = 0;
  };
  absl::Time last_look_;
  std::map<std::string, Known> known_;
  std::map<std::string, Known> seen_;
};

// An ExportMetricsServiceRequest. `resource`: the bytes of a Resource.
std::string EncodeMetrics(const MetricFamilies& families, std::string_view resource, absl::Time now,
                          SeriesStarts* starts);

// An ExportTraceServiceRequest of encoded spans.
std::string EncodeTraces(const std::vector<std::string>& spans, std::string_view resource);

}  // namespace dynolith::otlp

#endif  // DYNOLITH_TOOLS_SERVER_OTLP_EXPORT_REQUEST_H_
