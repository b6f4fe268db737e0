// The texts of `dynolith backup`, `restore` and `verify`: copies of a whole store in a backup
// folder.
#ifndef DYNOLITH_TOOLS_BACKUP_MESSAGES_H_
#define DYNOLITH_TOOLS_BACKUP_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

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
// `name`: the file whose text it holds.
inline std::string BackupOfOtherName(std::string_view file, std::string_view name) {
  return Concat("the backup folder is damaged: ", file, " holds the text of ", name);
}
inline std::string BackupSnapshotMissing(std::string_view file) {
  return Concat("the backup folder is damaged: ", file, ", a backup that was made, is missing");
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

inline std::string BackupInCheckpoint(std::string_view backup) {
  return Concat(backup,
                " is where each backup of this data folder begins, and is removed at its end: "
                "take another folder");
}

// --- the checkpoint behind a backup

inline std::string CheckpointHeld(std::string_view folder) {
  return Concat("a backup is being made of ", folder, "; try again when it has ended");
}
inline std::string CheckpointNotThere(std::string_view folder) {
  return Concat("the server made a checkpoint in ", folder,
                ", which is none here: make the backup on the server's machine, as a user who may "
                "read its data folder");
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

// --- findings of verify; `file`: in the backup folder; `name`: its name in the store

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

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_BACKUP_MESSAGES_H_
