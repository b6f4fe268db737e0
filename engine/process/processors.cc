#include "engine/process/processors.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include "engine/process/control_groups.h"

namespace dynolith {
namespace {

int ProcessorsOfAffinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // More processors than the set has room for: all of them.
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());
}

// The quota of processor time, in processors. A negative one, or no number, means no quota.
std::optional<double> ParseQuota(std::istream&& quota_and_period) {
  double quota = 0;
  double period = 0;
  quota_and_period >> quota >> period;
  if (!quota_and_period || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

// A file with the quota and one with the period, as one text.
std::istringstream Together(const std::string& quota_file, const std::string& period_file) {
  std::string quota;
  std::string period;
  std::ifstream(quota_file) >> quota;
  std::ifstream(period_file) >> period;
  return std::istringstream(quota + " " + period);
}

}  // namespace

int UsableProcessors(const std::string& root) {
  double most = ProcessorsOfAffinity();
  for (const auto& [folder, is_second_version] : ControlGroups("cpu", root)) {
    const std::optional<double> quota =
        is_second_version
            ? ParseQuota(std::ifstream(folder + "/cpu.max"))
            : ParseQuota(Together(folder + "/cpu.cfs_quota_us", folder + "/cpu.cfs_period_us"));
    most = std::min(most, quota.value_or(most));
  }
  return std::max(1, static_cast<int>(std::ceil(most)));
}

}  // namespace dynolith
