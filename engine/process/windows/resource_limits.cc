#include "engine/process/resource_limits.h"

#include <windows.h>
// Needs what windows.h declares.
#include <psapi.h>

#include <algorithm>

namespace dynolith {

std::optional<uint64_t> GroupMemoryLimit(const std::string& /*root*/) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION job = {};
  if (QueryInformationJobObject(nullptr, JobObjectExtendedLimitInformation, &job, sizeof job,
                                nullptr) == 0) {
    return std::nullopt;
  }
  const DWORD flags = job.BasicLimitInformation.LimitFlags;
  std::optional<uint64_t> smallest;
  if ((flags & JOB_OBJECT_LIMIT_JOB_MEMORY) != 0) smallest = job.JobMemoryLimit;
  if ((flags & JOB_OBJECT_LIMIT_PROCESS_MEMORY) != 0) {
    smallest = std::min<uint64_t>(job.ProcessMemoryLimit, smallest.value_or(UINT64_MAX));
  }
  return smallest;
}

uint64_t MemoryLimit(const std::string& root) {
  MEMORYSTATUSEX machine = {};
  machine.dwLength = sizeof machine;
  const uint64_t bytes = GlobalMemoryStatusEx(&machine) != 0 ? machine.ullTotalPhys : 0;
  const std::optional<uint64_t> group = GroupMemoryLimit(root);
  if (!group) return bytes;
  return bytes == 0 ? *group : std::min(bytes, *group);
}

std::optional<uint64_t> ThreadsLeft(const std::string& /*root*/) { return std::nullopt; }

uint64_t OwnMemoryBytes() {
  PROCESS_MEMORY_COUNTERS_EX counters = {};
  if (K32GetProcessMemoryInfo(GetCurrentProcess(),
                              reinterpret_cast<PROCESS_MEMORY_COUNTERS*>(&counters),
                              sizeof counters) == 0) {
    return 0;
  }
  return counters.PrivateUsage;
}

}  // namespace dynolith
