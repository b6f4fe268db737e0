// What `dynolith repair` says of a store that it saves: one line for each thing that could not be
// read, and what was saved in the end.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_REPAIR_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_REPAIR_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string RepairNothingToSave(std::string_view folder) {
  return Concat("there is nothing in ", folder, " that could be saved: no table file and no log");
}

// --- what could not be read; `file` is its name in the folder

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
inline std::string RepairTableFilePart(std::string_view file, uint64_t rows, uint64_t of,
                                       uint64_t added) {
  return Concat(file, ": ", rows, " of ", of, " rows could be read; ", added,
                " that no other file has were taken, among which may be deleted and older ones");
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

// --- what is not as it was; `key` is that of a row of the catalog

inline std::string RepairEntryLost(std::string_view key) {
  return Concat("the entry ", key, " of the catalog does not make sense, and was left out");
}
inline std::string RepairBackupPart(std::string_view key, int64_t rows, int64_t wanted) {
  return Concat(key, ": ", rows, " of its ", wanted, " items are there");
}
inline std::string RecoveredTable(uint32_t id) { return Concat("recovered-", id); }
inline std::string RecoveredTableId(uint32_t id) {
  const std::string digits = std::to_string(id);
  return Concat("00000000-0000-4000-8000-", std::string(12 - digits.size(), '0'), digits);
}
inline std::string RepairTableNamed(std::string_view name, uint64_t items, std::string_view key,
                                    bool is_guess) {
  return Concat("the name and the settings of a table of ", items, items == 1 ? " item" : " items",
                ", which is now called ", name, "; its key is ", key,
                is_guess ? ", of several that it could be" : "");
}
inline std::string RepairItemsNameless(uint32_t id, uint64_t items) {
  return Concat("the table of ", items, items == 1 ? " item" : " items", " under number ", id,
                ": no key fits all of them");
}
inline std::string RepairIndexesFilled(std::string_view table) {
  return Concat("indexes of ", table, ", which were filled anew from its items");
}
inline std::string RepairStreamsDropped(uint64_t rows) {
  return Concat(rows, " rows of streams, which begin anew");
}
inline std::string RepairExpiryFilled() {
  return "when items expire, which was found anew from the items";
}
inline std::string RepairHistoryDropped(uint64_t rows) {
  return Concat(rows, " records of what items were before: the past begins now");
}
inline std::string RepairNotSound(uint64_t disagreements, std::string_view first) {
  return Concat("what was saved does not agree with itself in ", disagreements,
                " places, of which the first is: ", first);
}

// --- the end

inline std::string RepairSummaryLine(std::string_view folder, uint64_t table_files, uint64_t logs,
                                     uint64_t changes, uint64_t losses) {
  return Concat(folder, ": saved ", table_files,
                table_files == 1 ? " table file, " : " table files, ", changes,
                changes == 1 ? " change of " : " changes of ", logs,
                logs == 1 ? " log; " : " logs; ",
                losses == 0   ? std::string("all of it is as it was")
                : losses == 1 ? std::string("1 thing is not as it was")
                              : Concat(losses, " things are not as they were"),
                "\n");
}
inline std::string RepairLossLine(std::string_view line) {
  return Concat("not as it was: ", line, "\n");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_REPAIR_H_
