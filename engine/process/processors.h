// How many threads can run at the same time.
#ifndef DYNOLITH_ENGINE_PROCESS_PROCESSORS_H_
#define DYNOLITH_ENGINE_PROCESS_PROCESSORS_H_

#include <string>

namespace dynolith {

// The number of processors that this process may use: those of its affinity, or fewer if its
// control group or an enclosing one has a quota of processor time (cgroup v2: cpu.max, v1:
// cpu.cfs_quota_us), rounded up. At least 1. `root`: the folder of /proc and /sys, for tests.
int UsableProcessors(const std::string& root = "");

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_PROCESSORS_H_
