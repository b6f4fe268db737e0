#include "engine/process/control_groups.h"

#include <algorithm>
#include <fstream>

#include "engine/base/strings.h"

namespace dynolith {
namespace {

constexpr std::string_view kGroups = "/sys/fs/cgroup";

bool HasController(std::string_view controllers, std::string_view wanted) {
  while (!controllers.empty()) {
    const size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == wanted) return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

}  // namespace

std::vector<ControlGroup> ControlGroups(std::string_view controller, const std::string& root) {
  std::vector<ControlGroup> groups;
  // Parses lines like "0::/user.slice" (version 2) or "4:cpu,cpuacct:/docker/5a" (version 1).
  std::ifstream lines(root + "/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_second_version = controllers.empty();
    if (!is_second_version && !HasController(controllers, controller)) continue;
    // Version 1 is mounted under the joined names of its controllers, and each controller has a
    // link of its own.
    const std::string base =
        is_second_version ? Concat(root, kGroups) : Concat(root, kGroups, "/", controller);
    std::string path = line.substr(second + 1);
    while (true) {
      while (path.ends_with('/')) path.pop_back();
      groups.push_back({.folder = base + path, .is_second_version = is_second_version});
      if (path.empty()) break;
      path.resize(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
    }
  }
  return groups;
}

}  // namespace dynolith
