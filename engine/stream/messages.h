// The texts about the change log: requests, damage and checks (api/facts/operations.md §6).
#ifndef DYNOLITH_ENGINE_STREAM_MESSAGES_H_
#define DYNOLITH_ENGINE_STREAM_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== A check of a whole store: the change log and expiry rows.

// --- the change log

inline std::string ChangeLog() { return "change log"; }
inline std::string ShardWithoutStream(std::string_view row) {
  return Concat("change log, row ", row, ": there is no stream of this shard");
}
inline std::string RecordDisagrees(std::string_view row, std::string_view what) {
  return Concat("change log, record ", row, ": ", what);
}
// The reasons of RecordDisagrees. `item`: the row key of an item.
inline std::string RecordWithoutShard() { return "there is no shard of this record"; }
inline std::string RecordOutsideShard() { return "the record does not belong to its shard"; }
inline std::string RecordOfItemThatIsThere(std::string_view item) {
  return Concat("the last change of item ", item, " was its end, but the item is there");
}
inline std::string RecordOfItemThatIsGone(std::string_view item) {
  return Concat("item ", item, " is not there, but its end was not recorded");
}
inline std::string RecordOfOtherItem(std::string_view item) {
  return Concat("item ", item, " is not as its last record says");
}

// ===== Streams (api/facts/operations.md §6).

// --- Positions in a shard ---

inline std::string TrimmedDataAccess() {
  return "The operation attempted to read past the oldest stream record in a shard.";
}

// --- Damage ---

inline std::string DamagedLogRow(std::string_view key) {
  return Concat("The change log has a damaged row: ", key);
}
inline std::string DamagedShards(std::string_view table, std::string_view label) {
  return Concat("The change log has damaged rows: the shards of stream ", label, " of table ",
                table, " do not fit together");
}
inline std::string DamagedRecord() { return "The change log has a damaged record"; }
inline std::string ShardIsClosed() { return "Only an open shard can be split"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_STREAM_MESSAGES_H_
