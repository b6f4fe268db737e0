// The check finds every kind of damage that the history can have, each made through the store, and
// nothing in a sound one.
#include "engine/history/history_check.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/history/history_rows.h"
#include "engine/store/local_store.h"
#include "tests/unit/history/tables.h"

namespace dynolith {
namespace {

using ::dynolith::testing::Change;
using ::dynolith::testing::ItemRowKey;
using ::dynolith::testing::RecoverableTable;
using ::dynolith::testing::Song;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class HistoryCheckTest : public ::testing::Test {
 protected:
  HistoryCheckTest() { table_ = catalog_->Create(RecoverableTable(clock_.Now())).value(); }

  void Write(const std::optional<Item>& before, const std::optional<Item>& after) {
    Change(history_.get(), store_.get(), *table_->meta(), before, after);
  }
  void Commit(const WriteBatch& batch) { ASSERT_TRUE(store_->Commit(batch).ok()); }
  std::pair<std::string, std::string> FirstRecord() {
    Cursor cursor = store_->Scan(Family::kLog, "U", "V", Direction::kForward);
    cursor.SeekToStart();
    return {std::string(cursor.key()), std::string(cursor.value())};
  }
  // The first record, changed.
  void Replace(const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.Delete(Family::kLog, FirstRecord().first);
    batch.Put(Family::kLog, key, value);
    Commit(batch);
  }
  std::vector<std::string> Check() {
    summary_ = {};
    std::vector<std::string> lines;
    const absl::Status status = CheckHistory(
        store_.get(), *catalog_, [&](const std::string& line) { lines.push_back(line); },
        &summary_);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(summary_.disagreements, lines.size());
    return lines;
  }

  ManualClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  std::unique_ptr<LocalStore> store_ = LocalStore::Open({.in_memory = true}).value();
  std::unique_ptr<Catalog> catalog_ = Catalog::Load(store_.get()).value();
  std::unique_ptr<History> history_ = History::Load(store_.get(), &clock_).value();
  std::shared_ptr<Table> table_;
  HistoryCheckSummary summary_;
  const Item one_ = Song("p", "s", 1);
  const Item two_ = Song("p", "s", 2);
};

TEST_F(HistoryCheckTest, SoundStore) {
  for (const char* sk : {"a", "b", "c"}) Write(std::nullopt, Song("p", sk, 1));
  Write(std::nullopt, one_);
  clock_.Advance(absl::Hours(30));
  Write(one_, two_);
  Write(two_, std::nullopt);
  Write(std::nullopt, one_);
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(summary_.records, 7u);
  EXPECT_EQ(summary_.stale_records, 0u);
}

TEST_F(HistoryCheckTest, RecordsOfATableThatIsGoneDoNoHarm) {
  Write(std::nullopt, one_);
  ASSERT_TRUE(catalog_->Drop("music").ok());
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(summary_.stale_records, 1u);
}

TEST_F(HistoryCheckTest, TableWithoutRecovery) {
  Write(std::nullopt, one_);
  const auto off = [](TableMeta* meta) {
    meta->point_in_time_recovery.reset();
    return absl::OkStatus();
  };
  ASSERT_TRUE(catalog_->Modify(table_.get(), off).ok());
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("no table with point-in-time recovery")));
}

TEST_F(HistoryCheckTest, KeyThatIsNone) {
  Write(std::nullopt, one_);
  const auto [key, value] = FirstRecord();
  Replace(key.substr(0, 8), value);
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("damaged record")));
}

TEST_F(HistoryCheckTest, KeyOfNoItem) {
  Write(std::nullopt, one_);
  auto [key, value] = FirstRecord();
  ++key[kUndoDayPrefixBytes];  // the hash
  Replace(key, value);
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("keys are not those of an item")));
}

TEST_F(HistoryCheckTest, OtherDayOrLaterThanAllTimes) {
  Write(std::nullopt, one_);
  const auto [key, value] = FirstRecord();
  std::string other_day = key;
  ++other_day[kUndoDayPrefixBytes - 1];
  Replace(other_day, value);
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("time is not that of its place")));
  std::string later;
  AppendUndoKey(ItemRowKey(*table_->meta(), one_), LastStampAt(clock_.Now() + absl::Hours(1)),
                &later);
  Replace(later, value);
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("time is not that of its place")));
}

TEST_F(HistoryCheckTest, ValuesThatAreNone) {
  Write(one_, two_);
  const auto [key, value] = FirstRecord();
  for (const std::string& damaged :
       {std::string(), std::string("\x01"), std::string("\x02") + value.substr(1),
        value.substr(0, value.size() - 1), std::string("\x00!", 2)}) {
    Replace(key, damaged);
    EXPECT_EQ(Check().size(), 1u);
  }
  Replace(key, value);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(HistoryCheckTest, ImageOfAnotherItem) {
  Write(one_, two_);
  const auto [key, value] = FirstRecord();
  Replace(key, "\x01" + Song("p", "other", 1).bytes());
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("keys are not those of an item")));
}

TEST_F(HistoryCheckTest, ChangesThatChangeNothing) {
  Write(one_, two_);
  Write(one_, two_);
  EXPECT_THAT(Check(), ElementsAre(AllOf(HasSubstr("history, record "),
                                         HasSubstr("the same after this change as before"))));
  Write(two_, two_);
  EXPECT_EQ(Check().size(), 2u);
}

TEST_F(HistoryCheckTest, ItemThatHasChangedUnnoticed) {
  Write(std::nullopt, one_);
  WriteBatch batch;
  batch.Delete(Family::kTables, ItemRowKey(*table_->meta(), one_));
  Commit(batch);
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("the same after this change as before")));
}

TEST_F(HistoryCheckTest, DamagedLimit) {
  WriteBatch batch;
  batch.Put(Family::kLog, kStampLimitKey, "short");
  Commit(batch);
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("damaged limit")));
}

}  // namespace
}  // namespace dynolith
