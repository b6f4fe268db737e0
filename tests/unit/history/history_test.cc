// Times, age and what survives a restart: the parts of the history that no operation shows plainly.
#include "engine/history/history.h"

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/store/local_store.h"
#include "tests/unit/history/tables.h"
#include "tests/unit/sleeping_thread.h"

namespace dynolith {
namespace {

using ::dynolith::testing::Change;
using ::dynolith::testing::ItemRowKey;
using ::dynolith::testing::RecoverableTable;
using ::dynolith::testing::SleepingThread;
using ::dynolith::testing::Song;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr absl::Duration kMillisecond = absl::Milliseconds(1);

class HistoryTest : public ::testing::Test {
 protected:
  HistoryTest() { table_ = catalog_->Create(RecoverableTable(clock_.Now())).value(); }

  void Put(std::optional<int64_t> before, std::optional<int64_t> after, std::string_view sk = "s") {
    const auto song = [&](int64_t plays) { return Song("p", sk, plays); };
    Change(history_.get(), store_.get(), *table_->meta(),
           before ? std::make_optional(song(*before)) : std::nullopt,
           after ? std::make_optional(song(*after)) : std::nullopt);
  }
  // The attribute of all items at that time.
  std::vector<int64_t> PlaysAt(absl::Time time) {
    EXPECT_TRUE(history_->Await(time).ok());
    std::vector<int64_t> plays;
    const auto status = VisitItemsAt(*store_->TakeSnapshot(), RangeOfId(table_->meta()->schema.id),
                                     time, [&](std::string_view, ItemView item) {
                                       int64_t number = 0;
                                       item.Find("plays")->number().ToInt64(&number);
                                       plays.push_back(number);
                                       return absl::OkStatus();
                                     });
    EXPECT_TRUE(status.ok()) << status;
    return plays;
  }
  size_t Records() {
    Cursor cursor = store_->Scan(Family::kLog, "U", "V", Direction::kForward);
    size_t records = 0;
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) ++records;
    return records;
  }
  void Reopen() { history_ = History::Load(store_.get(), &clock_).value(); }

