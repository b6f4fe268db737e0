// Keys and values of records: what goes in comes out, the order is that of items and times, and
// damage is seen.
#include "engine/history/history_rows.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "engine/store/row_id.h"

namespace dynolith {
namespace {

constexpr StorageId kId = 7;

std::string MakeKey(const std::string& row, uint64_t stamp) {
  std::string key;
  AppendUndoKey(RowIdPrefix(kId) + row, stamp, &key);
  return key;
}

std::vector<std::string> Rows() {
  std::vector<std::string> rows = {""};
  std::mt19937 random(1);
  constexpr char kBytes[] = {'\x00', '\x01', '\x02', 'a', '\xfe', '\xff'};
  for (int i = 0; i < 300; ++i) {
    std::string row;
    for (uint32_t length = random() % 5; length > 0; --length) row += kBytes[random() % 6];
    rows.push_back(row);
  }
  return rows;
}

TEST(HistoryRowsTest, Stamps) {
  const absl::Time time = absl::FromUnixMillis(1'800'000'000'123);
  EXPECT_EQ(TimeOfStamp(FirstStampAt(time)), time);
  EXPECT_EQ(TimeOfStamp(LastStampAt(time)), time);
  EXPECT_EQ(LastStampAt(time) + 1, FirstStampAt(time + absl::Milliseconds(1)));
  EXPECT_EQ(FirstStampAt(time + absl::Microseconds(999)), FirstStampAt(time));
  EXPECT_EQ(FirstStampAt(absl::InfinitePast()), 0u);
  EXPECT_EQ(LastStampAt(absl::InfiniteFuture()), ~uint64_t{0});
  for (const int64_t day : {0, 1, 20'833}) {
    const absl::Time start = absl::UnixEpoch() + absl::Hours(24 * day);
    EXPECT_EQ(DayOfStamp(FirstStampAt(start)), day);
    EXPECT_EQ(DayOfStamp(FirstStampAt(start + absl::Hours(24)) - 1), day);
    EXPECT_EQ(StartOfDay(static_cast<HistoryDay>(day)), start);
  }
}

TEST(HistoryRowsTest, KeysComeBack) {
  const uint64_t stamp = FirstStampAt(absl::FromUnixSeconds(1'800'000'000)) + 5;
  for (const std::string& row : Rows()) {
    const std::string bytes = MakeKey(row, stamp);
    const auto key = ParseUndoKey(bytes);
    ASSERT_TRUE(key);
    EXPECT_EQ(key->table, kId);
    EXPECT_EQ(key->day, DayOfStamp(stamp));
    EXPECT_EQ(key->stamp, stamp);
    EXPECT_EQ(::dynolith::RowKeyInTable(kId, key->item), RowIdPrefix(kId) + row);
  }
}

TEST(HistoryRowsTest, OrderIsThatOfRowsThenOfStamps) {
  std::vector<std::string> rows = Rows();
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::string last;
  for (const std::string& row : rows) {
    for (const uint64_t stamp : {0u, 1u, 0x0100u, 0x010000u}) {
      const std::string key = MakeKey(row, stamp);
      EXPECT_LT(last, key);
      last = key;
    }
  }
}

TEST(HistoryRowsTest, AllKeysOfATableLieBetweenItsEnds) {
  const std::string key = MakeKey("\xff\xff", ~uint64_t{0});
  EXPECT_LT(UndoPrefix(), UndoPrefix(kId));
  EXPECT_LT(UndoPrefix(kId, DayOfStamp(~uint64_t{0})), key);
  EXPECT_LT(key, UndoEnd(kId));
  EXPECT_EQ(UndoEnd(kId), UndoPrefix(kId + 1));
  EXPECT_LT(UndoPrefix(~StorageId{0}, ~HistoryDay{0}), UndoEnd(~StorageId{0}));
}

TEST(HistoryRowsTest, ABoundIsBeforeTheItemsThatAreNotLess) {
  const std::vector<std::string> rows = Rows();
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    for (const uint64_t stamp : {uint64_t{0}, uint64_t{0xffff}}) {
      EXPECT_EQ(MakeKey(rows[i], stamp) >= UndoBound(0, RowIdPrefix(kId) + rows[i + 1]),
                rows[i] >= rows[i + 1]);
    }
  }
}

TEST(HistoryRowsTest, KeysCutShortAreNone) {
  const std::string row("a\x00z", 3);
  const std::string key = MakeKey(row, 1);
  for (size_t bytes = 0; bytes < key.size(); ++bytes) {
    const auto parsed = ParseUndoKey(std::string_view(key).substr(0, bytes));
    if (parsed) {
      EXPECT_FALSE(::dynolith::RowKeyInTable(kId, parsed->item)) << bytes;
    }
  }
  EXPECT_FALSE(ParseUndoKey("V" + key.substr(1)));
}

TEST(HistoryRowsTest, ItemsThatAreNone) {
  for (const std::string_view item :
       {std::string_view(""), std::string_view("a"), std::string_view("\x00", 1),
        std::string_view("\x00\xff", 2), std::string_view("\x00\x02\x00\x01", 4),
        std::string_view("\x00\x00\x01", 3)}) {
    EXPECT_FALSE(::dynolith::RowKeyInTable(kId, item));
  }
}

TEST(HistoryRowsTest, Undo) {
  const Item item{{"pk", Value::S("a")}};
  const auto existed = DecodeUndo(std::string(UndoHeader(true)) + item.bytes());
  ASSERT_TRUE(existed.ok() && *existed);
  const auto absent = DecodeUndo(UndoHeader(false));
  ASSERT_TRUE(absent.ok());
  EXPECT_FALSE(*absent);
  for (const std::string_view damaged :
       {std::string_view(""), std::string_view("\x00\x00", 2), std::string_view("\x01"),
        std::string_view("\x02!"), std::string_view("!")}) {
    EXPECT_TRUE(absl::IsDataLoss(DecodeUndo(damaged).status()));
  }
  for (size_t bytes = 0; bytes < item.bytes().size(); ++bytes) {
    const std::string cut = std::string(UndoHeader(true)) + item.bytes().substr(0, bytes);
    EXPECT_TRUE(absl::IsDataLoss(DecodeUndo(cut).status())) << bytes;
  }
}

}  // namespace
}  // namespace dynolith
