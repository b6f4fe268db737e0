// A server's activity and content in figures. tools/manual/metrics.md has the names.
#ifndef DYNOLITH_TOOLS_SERVER_SERVER_METRICS_H_
#define DYNOLITH_TOOLS_SERVER_SERVER_METRICS_H_

#include <cstddef>

#include "dynolith/database.h"
#include "tools/server/metrics/metric_families.h"
#include "tools/server/request_counts.h"

namespace dynolith {

// O(tables and files).
void AddServerMetrics(const Database& database, const RequestCounts& requests, size_t connections,
                      MetricFamilies* families);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_SERVER_METRICS_H_
