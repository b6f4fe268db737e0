// What was found out about a service that does not publish it (tools/lab/measure/service_probe.h),
// as a TOML file:
//
//   burst = "300s"            unused capacity is saved for so long
//   split_delay = "300s"      from when a partition is hot until its split
//   eventual_reads = 4500     of a partition that is read eventually only, units a second
//
// What was not found is not there.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_SERVICE_PROFILE_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_SERVICE_PROFILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

struct ServiceProfile {
  std::optional<Micros> burst;
  std::optional<Micros> split_delay;
  std::optional<int64_t> eventual_units;
};

// Errors: kInvalidArgument with each place.
absl::StatusOr<ServiceProfile> ParseProfile(const std::string& file, std::string_view text);
// The file; `heading` and `remarks` are comments above and below it.
std::string ProfileText(const ServiceProfile& profile, std::string_view heading,
                        const std::vector<std::string>& remarks);
// What the profile does not say is assumed as before.
void Assume(const ServiceProfile& profile, Assumptions* assumed);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_SERVICE_PROFILE_H_
