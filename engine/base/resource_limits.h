// What this process may take: the bounds of its control groups, of its own limits and of the
// machine. `root` everywhere: where /proc and /sys are found, for tests.
#ifndef DYNOLITH_ENGINE_BASE_RESOURCE_LIMITS_H_
#define DYNOLITH_ENGINE_BASE_RESOURCE_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace dynolith {

// Bytes of memory at which the system ends processes of the control group or of one around it
// (cgroup v2: memory.max, v1: memory.limit_in_bytes); nullopt: there is no limit.
std::optional<uint64_t> GroupMemoryLimit(const std::string& root = "");

// The same, or less if the machine has less. 0: it is not known.
uint64_t MemoryLimit(const std::string& root = "");

// How many threads may still be started before the control groups' limit (pids.max); nullopt: there
// is none.
std::optional<uint64_t> ThreadsLeft(const std::string& root = "");

// Memory of this process that only it has, and that cannot be given back by dropping what is also
// in a file. 0: it is not known.
uint64_t OwnMemoryBytes();

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_RESOURCE_LIMITS_H_
