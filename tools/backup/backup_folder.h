// The folder that holds backups of a store. What is the same in two of them is there once.
//
//   DYNOLITH-BACKUP  "dynolith backup 2\n" (NAME "\n")* "end " SHA256 "\n"
//                    of all bytes before "end "; the backups that there have to be: each is named
//                    here once it exists, and not any more before it is removed. Version 1 had no
//                    names
//   snapshots/NAME   a backup (snapshot_file.h); it exists once it has this name
//   files/SHA256     what is in files of stores, by its checksum; never changed
//   incoming/        what a backup that is being made has not completed; anything else in it, and
//                    every one of files/ that no snapshot names, was left by an interrupted one
#ifndef DYNOLITH_TOOLS_BACKUP_BACKUP_FOLDER_H_
#define DYNOLITH_TOOLS_BACKUP_BACKUP_FOLDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/backup/file_copy.h"
#include "tools/backup/snapshot_file.h"

namespace dynolith {

struct AddedSnapshot {
  std::string name;
  uint64_t files = 0;
  uint64_t bytes = 0;
  // Of those, what no earlier backup had.
  uint64_t new_files = 0;
  uint64_t new_bytes = 0;
};

// Holds the folder: writers alone, readers beside each other.
class BackupFolder {
 public:
  // Makes the folder if it is new or empty, and clears what an interrupted backup left in
  // incoming/. Errors: kFailedPrecondition (holds something else, or a newer format), kUnavailable
  // (another process works with it), kDataLoss; what the operating system says.
  static absl::StatusOr<BackupFolder> OpenToWrite(const std::string& path);
  // Errors: also kNotFound if it is no backup folder.
  static absl::StatusOr<BackupFolder> OpenToRead(const std::string& path);

  // The names of all snapshots, the oldest first.
  absl::StatusOr<std::vector<std::string>> List() const;
  // The names of those that were made, were not removed by Prune, and are not there.
  absl::StatusOr<std::vector<std::string>> Missing() const;
  // Errors: kNotFound; as ParseSnapshot.
  absl::StatusOr<StoreSnapshot> Read(const std::string& name) const;
  // kDataLoss for one that is missing.
  absl::Status MissingError(const std::string& name) const;
  std::string FilePath(const SnapshotFile& file) const;
  // Whether the file is there with its length: what can be told without reading it. Errors:
  // kDataLoss.
  absl::Status CheckLength(const SnapshotFile& file) const;

  // Errors: kFailedPrecondition if the last snapshot that can be read is of another store. Each was
  // added behind this check, so all are of one.
  absl::Status CheckStore(const std::string& store) const;

  struct AddOptions {
    std::string store;  // where the data folder is
    absl::Time now;
    // Whether table files may be links to those of the store, where the file systems allow it.
    bool links = true;
  };
  // Takes all files of `checkpoint` in. What is missing so far is not any more what has to be there
  // (Missing). Table files that an earlier snapshot has are not read.
  absl::StatusOr<AddedSnapshot> Add(const std::string& checkpoint, const AddOptions& options);

  // Removes all snapshots but the last `keep` ones (nullopt: none), and every file that no snapshot
  // names. Returns the names of the removed ones. Errors: if one of the snapshots that stay cannot
  // be understood, and then nothing was removed; as OpenToWrite, and then some may have been.
  absl::StatusOr<std::vector<std::string>> Prune(std::optional<size_t> keep);

 private:
  BackupFolder(std::string path, FolderHold hold)
      : path_(std::move(path)), hold_(std::move(hold)) {}
  std::string In(std::string_view folder, std::string_view name) const;
  // The newest snapshot that can be read; damaged ones are for Prune and verify.
  std::optional<StoreSnapshot> LastReadable() const;
  // The last snapshot's file of this name, if it is the same file still.
  std::optional<SnapshotFile> Unchanged(const SnapshotFile& file) const;
  // Fills in checksum and length. Returns whether it is new.
  absl::StatusOr<bool> Take(const std::string& from, bool links, SnapshotFile* file);

  std::string path_;
  FolderHold hold_;
  std::optional<StoreSnapshot> last_;  // while one is added
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_BACKUP_BACKUP_FOLDER_H_
