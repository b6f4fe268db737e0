// Capacity as JSON texts: a table's settings, and the state of its partitions.
//
//   {"table": "music", "mode": "enforce", "scale": 0.01, "seed": 7, "burst_seconds": 60,
//    "split_delay_seconds": 900, "partition_reads": 4500}          table and mode have to be there
#ifndef DYNOLITH_API_JSON_CAPACITY_TEXT_H_
#define DYNOLITH_API_JSON_CAPACITY_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "dynolith/capacity_options.h"
#include "dynolith/capacity_report.h"

namespace dynolith {

// An example, for messages.
inline constexpr std::string_view kCapacityExample =
    R"({"table": "music", "mode": "enforce", "scale": 0.01})";

struct CapacityChange {
  std::string table;
  CapacityOptions options;
};

// Errors: kInvalidArgument with the error, its member, and an example.
absl::StatusOr<CapacityChange> ReadCapacityChange(std::string_view json);

// {"tables": [{"table": "music", "mode": "enforce", "scale": 0.01, "throughputs": [{"billing":
// "provisioned", …, "partitions": […], "splits": […]}, {"index": "by-year", …}]}]};
// tools/manual/capacity.md has all of it.
void AppendCapacityReports(const std::vector<CapacityReport>& reports, std::string* out);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_CAPACITY_TEXT_H_
