// The folder in which a checkpoint waits until a backup has taken it: DATA/checkpoint, so that
// table files can be linked and nothing outside of the data folder is written. One at a time.
#ifndef DYNOLITH_TOOLS_BACKUP_CHECKPOINT_FOLDER_H_
#define DYNOLITH_TOOLS_BACKUP_CHECKPOINT_FOLDER_H_

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/backup/file_copy.h"

namespace dynolith {

// Calls `make` with the folder, which does not exist then, and returns its absolute path. The
// remains of an earlier backup are removed. Errors: kAborted while a backup holds it
// (HoldCheckpoint); those of `make`.
absl::StatusOr<std::string> MakeCheckpoint(
    const std::string& data_folder, absl::FunctionRef<absl::Status(const std::string&)> make);

// No error if there is none. Errors: kAborted while a backup holds it. Requires: nobody makes one
// meanwhile.
absl::Status RemoveCheckpoint(const std::string& data_folder);

// The same for the backup that holds it; nobody else can make one meanwhile.
absl::Status RemoveHeldCheckpoint(const std::string& folder);

// Errors: kAborted while a backup holds the checkpoint of the data folder.
absl::Status CheckCheckpointFree(const std::string& data_folder);

// Whether a path is one of the folders that MakeCheckpoint makes and removes, or within one. Both
// are as they really are, without links and "..".
bool IsWithinCheckpoint(std::string_view path, std::string_view data_folder);

// Locks a checkpoint against other backups. Errors: kAborted if one holds it; kNotFound if `folder`
// contains no new checkpoint of a store.
absl::StatusOr<FolderHold> HoldCheckpoint(const std::string& folder);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_BACKUP_CHECKPOINT_FOLDER_H_
