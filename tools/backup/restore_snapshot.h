// Makes a store from a backup.
#ifndef DYNOLITH_TOOLS_BACKUP_RESTORE_SNAPSHOT_H_
#define DYNOLITH_TOOLS_BACKUP_RESTORE_SNAPSHOT_H_

#include <string>

#include "absl/status/status.h"
#include "tools/backup/backup_folder.h"

namespace dynolith {

// Makes the folder if it is not there. Errors: kFailedPrecondition if it is not empty.
absl::Status MakeRestoreFolder(const std::string& to);

// Copies all files of the snapshot into the folder `to`, which is new or empty, without links, and
// compares their checksums on the way. The store's format file comes last: until then the folder is
// no store. A failure removes the copies. Errors: kFailedPrecondition if `to` is not empty,
// kDataLoss naming the damaged file.
absl::Status RestoreSnapshot(const BackupFolder& backup, const StoreSnapshot& snapshot,
                             const std::string& to);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_BACKUP_RESTORE_SNAPSHOT_H_
