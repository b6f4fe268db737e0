// A server's activity and content in Prometheus' format. tools/manual/metrics.md has the names.
#ifndef DYNOLITH_TOOLS_SERVER_METRICS_TEXT_H_
#define DYNOLITH_TOOLS_SERVER_METRICS_TEXT_H_

#include <cstddef>
#include <string>

#include "dynolith/database.h"
#include "tools/server/request_counts.h"

namespace dynolith {

// O(tables and files).
std::string MetricsText(const Database& database, const RequestCounts& requests,
                        size_t connections);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_METRICS_TEXT_H_
