// The resources of this process: the limits of its control groups, its own limits and those of the
// machine. `root` everywhere: the folder of /proc and /sys, for tests.
#ifndef DYNOLITH_ENGINE_PROCESS_RESOURCE_LIMITS_H_
#define DYNOLITH_ENGINE_PROCESS_RESOURCE_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace dynolith {

// Bytes of memory at which the system kills processes of the control group or of an enclosing one
// (cgroup v2: memory.max, v1: memory.limit_in_bytes); nullopt: no limit.
std::optional<uint64_t> GroupMemoryLimit(const std::string& root = "");

// The same, or less if the machine has less. 0: not known.
uint64_t MemoryLimit(const std::string& root = "");

// The number of threads that may still be started before the control groups' limit (pids.max);
// nullopt: no limit.
std::optional<uint64_t> ThreadsLeft(const std::string& root = "");

// Private memory of this process, without pages that are backed by files. 0: not known.
uint64_t OwnMemoryBytes();

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_RESOURCE_LIMITS_H_
