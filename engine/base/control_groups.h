// The control groups of this process, where limits stand.
#ifndef DYNOLITH_ENGINE_BASE_CONTROL_GROUPS_H_
#define DYNOLITH_ENGINE_BASE_CONTROL_GROUPS_H_

#include <string>
#include <string_view>
#include <vector>

namespace dynolith {

struct ControlGroup {
  std::string folder;
  bool is_second_version = true;  // cgroup v2, where all controllers share one folder
};

// The groups of `controller`, such as "cpu", that this process is in: its own, and all around it.
// They need not be there. `root`: where /proc and /sys are found, for tests.
std::vector<ControlGroup> ControlGroups(std::string_view controller, const std::string& root);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_CONTROL_GROUPS_H_
