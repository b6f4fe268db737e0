// The folder that holds backups of a store. Files that two backups share are stored once.
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
  // The part of these that no earlier backup had.
  uint64_t new_files = 0;
  uint64_t new_bytes = 0;
};

// Locks the folder: exclusively for a writer, shared between readers.
class BackupFolder {
 public:
  // Makes the folder if it is new or empty, and removes the remains of an interrupted backup from
  // incoming/. Errors: kFailedPrecondition (other content, or a newer format), kUnavailable
  // (another process uses it), kDataLoss; those of the operating system.
  static absl::StatusOr<BackupFolder> OpenToWrite(const std::string& path);
  // Errors: also kNotFound if it is no backup folder.
  static absl::StatusOr<BackupFolder> OpenToRead(const std::string& path);

  // The names of all snapshots, the oldest first.
  absl::StatusOr<std::vector<std::string>> List() const;
  // The names of missing snapshots: they were made and not removed by Prune.
  absl::StatusOr<std::vector<std::string>> Missing() const;
  // Errors: kNotFound; as ParseSnapshot.
  absl::StatusOr<StoreSnapshot> Read(const std::string& name) const;
  // The error kDataLoss for a missing snapshot.
  absl::Status MissingError(const std::string& name) const;
  std::string FilePath(const SnapshotFile& file) const;
  // Checks that the file exists and has its length, without reading it. Errors: kDataLoss.
  absl::Status CheckLength(const SnapshotFile& file) const;

  // Errors: kFailedPrecondition if the last readable snapshot is of another store. Every snapshot
  // was added after this check, so all are of one store.
  absl::Status CheckStore(const std::string& store) const;

  struct AddOptions {
    std::string store;  // the path of the data folder
    absl::Time now;
    // Whether table files may be links to those of the store, where the file systems allow it.
    bool links = true;
  };
  // Adds all files of `checkpoint`. Snapshots that are missing now are no longer expected
  // (Missing). Table files that an earlier snapshot has are not read.
  absl::StatusOr<AddedSnapshot> Add(const std::string& checkpoint, const AddOptions& options);

  // Removes all snapshots but the last `keep` ones (nullopt: none), and every file that no snapshot
  // names. Returns the names of the removed ones. Errors: a remaining snapshot cannot be read, and
  // then nothing is removed; those of OpenToWrite, and then some may have been removed.
  absl::StatusOr<std::vector<std::string>> Prune(std::optional<size_t> keep);

 private:
  BackupFolder(std::string path, FolderHold hold)
      : path_(std::move(path)), hold_(std::move(hold)) {}
  std::string In(std::string_view folder, std::string_view name) const;
  // The newest readable snapshot; Prune and verify report damaged ones.
  std::optional<StoreSnapshot> LastReadable() const;
  // The last snapshot's file of this name, if the store's file has not changed.
  std::optional<SnapshotFile> Unchanged(const SnapshotFile& file) const;
  // Fills in checksum and length. Returns whether it is new.
  absl::StatusOr<bool> Take(const std::string& from, bool links, SnapshotFile* file);

  std::string path_;
  FolderHold hold_;
  std::optional<StoreSnapshot> last_;  // while one is added
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_BACKUP_BACKUP_FOLDER_H_
