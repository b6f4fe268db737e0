#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "engine/base/control_groups.h"
#include "engine/base/messages/doctor.h"
#include "engine/base/processors.h"
#include "tools/doctor/machine_checks.h"

namespace dynolith::doctor {
namespace {

constexpr const char* kFiles = "files";
constexpr const char* kMemory = "memory";
constexpr const char* kProcessors = "processors";
// Each connection is a file, and each table file of a store.
constexpr uint64_t kFilesMin = 256;
constexpr uint64_t kFilesGood = 1'024;
// What a server takes without --memory-budget once caches are full: 128 MB of blocks, 32 of items,
// memtables and the program itself.
constexpr uint64_t kMemoryWithoutBudget = uint64_t{256} << 20;
// The least budget, and the program.
constexpr uint64_t kMemoryMin = uint64_t{48} << 20;
// What version 1 says for none is more than any machine has.
constexpr uint64_t kNoLimit = uint64_t{1} << 60;

std::optional<uint64_t> NumberIn(const std::string& file) {
  uint64_t number = 0;
  std::ifstream text(file);
  // "max" is no number.
  if (!(text >> number) || number >= kNoLimit) return std::nullopt;
  return number;
}

void CheckFiles(Findings* findings) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  // A server raises its own up to this one.
  const uint64_t files = limit.rlim_max;
  if (files >= kFilesGood) {
    findings->push_back({Level::kFine, kFiles, messages::FilesFine(files), ""});
    return;
  }
  findings->push_back({files < kFilesMin ? Level::kWrong : Level::kNote, kFiles,
                       messages::FilesFew(files), messages::FilesFewRemedy()});
}

void CheckFileSize(Findings* findings) {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return;
  findings->push_back({Level::kWrong, kFiles, messages::FileSizeLimited(limit.rlim_cur),
                       messages::FileSizeLimitedRemedy()});
}

void CheckMemory(Findings* findings) {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  if (limit.rlim_cur != RLIM_INFINITY) {
    findings->push_back({Level::kWrong, kMemory, messages::AddressSpaceLimited(limit.rlim_cur),
                         messages::AddressSpaceLimitedRemedy()});
    return;
  }
  const std::optional<uint64_t> bytes = MemoryLimit();
  if (!bytes || *bytes >= kMemoryWithoutBudget) {
    findings->push_back({Level::kFine, kMemory,
                         bytes ? messages::MemoryFine(*bytes) : messages::MemoryUnlimited(), ""});
    return;
  }
  findings->push_back({*bytes < kMemoryMin ? Level::kWrong : Level::kNote, kMemory,
                       messages::MemoryScarce(*bytes),
                       *bytes < kMemoryMin ? messages::MemoryTooScarceRemedy()
                                           : messages::MemoryScarceRemedy(*bytes / 2)});
}

}  // namespace

std::optional<uint64_t> MemoryLimit(const std::string& root) {
  std::optional<uint64_t> smallest;
  for (const auto& [folder, is_second_version] : ControlGroups("memory", root)) {
    const std::optional<uint64_t> bytes =
        NumberIn(folder + (is_second_version ? "/memory.max" : "/memory.limit_in_bytes"));
    if (bytes) smallest = std::min(*bytes, smallest.value_or(*bytes));
  }
  return smallest;
}

void CheckLimits(Findings* findings) {
  CheckFiles(findings);
  CheckFileSize(findings);
  CheckMemory(findings);
  findings->push_back(
      {Level::kFine, kProcessors, messages::ProcessorsUsable(UsableProcessors()), ""});
}

}  // namespace dynolith::doctor
