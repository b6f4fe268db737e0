// A result as one JSON text: what a report or a program needs to show it again.
#ifndef DYNOLITH_TOOLS_LAB_RESULT_JSON_H_
#define DYNOLITH_TOOLS_LAB_RESULT_JSON_H_

#include <string>
#include <vector>

#include "tools/lab/price_list.h"
#include "tools/lab/run_result.h"

namespace dynolith::lab {

// clang-format off
//   { "title", "question", "expected", "seed", "prices": {"region", "date", "currency"},
//     "designs": [ { "name", "description", "interval_seconds", "simulated_seconds", "complete",
//       "decisions",
//       "accesses": [ { "name", "requests": […], "absorbed": […], "operations": […],
//                       "served": […], "throttled": […], "failed": […], "waited_seconds",
//                       "throttled_by": {limit: count} } ],
//       "resources": [ { "name", "partitions_at_start", "partitions": […], "bytes": […],
//         "read" and "write": { "units": […], "capacity": […], "throttled": {limit: […]} },
//         "heat": { "slot_seconds", "buckets", "operations": [[slot, bucket, count]…],
//                   "units": …, "throttled": … },
//         "splits": [ { "second", "position", "within_collection", "partitions" } ],
//         "scalings": [ { "second", "kind": "read" or "write", "units_before", "units" } ],
//         "hottest": [ { "key", "position", "operations", "units", "throttled" } ],
//         "month": { "on_demand", "provisioned", "storage" } } ] } ] }
// clang-format on
//
// One element of a list for each interval. Of heat only what is not 0.
std::string ResultJson(const std::vector<RunResult>& runs, const PriceList& prices);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_RESULT_JSON_H_
