// The texts of the store about unusable or damaged folders and files. Each names the folder or the
// file.
#ifndef DYNOLITH_ENGINE_STORE_MESSAGES_H_
#define DYNOLITH_ENGINE_STORE_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string EncryptionKeyWithoutFolder() {
  return "an encryption key was given without a data folder: what is in memory, or in a database "
         "of another server, is not encrypted by it";
}

// ===== Unusable or damaged folders and files. Each text names the folder or the file.

inline std::string StoreFolderMissing(std::string_view folder) {
  return Concat("there is no data folder ", folder);
}
inline std::string StoreFolderUnusable(std::string_view folder, std::string_view reason) {
  return Concat("the data folder ", folder, " cannot be created or written: ", reason,
                "; take a folder that this user may write, on a disk with room");
}
inline std::string StoreFolderUnread(std::string_view folder, std::string_view reason) {
  return Concat("the data folder ", folder, " cannot be read: ", reason);
}
inline std::string StoreFileUnusable(std::string_view file, std::string_view reason) {
  return Concat("cannot write ", file, ": ", reason);
}
inline std::string StoreHeld(std::string_view folder) {
  return Concat("another process holds the data folder ", folder, ": stop it (fuser ", folder,
                " names it), wait for its end if it is a backup, or take another folder");
}
inline std::string StoreHeldHere(std::string_view folder) {
  return Concat("this process holds the data folder ", folder,
                " already: close the database that has it open, also one of a thread that has "
                "ended, or take another folder");
}
inline std::string StoreLockUnusable(std::string_view file, std::string_view reason) {
  return Concat("cannot lock ", file, ": ", reason);
}
inline std::string StoreNewer(std::string_view file, std::string_view found,
                              std::string_view known) {
  return Concat(file, " says format version ", found, ", but this program knows versions up to ",
                known, ": use a newer dynolith");
}
inline std::string StoreForeign(std::string_view file) {
  return Concat(file, " does not belong to a dynolith store: give an empty or an own folder");
}
// For a folder that is opened read-only. `file`: a file that every store has.
inline std::string NotAStore(std::string_view folder, std::string_view file) {
  return Concat(folder, " is no dynolith store: there is no ", file, " in it");
}
inline std::string StoreFileMissing(std::string_view file) {
  return Concat("the store is damaged: ", file, " is missing");
}
inline std::string StoreFileUnreadable(std::string_view file) {
  return Concat("the store is damaged: ", file, " cannot be understood");
}
inline std::string StoreLogFailed(std::string_view folder) {
  return Concat("a write to the log of the store in ", folder,
                " has failed; it goes on when the store is opened again");
}
inline std::string StoreFileIsDevice(std::string_view file) {
  return Concat(file, " is a pipe, a socket or a device, not a file of a store: take it away");
}
inline std::string StoreFileUnread(std::string_view file, std::string_view reason) {
  return Concat("cannot read ", file, ": ", reason);
}
// `bytes`: the file's present size. `written`: its exact or least size before.
inline std::string StoreFileCut(std::string_view file, uint64_t bytes, uint64_t written) {
  return Concat("the store is damaged: ", file, " has ", bytes, " bytes, but ", written,
                " were written");
}
inline std::string StoreFileAltered(std::string_view file) {
  return Concat("the store is damaged: ", file, " does not hold what was written to it");
}
inline std::string StoreRecordDamaged(std::string_view file, uint64_t offset) {
  return Concat("the store is damaged: ", file, " does not hold what was written at byte ", offset);
}
inline std::string StoreRecordTorn(std::string_view file, uint64_t offset) {
  return Concat("the store is damaged: the record at byte ", offset, " of ", file,
                " lacks its end");
}
// `before`: the preceding log.
inline std::string StoreLogsApart(std::string_view file, uint64_t offset, uint64_t found,
                                  std::string_view before, uint64_t expected) {
  return Concat("the store is damaged: ", file, " has change ", found, " at byte ", offset,
                ", where change ", expected, " should be: it is missing, at the end of ", before,
                " or behind it");
}
inline std::string StoreLogsSwapped(std::string_view file, uint64_t found, std::string_view earlier,
                                    uint64_t begin) {
  return Concat("the store is damaged: ", file, " begins with change ", found, ", but the earlier ",
                earlier, " with change ", begin);
}
inline std::string StoreLogsEndEarly(std::string_view file, uint64_t reached, uint64_t written) {
  return Concat("the store is damaged: ", file, " ends at change ", reached, ", but ", written,
                " were made");
}
inline std::string StoreFileUnknown(std::string_view file) {
  return Concat("the store is damaged: ", file, " is not of the state in which it was closed");
}
inline std::string StoreCurrentUnknown(std::string_view file, std::string_view manifest) {
  return Concat("the store is damaged: ", file, " names ", manifest, ", which was not in use");
}
// `file`: the file by which a copy is recognized.
inline std::string StoreIsCopy(std::string_view folder, std::string_view file) {
  return Concat(
      file, " was copied: ", folder,
      " is the copy of a store that was in use, so its last writes may be missing. Stop the "
      "server before copying, or save what is there with: dynolith repair ",
      folder, " NEW");
}
// Follows the name of a table file.
inline std::string StoreTableFileOfOther(uint64_t number) {
  return Concat("it holds what was written to table file ", number);
}
inline std::string StoreTableFileLength(uint64_t found, uint64_t written) {
  return Concat("it has ", found, " bytes, where ", written, " were written");
}
inline std::string StoreTableFileFormat(uint32_t format) {
  return Concat("it says that its format is ", format, ", which is never written");
}
inline std::string StoreDamaged(std::string_view folder, std::string_view detail) {
  return Concat("the store in ", folder, " is damaged: ", detail, "; 'dynolith repair ", folder,
                " NEW' saves what can be read of it");
}
inline std::string StoreFailed(std::string_view folder, std::string_view detail) {
  return Concat("the store in ", folder, " failed: ", detail);
}
// For a process at its limit of open files.
inline std::string StoreWithoutFiles(std::string_view folder, std::string_view detail) {
  return Concat("the store in ", folder,
                " may open no more files; ulimit -n raises that: ", detail);
}
inline std::string StoreFull(std::string_view folder, std::string_view detail) {
  return Concat("no space is left for the store in ", folder, ": ", detail);
}
// "640 KB", "1.5 MB". Rounded down.
inline std::string StoreBytes(uint64_t bytes) {
  constexpr uint64_t kMegabyte = 1 << 20;
  if (bytes < kMegabyte) return Concat(bytes >> 10, " KB");
  return Concat(bytes / kMegabyte, ".", bytes % kMegabyte * 10 / kMegabyte, " MB");
}
// Rounded up, so that it is more than what is less.
inline std::string StoreBytesNeeded(uint64_t bytes) {
  constexpr uint64_t kTenth = (1 << 20) / 10;
  return StoreBytes(bytes + (bytes < 1 << 20 ? 1023 : kTenth));
}
// `needed_bytes`: bytes that must be free. `takes_deletions`: only puts are refused.
inline std::string StoreHasNoRoom(std::string_view folder, uint64_t free_bytes,
                                  uint64_t needed_bytes, bool takes_deletions,
                                  std::string_view detail) {
  return Concat(
      "no space is left for the store in ", folder, ": ", StoreBytes(free_bytes),
      " of its disk are free, where puts need ", StoreBytesNeeded(needed_bytes),
      takes_deletions ? "; make room, or delete items or tables: " : "; make room: ", detail);
}
inline std::string_view RoomIsKept() { return "the rest is kept for what makes room"; }
inline std::string_view CommitsAreStopped() { return "what is in memory cannot be written"; }
inline std::string StoreRefused(std::string_view folder, std::string_view detail) {
  return Concat("the store in ", folder, " does not allow this: ", detail);
}
inline std::string StoreReadOnly(std::string_view folder) {
  return Concat("the data folder ", folder, " was opened read-only: nothing can be written");
}
inline std::string StoreFollowsWriter(std::string_view folder) {
  return Concat("this database follows the process that writes to ", folder, ": write there");
}
inline std::string StoreFollowsNobody() { return "the store was not opened to follow a writer"; }
inline std::string StoreFileOfManifestUnread(std::string_view folder, std::string_view file) {
  return Concat(folder, "/", file, " is missing or damaged: the manifest names it");
}
// Each time it was looked at, files had come or gone.
inline std::string StoreChangesTooFast(std::string_view folder) {
  return Concat("the writer of ", folder, " replaces files faster than they can be followed");
}
inline std::string StoreMemoryReadOnly() {
  return "a store in memory is empty when it is opened, so it cannot be opened read-only";
}
inline std::string CheckpointFolderInUse(std::string_view folder) {
  return Concat("a store is copied into a folder that is new or empty, and there is something in ",
                folder);
}
inline std::string StoreNotOnDisk() { return "a store in memory has no files to copy"; }
// For a store in memory, which has no folder.
inline std::string StoreNotInMemory(std::string_view folder) {
  return Concat(folder, ": a store in a folder is copied into another folder");
}

// ===== A check of a whole store: the change log and expiry rows.

// --- the change log

// Also for a record of the history.
inline std::string RecordWithOtherKeys() {
  return "its keys are not those of an item of its table";
}

// ===== Backfill and check of index rows.

// `row` in all texts: the row's key, as printed by the caller.

inline std::string CheckUnreadable(std::string_view place, std::string_view detail) {
  return Concat(place, ": ", detail);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_STORE_MESSAGES_H_
