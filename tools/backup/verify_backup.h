// Verifies that all files that the snapshots of a backup folder name exist unchanged.
#ifndef DYNOLITH_TOOLS_BACKUP_VERIFY_BACKUP_H_
#define DYNOLITH_TOOLS_BACKUP_VERIFY_BACKUP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/backup/backup_folder.h"

namespace dynolith {

struct VerifiedBackup {
  struct VerifiedSnapshot {
    std::string name;
    std::string store;
    uint64_t files = 0;
    uint64_t bytes = 0;
    bool is_whole = false;
  };
  std::vector<VerifiedSnapshot> snapshots;  // the readable ones, the oldest first
  std::vector<std::string> damages;         // one text for each missing or damaged file
  uint64_t files = 0;                       // verified files, each counted once
  uint64_t bytes = 0;
};

// `quick`: checks only the lengths of files; otherwise reads each file once. Errors: kNotFound if
// there is no snapshot; those of reading.
absl::StatusOr<VerifiedBackup> VerifyBackup(const BackupFolder& backup, const std::string& path,
                                            bool quick);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_BACKUP_VERIFY_BACKUP_H_
