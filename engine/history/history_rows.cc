#include "engine/history/history_rows.h"

#include <algorithm>
#include <cassert>

#include "engine/base/big_endian.h"
#include "engine/history/messages.h"
#include "engine/store/row_id.h"

namespace dynolith {
namespace {

constexpr char kRecordLetter = 'U';
constexpr int kCountBits = 20;
constexpr int64_t kMillisecondsMax = (int64_t{1} << (64 - kCountBits)) - 1;
constexpr uint64_t kMillisecondsPerDay = 24 * 60 * 60 * 1000;

constexpr std::string_view kEscapedZero{"\x00\xff", 2};
constexpr std::string_view kItemEnd{"\x00\x01", 2};

// What follows the table's id.
void AppendEscaped(std::string_view row_key, std::string* bytes) {
  assert(row_key.size() >= kRowIdBytes);
  for (const char c : row_key.substr(kRowIdBytes)) {
    c == 0 ? bytes->append(kEscapedZero) : bytes->append(1, c);
  }
}

uint64_t ToMilliseconds(absl::Time time) {
  return static_cast<uint64_t>(std::clamp(absl::ToUnixMillis(time), int64_t{0}, kMillisecondsMax));
}

}  // namespace

uint64_t FirstStampAt(absl::Time time) { return ToMilliseconds(time) << kCountBits; }

uint64_t LastStampAt(absl::Time time) {
  return FirstStampAt(time) | ((uint64_t{1} << kCountBits) - 1);
}

absl::Time TimeOfStamp(uint64_t stamp) {
  return absl::FromUnixMillis(static_cast<int64_t>(stamp >> kCountBits));
}

HistoryDay DayOfStamp(uint64_t stamp) {
  return static_cast<HistoryDay>((stamp >> kCountBits) / kMillisecondsPerDay);
}

absl::Time StartOfDay(HistoryDay day) {
  return absl::FromUnixMillis(static_cast<int64_t>(day * kMillisecondsPerDay));
}

std::string_view UndoPrefix() { return {&kRecordLetter, 1}; }

std::string UndoPrefix(StorageId table) { return kRecordLetter + RowIdPrefix(table); }

std::string UndoPrefix(StorageId table, HistoryDay day) {
  return UndoPrefix(table) + RowIdPrefix(day);
}

std::string UndoEnd(StorageId table) {
  if (table != ~StorageId{0}) return UndoPrefix(table + 1);
  return std::string(1, kRecordLetter + 1);
}

void AppendUndoItem(std::string_view row_key, std::string* bytes) {
  AppendEscaped(row_key, bytes);
  bytes->append(kItemEnd);
}

void AppendUndoKey(std::string_view row_key, uint64_t stamp, std::string* key) {
  key->push_back(kRecordLetter);
  key->append(row_key.substr(0, kRowIdBytes));
  key->append(RowIdPrefix(DayOfStamp(stamp)));
  AppendUndoItem(row_key, key);
  AppendBigEndian(stamp, key);
}

std::string UndoBound(HistoryDay day, std::string_view row_key) {
  std::string bound = UndoPrefix(RowIdFromKey(row_key), day);
  AppendEscaped(row_key, &bound);
  return bound;
}

std::optional<UndoKey> ParseUndoKey(std::string_view key) {
  constexpr size_t kStampBytes = sizeof(uint64_t);
  if (key.size() < kUndoDayPrefixBytes + kItemEnd.size() + kStampBytes) return std::nullopt;
  if (key[0] != kRecordLetter) return std::nullopt;
  UndoKey parsed;
  parsed.table = RowIdFromKey(key.substr(1));
  parsed.day = RowIdFromKey(key.substr(1 + kRowIdBytes));
  parsed.item = key.substr(kUndoDayPrefixBytes, key.size() - kUndoDayPrefixBytes - kStampBytes);
  parsed.stamp = ReadBigEndian(key.substr(key.size() - kStampBytes));
  return parsed;
}

std::optional<std::string> RowKeyInTable(StorageId table, std::string_view item) {
  if (!item.ends_with(kItemEnd)) return std::nullopt;
  item.remove_suffix(kItemEnd.size());
  std::string row_key = RowIdPrefix(table);
  for (size_t i = 0; i < item.size(); ++i) {
    row_key.push_back(item[i]);
    if (item[i] != 0) continue;
    if (item.substr(i, kEscapedZero.size()) != kEscapedZero) return std::nullopt;
    ++i;
  }
  return row_key;
}

absl::StatusOr<std::optional<ItemView>> DecodeUndo(std::string_view bytes) {
  if (bytes == UndoHeader(false)) return std::optional<ItemView>();
  if (bytes.size() > 1 && bytes.starts_with(UndoHeader(true))) {
    if (const absl::StatusOr<ItemView> item = ItemView::Parse(bytes.substr(1)); item.ok()) {
      return std::make_optional(*item);
    }
  }
  return absl::DataLossError(messages::DamagedHistoryRecord());
}

std::string_view UndoHeader(bool existed) {
  return existed ? std::string_view("\x01", 1) : std::string_view("\x00", 1);
}

}  // namespace dynolith
