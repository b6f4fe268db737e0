#include "tools/backup/verify_backup.h"

#include <map>

#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "tools/backup/messages.h"

namespace dynolith {
namespace {

absl::Status CheckFile(const BackupFolder& backup, const SnapshotFile& file, bool quick) {
  DYNOLITH_RETURN_IF_ERROR(backup.CheckLength(file));
  if (quick) return absl::OkStatus();
  const std::string path = backup.FilePath(file);
  DYNOLITH_ASSIGN_OR_RETURN(const FileDigest digest, DigestFile(path));
  if (digest.sha256 == file.sha256) return absl::OkStatus();
  return absl::DataLossError(messages::BackupFileAltered(path, file.name));
}

}  // namespace

absl::StatusOr<VerifiedBackup> VerifyBackup(const BackupFolder& backup, const std::string& path,
                                            bool quick) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, backup.List());
  VerifiedBackup verified;
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> missing, backup.Missing());
  for (const std::string& name : missing) {
    verified.damages.emplace_back(MessageOf(backup.MissingError(name)));
  }
  if (names.empty() && verified.damages.empty()) {
    return absl::NotFoundError(messages::BackupHasNoSnapshot(path));
  }
  std::map<std::string, bool> is_whole;  // by checksum
  for (const std::string& name : names) {
    const absl::StatusOr<StoreSnapshot> snapshot = backup.Read(name);
    if (!snapshot.ok()) {
      verified.damages.emplace_back(MessageOf(snapshot.status()));
      continue;
    }
    VerifiedBackup::VerifiedSnapshot& seen = verified.snapshots.emplace_back();
    seen = {name, snapshot->store, snapshot->files.size(), snapshot->bytes(), true};
    for (const SnapshotFile& file : snapshot->files) {
      const auto [known, is_new] = is_whole.try_emplace(file.sha256, true);
      if (is_new) {
        const absl::Status status = CheckFile(backup, file, quick);
        known->second = status.ok();
        if (!status.ok()) verified.damages.emplace_back(MessageOf(status));
        ++verified.files;
        verified.bytes += file.bytes;
      }
      seen.is_whole = seen.is_whole && known->second;
    }
  }
  return verified;
}

}  // namespace dynolith
