#include <sys/resource.h>

#include <optional>

#include "engine/process/processors.h"
#include "engine/process/resource_limits.h"
#include "tools/program/doctor/machine_checks.h"
#include "tools/program/doctor/messages.h"

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
void CheckFiles(Findings* findings) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  // A server raises its own up to this one.
  const uint64_t files = limit.rlim_max;
  if (files >= kFilesGood) {
    findings->push_back({Severity::kFine, kFiles, messages::FilesFine(files), ""});
    return;
  }
  findings->push_back({files < kFilesMin ? Severity::kWrong : Severity::kNote, kFiles,
                       messages::FilesFew(files), messages::FilesFewRemedy()});
}

void CheckFileSize(Findings* findings) {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return;
  findings->push_back({Severity::kWrong, kFiles, messages::FileSizeLimited(limit.rlim_cur),
                       messages::FileSizeLimitedRemedy()});
}

void CheckMemory(Findings* findings) {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  if (limit.rlim_cur != RLIM_INFINITY) {
    findings->push_back({Severity::kWrong, kMemory, messages::AddressSpaceLimited(limit.rlim_cur),
                         messages::AddressSpaceLimitedRemedy()});
    return;
  }
  const std::optional<uint64_t> bytes = GroupMemoryLimit();
  if (!bytes || *bytes >= kMemoryWithoutBudget) {
    findings->push_back({Severity::kFine, kMemory,
                         bytes ? messages::MemoryFine(*bytes) : messages::MemoryUnlimited(), ""});
    return;
  }
  findings->push_back({*bytes < kMemoryMin ? Severity::kWrong : Severity::kNote, kMemory,
                       messages::MemoryScarce(*bytes),
                       *bytes < kMemoryMin ? messages::MemoryTooScarceRemedy()
                                           : messages::MemoryScarceRemedy(*bytes / 2)});
}

}  // namespace

void CheckLimits(Findings* findings) {
  CheckFiles(findings);
  CheckFileSize(findings);
  CheckMemory(findings);
  findings->push_back(
      {Severity::kFine, kProcessors, messages::ProcessorsUsable(UsableProcessors()), ""});
}

}  // namespace dynolith::doctor
