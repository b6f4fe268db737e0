#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "absl/status/statusor.h"
#include "engine/base/errno_status.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"
#include "engine/store/local_store.h"
#include "tools/program/doctor/machine_checks.h"
#include "tools/program/doctor/messages.h"

namespace dynolith::doctor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDisk = "disk";
constexpr const char* kData = "data";
// A memtable, its table file and the log beside it, several times.
constexpr uint64_t kSpaceMin = uint64_t{64} << 20;
constexpr uint64_t kSpaceGood = uint64_t{1} << 30;
constexpr uint64_t kFileNumbersMin = 100;

// Of statfs(2)'s f_type.
constexpr int64_t kNfs = 0x6969;
constexpr int64_t kSmb = 0x517B;
constexpr int64_t kCifs = 0xFF534D42;
constexpr int64_t kSmb2 = 0xFE534D42;
constexpr int64_t kPlan9 = 0x01021997;
constexpr int64_t kFuse = 0x65735546;
constexpr int64_t kTmpfs = 0x01021994;
constexpr int64_t kRamfs = 0x858458F6;
constexpr int64_t kOverlay = 0x794C7630;

// The folder, or the nearest one around it that is there.
fs::path NearestThere(const std::string& folder) {
  std::error_code error;
  fs::path at = fs::absolute(folder, error).lexically_normal();
  while (at.has_relative_path() && !fs::exists(at, error)) at = at.parent_path();
  return at;
}

void CheckFileSystem(const fs::path& folder, Findings* findings) {
  struct statfs system {};
  if (statfs(folder.c_str(), &system) != 0) return;
  // 32 bits of it mean something.
  switch (static_cast<int64_t>(static_cast<uint32_t>(system.f_type))) {
    case kNfs:
    case kSmb:
    case kCifs:
    case kSmb2:
    case kPlan9:
    case kFuse:
      findings->push_back(
          {Severity::kNote, kDisk, messages::DiskElsewhere(), messages::DiskElsewhereRemedy()});
      return;
    case kTmpfs:
    case kRamfs:
      findings->push_back(
          {Severity::kNote, kDisk, messages::DiskInMemory(), messages::DiskInMemoryRemedy()});
      return;
    case kOverlay:
      findings->push_back(
          {Severity::kNote, kDisk, messages::DiskOfContainer(), messages::DiskOfContainerRemedy()});
      return;
    default:
      return;
  }
}

void CheckSpace(const fs::path& folder, Findings* findings) {
  struct statvfs space {};
  if (statvfs(folder.c_str(), &space) != 0) return;
  const uint64_t bytes = uint64_t{space.f_bavail} * space.f_frsize;
  if (bytes < kSpaceGood) {
    findings->push_back({bytes < kSpaceMin ? Severity::kWrong : Severity::kNote, kDisk,
                         messages::SpaceScarce(folder.string(), bytes), messages::SpaceRemedy()});
  } else {
    findings->push_back({Severity::kFine, kDisk, messages::SpaceFine(folder.string(), bytes), ""});
  }
  // Some file systems do not number files, and say 0 of 0.
  if (space.f_files > 0 && space.f_favail < kFileNumbersMin) {
    findings->push_back({Severity::kWrong, kDisk, messages::FileNumbersGone(folder.string()),
                         messages::SpaceRemedy()});
  }
}

// Of a name that leads nowhere, and can be no new folder either: a link to nothing, or to itself.
// 0, or errno.
int WhyUnreachable(const std::string& folder) {
  struct stat found = {};
  if (lstat(folder.c_str(), &found) != 0 || !S_ISLNK(found.st_mode)) return 0;
  return stat(folder.c_str(), &found) == 0 ? 0 : errno;
}

// As its only reader, or not at all.
absl::Status OpenStore(const std::string& folder, const std::string& key) {
  DYNOLITH_ASSIGN_OR_RETURN(
      const std::unique_ptr<LocalStore> store,
      LocalStore::Open({.path = folder, .encryption_key = key, .read_only = true}));
  return Catalog::Load(store.get()).status();
}

Finding CheckStore(const std::string& folder, const std::string& key) {
  std::error_code error;
  if (!fs::exists(folder, error) || fs::is_empty(folder, error)) {
    return {Severity::kFine, kData, messages::DataNew(folder), ""};
  }
  const absl::Status opened = OpenStore(folder, key);
  if (opened.ok()) return {Severity::kFine, kData, messages::DataOpens(folder), ""};
  const std::string why(MessageOf(opened));
  if (KindOf(opened) == ErrorKind::kServiceUnavailable) {
    return {Severity::kWrong, kData, why, messages::DataNoRoomRemedy()};
  }
  if (absl::IsUnavailable(opened)) {
    return {Severity::kNote, kData, why, messages::DataHeldRemedy()};
  }
  if (absl::IsFailedPrecondition(opened)) {
    return {Severity::kWrong, kData, why, messages::DataRefusedRemedy()};
  }
  if (absl::IsPermissionDenied(opened)) {
    return {Severity::kWrong, kData, why, messages::DataForbiddenRemedy()};
  }
  return {Severity::kWrong, kData, why, messages::DataDamagedRemedy(folder)};
}

}  // namespace

Finding NoteDatabases(const std::string& folder) {
  return {Severity::kNote, kData, messages::DataDatabases(folder), messages::DataDatabasesRemedy()};
}

void CheckDataFolder(const std::string& folder, const std::string& key, Findings* findings) {
  if (const int error = WhyUnreachable(folder); error != 0) {
    findings->push_back({Severity::kWrong, kData,
                         messages::DataUnwritable(folder, ErrnoReason(error)),
                         messages::TakeAnotherFolder()});
    return;
  }
  const fs::path there = NearestThere(folder);
  std::error_code error;
  if (!fs::is_directory(there, error)) {
    findings->push_back({Severity::kWrong, kData, messages::DataNoFolder(there.string()),
                         messages::TakeAnotherFolder()});
    return;
  }
  if (access(there.c_str(), W_OK | X_OK) != 0) {
    findings->push_back({Severity::kWrong, kData,
                         messages::DataUnwritable(there.string(), ErrnoReason(errno)),
                         messages::TakeAnotherFolder()});
    return;
  }
  CheckSpace(there, findings);
  CheckFileSystem(there, findings);
  findings->push_back(CheckStore(folder, key));
}

}  // namespace dynolith::doctor
