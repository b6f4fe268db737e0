// Whether everything that the snapshots of a backup folder name is there as it was written.
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
  std::vector<VerifiedSnapshot> snapshots;  // those that can be understood, the oldest first
  std::vector<std::string> damages;  // one text for each file that is not there as it should be
  uint64_t files = 0;                // that were looked at, each once
  uint64_t bytes = 0;
};

// `quick`: looks at the lengths of files only. Otherwise reads each once. Errors: kNotFound if
// there is no snapshot; what keeps it from looking.
absl::StatusOr<VerifiedBackup> VerifyBackup(const BackupFolder& backup, const std::string& path,
                                            bool quick);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_BACKUP_VERIFY_BACKUP_H_
