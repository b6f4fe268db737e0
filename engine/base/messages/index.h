// What backfill and check say of index rows.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_INDEX_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_INDEX_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// `row` in all of them: the row's key, as printed by the caller.

inline std::string BackfillRowDamaged(std::string_view table, std::string_view row,
                                      std::string_view detail) {
  return Concat("table ", table, ", row ", row, ": ", detail);
}

inline std::string CheckTable(std::string_view table) { return Concat("table ", table); }
inline std::string CheckIndex(std::string_view table, std::string_view index) {
  return Concat("table ", table, ", index ", index);
}

inline std::string CheckBackup(std::string_view table, std::string_view id) {
  return Concat("table ", table, ", backup ", id);
}

// `place`: CheckTable, CheckIndex or CheckBackup.
inline std::string CheckItemDamaged(std::string_view place, std::string_view row,
                                    std::string_view detail) {
  return Concat(place, ", row ", row, ": the item cannot be understood: ", detail);
}
inline std::string CheckBackupRows(std::string_view place, uint64_t rows, int64_t wanted) {
  return Concat(place, ": it has ", rows, " rows, but says that it has ", wanted);
}
inline std::string CheckKeyDiffers(std::string_view place, std::string_view row,
                                   std::string_view item) {
  return Concat(place, ", row ", row, ": the key is not that of its item ", item);
}
inline std::string CheckKeyDamaged(std::string_view place, std::string_view row,
                                   std::string_view detail) {
  return Concat(place, ", row ", row, ": the key cannot be understood: ", detail);
}
inline std::string CheckEntryMissing(std::string_view place, std::string_view row,
                                     std::string_view key) {
  return Concat(place, ", row ", row, ": the entry of item ", key, " is missing");
}
inline std::string CheckEntryOrphaned(std::string_view place, std::string_view row,
                                      std::string_view key) {
  return Concat(place, ", row ", row, ": there is no item ", key);
}
inline std::string CheckEntryMisplaced(std::string_view place, std::string_view row,
                                       std::string_view key) {
  return Concat(place, ", row ", row, ": item ", key, " does not belong here");
}
inline std::string CheckProjectionDiffers(std::string_view place, std::string_view row,
                                          std::string_view found, std::string_view expected) {
  return Concat(place, ", row ", row, ": the entry is ", found, ", but its item gives ", expected);
}
inline std::string CheckUnreadable(std::string_view place, std::string_view detail) {
  return Concat(place, ": ", detail);
}
inline std::string CheckFiles() { return "files"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_INDEX_H_
