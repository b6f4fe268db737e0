#include "engine/base/processors.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>

namespace dynolith {
namespace {

constexpr std::string_view kGroups = "/sys/fs/cgroup";

int ProcessorsOfAffinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // More processors than the set has room for: all of them.
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());
}

// Of processor time in each period. Less than zero, or no number: there is none.
std::optional<double> QuotaOf(std::istream&& quota_and_period) {
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

// The smallest quota of the group at `path` and of all around it.
double SmallestQuota(const std::string& base, std::string path, bool is_second_version) {
  double smallest = std::numeric_limits<double>::infinity();
  while (true) {
    while (path.ends_with('/')) path.pop_back();
    const std::string group = base + path;
    const std::optional<double> quota =
        is_second_version
            ? QuotaOf(std::ifstream(group + "/cpu.max"))
            : QuotaOf(Together(group + "/cpu.cfs_quota_us", group + "/cpu.cfs_period_us"));
    smallest = std::min(smallest, quota.value_or(smallest));
    if (path.empty()) return smallest;
    path.resize(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
  }
}

bool HasController(std::string_view controllers, std::string_view wanted) {
  while (!controllers.empty()) {
    const size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == wanted) return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

}  // namespace

int UsableProcessors(const std::string& root) {
  double most = ProcessorsOfAffinity();
  // Lines like "0::/user.slice", of version 2, or "4:cpu,cpuacct:/docker/5a", of version 1.
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    const std::string base = root + std::string(kGroups);
    if (controllers.empty()) {
      most = std::min(most, SmallestQuota(base, path, /*is_second_version=*/true));
    } else if (HasController(controllers, "cpu")) {
      // Mounted under all its controllers' names, with a link of its own.
      most = std::min(most, SmallestQuota(base + "/cpu", path, /*is_second_version=*/false));
    }
  }
  return std::max(1, static_cast<int>(std::ceil(most)));
}

}  // namespace dynolith
