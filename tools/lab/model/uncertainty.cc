#include "tools/lab/model/uncertainty.h"

#include <cstdint>

#include "engine/base/limits.h"

namespace dynolith::lab {
namespace {

constexpr Micros kSplitDelays[] = {3 * kMinute, 15 * kMinute};
// api/facts/capacity.md §3.
constexpr int64_t kEventualUnits[] = {kPartitionReadUnits, 4'500};

}  // namespace

std::vector<Experiment> MakeCorners(const Experiment& experiment) {
  std::vector<Experiment> corners;
  for (const Micros delay : kSplitDelays) {
    for (const int64_t units : kEventualUnits) {
      corners.push_back(experiment);
      corners.back().assumed.split_delay = delay;
      corners.back().assumed.eventual_units = units;
    }
  }
  return corners;
}

}  // namespace dynolith::lab
