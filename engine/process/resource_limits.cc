#include "engine/process/resource_limits.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "engine/process/control_groups.h"

namespace dynolith {
namespace {

// For "no limit" version 1 has a number that is larger than any machine's memory.
constexpr uint64_t kNoLimit = uint64_t{1} << 60;

std::optional<uint64_t> NumberIn(const std::string& file) {
  uint64_t number = 0;
  std::ifstream text(file);
  // "max" is not a number.
  if (!(text >> number) || number >= kNoLimit) return std::nullopt;
  return number;
}

// The kernel gives kilobytes.
uint64_t MachineMemoryBytes(const std::string& root) {
  std::ifstream text(root + "/proc/meminfo");
  std::string name;
  uint64_t kilobytes = 0;
  return text >> name >> kilobytes && name == "MemTotal:" ? kilobytes << 10 : 0;
}

}  // namespace

std::optional<uint64_t> GroupMemoryLimit(const std::string& root) {
  std::optional<uint64_t> smallest;
  for (const auto& [folder, is_second_version] : ControlGroups("memory", root)) {
    const std::optional<uint64_t> bytes =
        NumberIn(folder + (is_second_version ? "/memory.max" : "/memory.limit_in_bytes"));
    if (bytes) smallest = std::min(*bytes, smallest.value_or(*bytes));
  }
  return smallest;
}

uint64_t MemoryLimit(const std::string& root) {
  const uint64_t machine = MachineMemoryBytes(root);
  const std::optional<uint64_t> group = GroupMemoryLimit(root);
  if (!group) return machine;
  return machine == 0 ? *group : std::min(machine, *group);
}

std::optional<uint64_t> ThreadsLeft(const std::string& root) {
  std::optional<uint64_t> fewest;
  for (const ControlGroup& group : ControlGroups("pids", root)) {
    const std::optional<uint64_t> most = NumberIn(group.folder + "/pids.max");
    if (!most) continue;
    const uint64_t now = NumberIn(group.folder + "/pids.current").value_or(0);
    const uint64_t left = *most > now ? *most - now : 0;
    fewest = std::min(left, fewest.value_or(left));
  }
  return fewest;
}

uint64_t OwnMemoryBytes() {
  // Reads without a stream, because this is called when memory may be short.
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128];
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return 0;
  text[size] = '\0';
  char* next = nullptr;
  std::strtoull(text, &next, 10);  // size of the address space
  const uint64_t resident = std::strtoull(next, &next, 10);
  const uint64_t of_files = std::strtoull(next, &next, 10);
  return resident > of_files ? (resident - of_files) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE))
                             : 0;
}

}  // namespace dynolith
