// The records of the history: their keys, times and bytes.
//
// Rows in Family::kLog, beside those of engine/stream/stream_rows.h:
//   'T'                                        -> limit:u64be   every stamp given out is below it
//   'U' table:u32be day:u32be item stamp:u64be -> undo          one change of one item
//
//   item = the item's row key without the table's id, 00 written as 00 FF, ended by 00 01
//   undo = 00       there was no such item before the change
//        | 01 item  the item before the change
//   day  = the days from the epoch to the stamp's time
//
// A stamp is a time and a count: milliseconds since the epoch * 2^20 + count. So the records of one
// table and day are in the order of its items, those of one item in the order of their commits.
#ifndef DYNOLITH_ENGINE_HISTORY_HISTORY_ROWS_H_
#define DYNOLITH_ENGINE_HISTORY_HISTORY_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/key/schema.h"
#include "engine/value/item.h"

namespace dynolith {

inline constexpr std::string_view kStampLimitKey = "T";

// --- Stamps ---

// The number of a day, from the epoch.
using HistoryDay = uint32_t;

// The first and the last stamp of the millisecond in which `time` lies. Times before the epoch
// count as the epoch; those that do not fit 44 bits of milliseconds as the last one that does.
uint64_t FirstStampAt(absl::Time time);
uint64_t LastStampAt(absl::Time time);
// The beginning of the stamp's millisecond.
absl::Time TimeOfStamp(uint64_t stamp);
HistoryDay DayOfStamp(uint64_t stamp);
absl::Time StartOfDay(HistoryDay day);

// --- Keys ---

// The prefix of all records; of those of a table; of those of a table and day.
std::string_view UndoPrefix();
std::string UndoPrefix(StorageId table);
std::string UndoPrefix(StorageId table, HistoryDay day);
// After all keys of the table.
std::string UndoEnd(StorageId table);

// The bytes of a prefix of table and day, with which each of their keys begins.
inline constexpr size_t kUndoDayPrefixBytes = 1 + 2 * sizeof(uint32_t);

// `item` in the form of the keys. Requires: `row_key` begins with a table's id.
void AppendUndoItem(std::string_view row_key, std::string* bytes);
void AppendUndoKey(std::string_view row_key, uint64_t stamp, std::string* key);
// The beginning of that day's records whose items have this row key or a greater one of the table.
// Requires: the same; the bytes after the id are arbitrary.
std::string UndoBound(HistoryDay day, std::string_view row_key);

// A record's key; `item` borrows.
struct UndoKey {
  StorageId table = 0;
  HistoryDay day = 0;
  std::string_view item;
  uint64_t stamp = 0;
};
// nullopt if the bytes are no such key.
std::optional<UndoKey> ParseUndoKey(std::string_view key);
// The row key of the table's item. nullopt if `item` is none.
std::optional<std::string> RowKeyInTable(StorageId table, std::string_view item);

// --- Undo ---

// The item before the change; nullopt: there was none. Accepts any bytes and checks all of them.
// Borrows. Errors: kDataLoss. O(bytes).
absl::StatusOr<std::optional<ItemView>> DecodeUndo(std::string_view bytes);
// The bytes before those of the item.
std::string_view UndoHeader(bool existed);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_HISTORY_HISTORY_ROWS_H_
