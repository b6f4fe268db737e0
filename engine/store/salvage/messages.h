// The texts about salvaging a damaged store: a line for each unreadable part.
#ifndef DYNOLITH_ENGINE_STORE_SALVAGE_MESSAGES_H_
#define DYNOLITH_ENGINE_STORE_SALVAGE_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string RepairNothingToSave(std::string_view folder) {
  return Concat("there is nothing in ", folder, " that could be saved: no table file and no log");
}

// --- unreadable files; `file`: its name in the folder

inline std::string RepairFormatLost(std::string_view reason) {
  return Concat("nothing says what should be there: ", reason);
}
inline std::string RepairIsCopy() {
  return "the store was copied while it was in use: what was written last may be missing";
}
inline std::string RepairManifestLost(std::string_view reason) {
  return Concat(
      "which table files belong to the store is not known, so all were taken, and what was "
      "deleted may be back: ",
      reason);
}
inline std::string RepairFileMissing(std::string_view file) { return Concat(file, ": missing"); }
inline std::string RepairFileUnread(std::string_view file, std::string_view reason) {
  return Concat(file, ": ", reason);
}
inline std::string RepairTableFileLost(std::string_view file, std::string_view reason) {
  return Concat(file, ": none of its rows could be read, and what only it held is lost: ", reason);
}
inline std::string RepairFlippedBack(std::string_view file, std::string_view reason) {
  return Concat(
      file, ": one flipped bit of its index was found, and all of its rows were taken: ", reason);
}
inline std::string RepairTableFilePart(std::string_view file, uint64_t rows, uint64_t of,
                                       uint64_t added) {
  return Concat(file, ": ", rows, " of ", of, " rows could be read; ", added,
                " that no other file has were taken, among which may be deleted and older ones");
}
inline std::string RepairNewerUnread(std::string_view file, std::string_view manifest,
                                     std::string_view reason) {
  return Concat(file, ": ", manifest,
                " is older and does not name it, and it was left out: ", reason);
}
inline std::string RepairNewerLeftOut(std::string_view file, std::string_view manifest,
                                      uint64_t rows, uint64_t deletions) {
  return Concat(file, ": ", manifest, " is older and does not name it; ", rows, " rows and ",
                deletions,
                " deletions that nothing else has were left out, as later changes of them may be "
                "missing. A copy of the folder without ",
                manifest, " is repaired with all table files");
}
inline std::string RepairLogEndLost(std::string_view file, uint64_t offset, uint64_t bytes) {
  return Concat(file, ": bytes ", offset, " to ", bytes, " could not be read");
}
inline std::string RepairLogCut(std::string_view file, uint64_t bytes, uint64_t written) {
  return Concat(file, ": bytes ", bytes, " to ", written, " are missing");
}
inline std::string RepairChangesMissing(std::string_view file, uint64_t first, uint64_t last) {
  return Concat(file, ": changes ", first, " to ", last, " in front of it are missing");
}

inline std::string RepairLogTwice(std::string_view file) {
  return Concat(file, ": it holds what another log holds");
}
inline std::string RepairLogMoved(std::string_view file, std::string_view now) {
  return Concat(file, ": it holds the changes of ", now, ", which it was taken for");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_STORE_SALVAGE_MESSAGES_H_