  const absl::Time start_ = absl::FromUnixSeconds(1'800'000'000);
  ManualClock clock_{start_};
  std::unique_ptr<LocalStore> store_ = LocalStore::Open({.in_memory = true}).value();
  std::unique_ptr<Catalog> catalog_ = Catalog::Load(store_.get()).value();
  std::unique_ptr<History> history_ = History::Load(store_.get(), &clock_).value();
  std::shared_ptr<Table> table_;
};

TEST_F(HistoryTest, WhatHappensInOneMillisecondBelongsTogether) {
  for (int64_t i = 0; i < 100; ++i) {
    Put(i == 0 ? std::nullopt : std::make_optional(i - 1), i);
  }
  EXPECT_THAT(PlaysAt(start_), ElementsAre(99));
  EXPECT_THAT(PlaysAt(start_ - kMillisecond), IsEmpty());
}

TEST_F(HistoryTest, WhatWasReadAtATimeStaysSo) {
  Put(std::nullopt, 1);
  EXPECT_THAT(PlaysAt(start_), ElementsAre(1));
  Put(1, 2);  // by the same clock
  EXPECT_THAT(PlaysAt(start_), ElementsAre(1));
  EXPECT_EQ(history_->LatestTime(), start_ + kMillisecond);
  EXPECT_THAT(PlaysAt(start_ + kMillisecond), ElementsAre(2));
}

TEST_F(HistoryTest, ReadingWaitsForCommitsUnderWay) {
  const Item song = Song("p", "s", 1);
  const std::string key = ItemRowKey(*table_->meta(), song);
  auto recorder = std::make_unique<HistoryRecorder>(history_.get());
  WriteBatch batch;
  const std::shared_ptr<const TableMeta> meta = table_->meta();
  ASSERT_TRUE(recorder->Append({.meta = *meta, .row_key = key}, &batch).ok());
  batch.Put(Family::kTables, key, song.bytes());
  std::vector<int64_t> plays;
  SleepingThread reader([&] { plays = PlaysAt(start_); });
  EXPECT_TRUE(reader.Sleeps()) << "read without waiting";
  ASSERT_TRUE(store_->Commit(batch).ok());
  recorder.reset();
  reader.Join();
  EXPECT_THAT(plays, ElementsAre(1));
}

TEST_F(HistoryTest, TimesNeverGoBack) {
  Put(std::nullopt, 1);
  clock_.Advance(absl::Hours(1));
  Put(1, 2);
  for (const bool reopens : {false, true}) {
    SCOPED_TRACE(reopens);
    clock_.Set(start_);
    if (reopens) Reopen();
    EXPECT_EQ(history_->Now(), start_ + absl::Hours(1));
  }
  Put(2, 3);
  EXPECT_THAT(PlaysAt(start_ + absl::Hours(1) - kMillisecond), ElementsAre(1));
  EXPECT_THAT(PlaysAt(start_ + absl::Hours(1)), ElementsAre(3));
}

TEST_F(HistoryTest, OpenedAgainAtOnceItKnowsTheExactTime) {
  Put(std::nullopt, 1);
  Reopen();
  EXPECT_EQ(history_->LatestTime(), start_);
  clock_.Advance(kMillisecond);
  Put(1, 2);
  EXPECT_EQ(history_->LatestTime(), start_ + kMillisecond);
  EXPECT_THAT(PlaysAt(start_), ElementsAre(1));
}

TEST_F(HistoryTest, WholeDaysAreTrimmed) {
  const absl::Duration day = absl::Hours(24);
  for (int64_t i = 0; i < 40; ++i) {
    Put(i == 0 ? std::nullopt : std::make_optional(i - 1), i);
    if (i < 39) clock_.Advance(day);
  }
  ASSERT_TRUE(history_->Trim(catalog_.get()).ok());
  EXPECT_EQ(Records(), 36u);  // those of the day of 35 days ago and later
  const auto recovery = *table_->meta()->point_in_time_recovery;
  const RestorableTimes times = FindRestorableTimes(recovery, history_->Now());
  EXPECT_EQ(times.earliest, start_ + 4 * day);
  EXPECT_EQ(times.latest, start_ + 39 * day - absl::Minutes(5));
  EXPECT_THAT(PlaysAt(times.earliest), ElementsAre(4));
  // What has been deleted does not become restorable when the clock goes back.
  EXPECT_LE(FindRestorableTimes(recovery, start_ + 10 * day).earliest, times.earliest);
  EXPECT_GT(FindRestorableTimes(recovery, start_ + 10 * day).earliest, start_ + 3 * day);
  ASSERT_TRUE(history_->Trim(catalog_.get()).ok());
  EXPECT_EQ(Records(), 36u);
}

TEST_F(HistoryTest, TheHistoryOfATableThatIsGoneGoes) {
  Put(std::nullopt, 1);
  const auto other = catalog_->Create(RecoverableTable(start_, "other")).value();
  Change(history_.get(), store_.get(), *other->meta(), std::nullopt, Song("p", "s", 1));
  ASSERT_TRUE(catalog_->Drop("music").ok());
  ASSERT_TRUE(history_->Trim(catalog_.get()).ok());
  EXPECT_EQ(Records(), 1u);
  WriteBatch batch;
  History::Forget(other->meta()->schema.id, &batch);
  ASSERT_TRUE(store_->Commit(batch).ok());
  EXPECT_EQ(Records(), 0u);
}

TEST_F(HistoryTest, DamageIsTold) {
  Put(std::nullopt, 1);
  WriteBatch batch;
  batch.Put(Family::kLog, kStampLimitKey, "short");
  ASSERT_TRUE(store_->Commit(batch).ok());
  EXPECT_TRUE(absl::IsDataLoss(History::Load(store_.get(), &clock_).status()));
}

}  // namespace
}  // namespace dynolith
