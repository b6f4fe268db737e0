// What a check of a whole store says of the change log and of expiry rows.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_STORE_CHECK_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_STORE_CHECK_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// `row` in all of them: the row's key, as printed by the caller.

// --- expiry rows

inline std::string ExpiryRows() { return "expiry rows"; }
inline std::string ExpiryRowMissing(std::string_view table, std::string_view row, int64_t seconds) {
  return Concat(table, ", row ", row, ": the item expires at ", seconds,
                ", but has no expiry row of that time");
}
inline std::string ExpiryRowDamaged(std::string_view row) {
  return Concat("expiry rows, row ", row, ": the row cannot be understood");
}

// --- the change log

inline std::string ChangeLog() { return "change log"; }
inline std::string ShardWithoutStream(std::string_view row) {
  return Concat("change log, row ", row, ": there is no stream of this shard");
}
inline std::string RecordDisagrees(std::string_view row, std::string_view what) {
  return Concat("change log, record ", row, ": ", what);
}
// What RecordDisagrees says. `item`: the row key of an item.
inline std::string RecordWithoutShard() { return "there is no shard of this record"; }
inline std::string RecordOutsideShard() { return "the record does not belong to its shard"; }
// Also of a record of the history.
inline std::string RecordWithOtherKeys() {
  return "its keys are not those of an item of its table";
}
inline std::string RecordOfItemThatIsThere(std::string_view item) {
  return Concat("the last change of item ", item, " was its end, but the item is there");
}
inline std::string RecordOfItemThatIsGone(std::string_view item) {
  return Concat("item ", item, " is not there, but its end was not recorded");
}
inline std::string RecordOfOtherItem(std::string_view item) {
  return Concat("item ", item, " is not as its last record says");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_STORE_CHECK_H_
