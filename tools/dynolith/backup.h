// `dynolith backup`, `restore` and `verify`: copies of a whole store (tools/backup).
#ifndef DYNOLITH_TOOLS_DYNOLITH_BACKUP_H_
#define DYNOLITH_TOOLS_DYNOLITH_BACKUP_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

struct BackupOptions {
  std::string source;            // a data folder that no server holds, or the address of its server
  std::string admin_token_file;  // of that server; empty: it lets this machine in without one
  std::string backup;            // the backup folder
  bool links = true;             // whether table files may be links to the store's
  std::optional<size_t> keep;    // how many backups stay; nullopt: all
};

// Adds a backup and prints what it is, and then which ones were removed.
absl::Status Backup(const BackupOptions& options);

struct RestoreOptions {
  std::string backup;
  std::optional<std::string> snapshot;  // nullopt: the last one
  std::string folder;                   // new or empty
};

// Makes a store of a backup and looks whether it opens.
absl::Status Restore(const RestoreOptions& options);

struct VerifyOptions {
  std::string backup;
  bool quick = false;
};

// Prints one line for each damage and for each backup, and a summary. Whether there was none.
absl::StatusOr<bool> Verify(const VerifyOptions& options);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_BACKUP_H_
