// The control groups of this process, which have its limits.
#ifndef DYNOLITH_ENGINE_PROCESS_CONTROL_GROUPS_H_
#define DYNOLITH_ENGINE_PROCESS_CONTROL_GROUPS_H_

#include <string>
#include <string_view>
#include <vector>

namespace dynolith {

struct ControlGroup {
  std::string folder;
  bool is_second_version = true;  // cgroup v2, where all controllers share one folder
};

// The groups of `controller`, such as "cpu", that contain this process: its own, and all enclosing
// ones. They need not exist. `root`: the folder of /proc and /sys, for tests.
std::vector<ControlGroup> ControlGroups(std::string_view controller, const std::string& root);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_CONTROL_GROUPS_H_
