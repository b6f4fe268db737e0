// Capacity as JSON texts: what a table is told, and what its partitions have done.
//
//   {"table": "music", "mode": "enforce", "scale": 0.01, "seed": 7}        scale and seed may be
//   left out
#ifndef DYNOLITH_API_JSON_CAPACITY_TEXT_H_
#define DYNOLITH_API_JSON_CAPACITY_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "dynolith/capacity_options.h"
#include "dynolith/capacity_report.h"

namespace dynolith {

// One, for messages.
inline constexpr std::string_view kCapacityExample =
    R"({"table": "music", "mode": "enforce", "scale": 0.01})";

struct CapacityChange {
  std::string table;
  CapacityOptions options;
};

// Errors: kInvalidArgument with what is wrong, which member it is, and an example.
absl::StatusOr<CapacityChange> ReadCapacityChange(std::string_view json);

// {"tables": [{"table": "music", "mode": "enforce", "scale": 0.01, "throughputs": [{"billing":
// "provisioned", …, "partitions": […], "splits": […]}, {"index": "by-year", …}]}]};
// tools/manual/capacity.md has all of it.
void AppendCapacityReports(const std::vector<CapacityReport>& reports, std::string* out);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_CAPACITY_TEXT_H_
