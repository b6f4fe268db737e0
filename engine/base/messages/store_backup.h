// What `dynolith backup`, `restore` and `verify` say: copies of a whole store in a backup folder.
// (The service's backups of tables are in backups.h.)
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_STORE_BACKUP_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_STORE_BACKUP_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string FilesAndBytes(uint64_t files, uint64_t bytes) {
  return Concat(files, files == 1 ? " file, " : " files, ", bytes, bytes == 1 ? " byte" : " bytes");
}

// --- files and folders

inline std::string BackupFileUnread(std::string_view file, std::string_view reason) {
  return Concat("cannot read ", file, ": ", reason);
}
inline std::string BackupFileUnwritten(std::string_view file, std::string_view reason) {
  return Concat("cannot write ", file, ": ", reason);
}
inline std::string BackupFolderMissing(std::string_view folder, std::string_view mark) {
  return Concat(folder, " is no backup folder: there is no ", mark, " in it");
}
inline std::string BackupFolderForeign(std::string_view file) {
  return Concat(file, " does not belong to a backup folder: give an empty or an own folder");
}
inline std::string BackupFolderHeld(std::string_view folder) {
  return Concat("another process works with the backup folder ", folder,
                "; try again when it has ended");
}
// `name`: whose text it is.
inline std::string BackupOfOtherName(std::string_view file, std::string_view name) {
  return Concat("the backup folder is damaged: ", file, " holds the text of ", name);
}
inline std::string BackupSnapshotMissing(std::string_view file) {
  return Concat("the backup folder is damaged: ", file, ", a backup that was made, is missing");
}
inline std::string BackupMadeButMissing(std::string_view made, std::string_view reason) {
  return Concat(made, " was made, but ", reason);
}
inline std::string BackupFolderUnreadable(std::string_view file) {
  return Concat("the backup folder is damaged: ", file, " cannot be understood");
}
inline std::string BackupFolderNewer(std::string_view file) {
  return Concat(file, " has a format that this program does not know: use a newer dynolith");
}

// --- backup

inline std::string BackupOfOtherStore(std::string_view backup, std::string_view other,
                                      std::string_view store) {
  return Concat(backup, " holds backups of ", other, ", not of ", store,
                ": give each store a backup folder of its own");
}
inline std::string BackupNotAllRemoved(std::string_view reason) {
  return Concat("the backup was made, but not all that should go was removed: ", reason);
}
// Two things that went wrong.
inline std::string BackupBothFailed(std::string_view first, std::string_view second) {
  return Concat(first, "; ", second);
}
inline std::string BackupLine(std::string_view folder, std::string_view name, uint64_t files,
                              uint64_t bytes, uint64_t new_files, uint64_t new_bytes) {
  return Concat(folder, ": ", name, ": ", FilesAndBytes(files, bytes),
                "; new: ", FilesAndBytes(new_files, new_bytes), "\n");
}
inline std::string BackupRemovedLine(std::string_view folder, std::string_view name) {
  return Concat(folder, ": ", name, " was removed\n");
}

// --- the checkpoint that a backup is made of

inline std::string CheckpointHeld(std::string_view folder) {
  return Concat("a backup is being made of ", folder, "; try again when it has ended");
}
inline std::string BackupWaitsForFolder(std::string_view folder, absl::Duration patience) {
  return Concat("dynolith: another process holds the data folder ", folder,
                ": waiting for it, up to ", absl::ToInt64Seconds(patience), " s\n");
}
inline std::string CheckpointNotThere(std::string_view folder) {
  return Concat("the server made a checkpoint in ", folder,
                ", which is none here: make the backup on the server's machine, as a user who may "
                "read its data folder");
}
inline std::string CheckpointOfMemory() {
  return "the server keeps its data in memory: there are no files to copy";
}

// --- a server that is asked whether it answers

inline std::string ServerSilent(std::string_view url, uint64_t seconds) {
  return Concat(url, " has not answered in ", seconds, " s");
}
inline std::string ServerNotHealthy(std::string_view url) {
  return Concat(url, " answers, but not as DynamoDB does");
}

// --- restore

inline std::string BackupHasNoSnapshot(std::string_view folder) {
  return Concat("there is no backup in ", folder);
}
inline std::string BackupNoSuchSnapshot(std::string_view folder, std::string_view name) {
  return Concat("there is no backup ", name, " in ", folder);
}
inline std::string RestoreFolderInUse(std::string_view folder) {
  return Concat(
      "a store is restored into a folder that is new or empty, and there is something in ", folder);
}
inline std::string RestoredLine(std::string_view folder, std::string_view name, uint64_t files,
                                uint64_t bytes) {
  return Concat(folder, ": restored ", name, ": ", FilesAndBytes(files, bytes), "\n");
}

// --- what verify finds; `file` is that of the backup folder, `name` what it is called in the store

inline std::string BackupFileMissing(std::string_view file, std::string_view name) {
  return Concat("the backup is damaged: ", file, " (", name, ") is missing");
}
inline std::string BackupFileCut(std::string_view file, std::string_view name, uint64_t bytes,
                                 uint64_t written) {
  return Concat("the backup is damaged: ", file, " (", name, ") has ", bytes, " bytes, but ",
                written, " were written");
}
inline std::string BackupFileAltered(std::string_view file, std::string_view name) {
  return Concat("the backup is damaged: ", file, " (", name,
                ") does not hold what was written to it");
}
inline std::string VerifyDamageLine(std::string_view damage) { return Concat(damage, "\n"); }
inline std::string VerifySnapshotLine(std::string_view name, std::string_view store, uint64_t files,
                                      uint64_t bytes, bool is_whole) {
  return Concat(name, ": of ", store, ", ", FilesAndBytes(files, bytes), ": ",
                is_whole ? "whole" : "damaged", "\n");
}
inline std::string VerifySummaryLine(std::string_view folder, uint64_t snapshots, uint64_t files,
                                     uint64_t bytes, bool is_quick, uint64_t damages) {
  return Concat(folder, ": ", snapshots, snapshots == 1 ? " backup, " : " backups, ",
                FilesAndBytes(files, bytes), is_quick ? ", not read; " : ", read; ", damages,
                damages == 1 ? " damage\n" : " damages\n");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_STORE_BACKUP_H_
