#include "tools/backup/restore_snapshot.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "engine/base/errno_status.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/integrity_manifest.h"
#include "tools/backup/messages.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;

absl::Status CopyOne(const BackupFolder& backup, const SnapshotFile& file, const std::string& to) {
  const std::string from = backup.FilePath(file);
  DYNOLITH_ASSIGN_OR_RETURN(const FileDigest digest, CopyAndDigest(from, to));
  if (digest.sha256 == file.sha256) return absl::OkStatus();
  return absl::DataLossError(messages::BackupFileAltered(from, file.name));
}

absl::Status CopyAll(const BackupFolder& backup, const StoreSnapshot& snapshot,
                     const std::string& to, std::vector<std::string>* copied) {
  const SnapshotFile* format_file = nullptr;
  const auto copy = [&](const SnapshotFile& file) {
    copied->push_back(Concat(to, "/", file.name));
    return CopyOne(backup, file, copied->back());
  };
  for (const SnapshotFile& file : snapshot.files) {
    if (file.name == kFormatFile) {
      format_file = &file;
    } else {
      DYNOLITH_RETURN_IF_ERROR(copy(file));
    }
  }
  DYNOLITH_RETURN_IF_ERROR(SyncFolder(to));
  if (format_file != nullptr) DYNOLITH_RETURN_IF_ERROR(copy(*format_file));
  DYNOLITH_RETURN_IF_ERROR(SyncFolder(to));
  return SyncFolder(Concat(to, "/.."));
}

}  // namespace

absl::Status MakeRestoreFolder(const std::string& to) {
  DYNOLITH_RETURN_IF_ERROR(MakeFolders(to));
  std::error_code error;
  for (fs::directory_iterator it(to, error), end; !error && it != end; it.increment(error)) {
    // mkfs creates it in a fresh volume.
    if (it->path().filename() == "lost+found") continue;
    return absl::FailedPreconditionError(messages::RestoreFolderInUse(to));
  }
  if (error) return ErrnoStatus(error.value(), messages::BackupFileUnread(to, error.message()));
  return absl::OkStatus();
}

absl::Status RestoreSnapshot(const BackupFolder& backup, const StoreSnapshot& snapshot,
                             const std::string& to) {
  // Copying may take long, so missing and truncated files are reported before it begins.
  for (const SnapshotFile& file : snapshot.files) {
    DYNOLITH_RETURN_IF_ERROR(backup.CheckLength(file));
  }
  DYNOLITH_RETURN_IF_ERROR(MakeRestoreFolder(to));
  std::vector<std::string> copied;
  absl::Status status = CopyAll(backup, snapshot, to, &copied);
  if (status.ok()) return status;
  std::error_code ignored;
  for (const std::string& file : copied) fs::remove(file, ignored);
  return status;
}

}  // namespace dynolith
