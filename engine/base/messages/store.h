// What the store says when a folder or a file is not what it should be. Each text names the folder
// or the file.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_STORE_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_STORE_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string StoreFolderMissing(std::string_view folder) {
  return Concat("there is no data folder ", folder);
}
inline std::string StoreFolderUnusable(std::string_view folder, std::string_view reason) {
  return Concat("the data folder ", folder, " cannot be created or written: ", reason);
}
inline std::string StoreFileUnusable(std::string_view file, std::string_view reason) {
  return Concat("cannot write ", file, ": ", reason);
}
inline std::string StoreHeld(std::string_view folder) {
  return Concat("another process holds the data folder ", folder);
}
inline std::string StoreNewer(std::string_view file, std::string_view found,
                              std::string_view known) {
  return Concat(file, " says format version ", found, ", but this program knows versions up to ",
                known, ": use a newer dynolith");
}
inline std::string StoreForeign(std::string_view file) {
  return Concat(file, " does not belong to a dynolith store: give an empty or an own folder");
}
// Of a folder that is only to be read. `file` is what every store has.
inline std::string NotAStore(std::string_view folder, std::string_view file) {
  return Concat(folder, " is no dynolith store: there is no ", file, " in it");
}
inline std::string StoreFileMissing(std::string_view file) {
  return Concat("the store is damaged: ", file, " is missing");
}
inline std::string StoreFileUnreadable(std::string_view file) {
  return Concat("the store is damaged: ", file, " cannot be understood");
}
inline std::string StoreDamaged(std::string_view folder, std::string_view detail) {
  return Concat("the store in ", folder, " is damaged: ", detail);
}
inline std::string StoreFailed(std::string_view folder, std::string_view detail) {
  return Concat("the store in ", folder, " failed: ", detail);
}
inline std::string StoreFull(std::string_view folder, std::string_view detail) {
  return Concat("no space is left for the store in ", folder, ": ", detail);
}
inline std::string StoreRefused(std::string_view folder, std::string_view detail) {
  return Concat("the store in ", folder, " does not allow this: ", detail);
}
inline std::string StoreReadOnly(std::string_view folder) {
  return Concat("the data folder ", folder, " was opened read-only: nothing can be written");
}
inline std::string StoreMemoryReadOnly() {
  return "a store in memory is empty when it is opened, so it cannot be opened read-only";
}
inline std::string CheckpointFolderInUse(std::string_view folder) {
  return Concat("a checkpoint needs a folder that is new or empty, and there is something in ",
                folder);
}
inline std::string StoreNotOnDisk() { return "a store in memory has no files to copy"; }
// Stands for the folder of a store in memory.
inline std::string_view MemoryFolder() { return "(memory)"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_STORE_H_
