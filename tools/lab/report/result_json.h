// Writes a result as JSON, which reports and programs read.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_RESULT_JSON_H_
#define DYNOLITH_TOOLS_LAB_REPORT_RESULT_JSON_H_

#include <string>
#include <vector>

#include "tools/lab/report/price_list.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// Raised if a member changes its meaning, or one that programs rely on is removed.
inline constexpr int kResultVersion = 1;

// clang-format off
//   { "version": 1, "title", "question", "expected", "seed",
//     "prices": {"region", "date", "currency"},
//     "designs": [ { "name", "description",
//       "verdict": [ { "sentence", "kind": "throttled", "burst", "errors", "stream" or
//                      "served",
//                      "throttled", "attempts", "share", and, where it has one,
//                      "resource", "access": "read" or "write", "limit", "from_second",
//                      "to_second", "key", "helps", "units", "provisioned",
//                      "empty_after_seconds", "reserve" } ], the worst first, never empty
//       "region": whose prices are paid,
//       "totals": { "requests", "operations", "served", "throttled", "month": as it is billed },
//       "expectations": [ { "name": "served", "p99" or "cost", "access", "wanted", "found",
//                           "met", "sentence" } ], those of the experiment
//       with --seeds "seeds", with --uncertainty "uncertainty": { "served", "throttled", "p99" and
//         "month": { "least", "median", "most" }, "runs": [ { "seed", "split_delay_seconds",
//         "eventual_read_units", "served", "throttled", "p99", "month", "as_expected" } ] }, this
//         run first
//       "warnings": […], "interval_seconds", "simulated_seconds", "complete", "decisions",
//       "accesses": [ { "name", "requests": […], "absorbed": […], "operations": […],
//                       "served": […], "throttled": […], "failed": […], "errors": […],
//                       "errors_by": {kind: count}, "waited_seconds",
//                       "failed_conditions": of "served", if there are any,
//                       "p99" of a measured run or one with a client or a latency,
//                       "throttled_by": {limit: count},
//                       of a measured run also
//                       "latency": { "requests": […], "p50", "p90", "p99", "p99_9", "max": […],
//                         "whole_run": { "p50", …, "p99_99", "max", "mean", "requests" },
//                         "percentiles" and "call_percentiles": [[part, milliseconds]…] } } ],
//       of a measured run "measured": { "target", "connections", "warm_up_seconds", "loaded",
//         "unsent", "generator_is_slow", "generator_lag_p50", "generator_lag_p99",
//         "generator_lag_max", "notes": […] },
//       "bill": [ { "resource", "position", "region", "quantity", "unit", and, if it is known, "price" of
//                   one and "amount" } ], a month of it,
//       "reserved": [ { "term", "billed": whether it is the experiment's own, "all_provisioned": whether what
//                       is on demand counts as provisioned for its busiest minute, "read" and "write": { "units",
//                       "covered": part of the provisioned units, "used": part of the reserved ones },
//                       "upfront", "units_month": the cost of the provisioned units with it } ],
//       "resources": [ { "name", "partitions_at_start", "partitions": […], "bytes": […],
//         "read" and "write": { "units": […], "capacity": […], "throttled": {limit: […]} },
//         "heat": { "slot_seconds", "buckets", "operations": [[slot, bucket, count]…],
//                   "bytes": …, "units": …, "throttled": … },
//         "splits": [ { "second", "position", "within_collection", "partitions" } ],
//         "scalings": [ { "second", "kind": "read" or "write", "units_before", "units" } ],
//         "even": whether no key stands out; then none is listed
//         "hottest": [ { "key", "position", "operations", "read_units", "write_units",
//                        "heat": seconds of all that a partition can take, "throttled_reads",
//                        "throttled_writes" } ],
//         "expired": what time to live deleted, "expired_units": that a replica pays, if it did
//         "full_collections": [ { "key", "second", "refused" } ],
//         "replicated_write_units": of all replicas together, if there are some
//         "stream", if it is read: { "shards", "calls_a_second" of each, "records_a_second" and
//           "bytes_a_second" of the busiest, "behind_most_seconds", "behind_seconds" at the end,
//           "behind_from_second" },
//         "month": { "on_demand", "provisioned", "storage" }, as far as known } ] } ] }
// clang-format on
//
// Lists have one element for each interval; latencies and lags are milliseconds. Heat has only the
// counts that are not 0; for a picture it is
//
//   "heat": { "slot_seconds", "slots", "buckets", "operations": [count…], "bytes": …, … }
//
// with 200 buckets and all counts slot by slot, zeros too, with three digits; a list is empty if
// all
// counts are 0. That takes a tenth of the bytes and has all that a picture can show.
enum class HeatForm { kCells, kPicture };
std::string ResultJson(const std::vector<RunResult>& runs, const PriceList& prices,
                       HeatForm heat = HeatForm::kCells);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_RESULT_JSON_H_
