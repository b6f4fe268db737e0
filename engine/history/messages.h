// The texts about the history of tables with point-in-time recovery: damage and checks.
#ifndef DYNOLITH_ENGINE_HISTORY_MESSAGES_H_
#define DYNOLITH_ENGINE_HISTORY_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- Damage ---

inline std::string DamagedHistoryRecord() { return "The history has a damaged record"; }
inline std::string DamagedHistoryLimit() { return "The history has a damaged limit"; }

// --- Findings of a check ---

inline std::string HistoryRecords() { return "history"; }
// `row`: the record's key, as printed by the caller.
inline std::string HistoryRecordDisagrees(std::string_view row, std::string_view what) {
  return Concat("history, record ", row, ": ", what);
}
// The reasons of HistoryRecordDisagrees. `item`: the row key of an item.
inline std::string HistoryOfNoTable() {
  return "there is no table with point-in-time recovery that it is of";
}
inline std::string HistoryOfOtherTime() { return "its time is not that of its place"; }
inline std::string HistoryChangesNothing(std::string_view item) {
  return Concat("item ", item, " was the same after this change as before");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_HISTORY_MESSAGES_H_
