// Point-in-time recovery in a store of several processes: no process knows the order of the commits
// of others, and yet both databases have one past, in which no transaction is half.
#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "api/backup/past_walk.h"
#include "engine/base/clock.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/history/history.h"
#include "engine/history/past_items.h"
#include "engine/store/limits/limited_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/hostile/counted_rows.h"
#include "tests/hostile/two_databases.h"
#include "tests/hostile/watched_store.h"

namespace dynolith::hostile {
namespace {

using ::testing::HasSubstr;

// The attribute n of each item by its attribute h.
using Numbers = std::map<int64_t, int64_t>;

int64_t NumberIn(ItemView item, std::string_view attribute) {
  int64_t number = std::numeric_limits<int64_t>::min();
  const auto value = item.Find(attribute);
  EXPECT_TRUE(value && value->number().ToInt64(&number));
  return number;
}

std::string KeyOf(int64_t h) { return Concat(R"("h": {"N": ")", h, R"("}, "r": {"N": "0"})"); }

std::string Adding(int64_t h, int64_t n) {
  return Concat(R"("TableName": "towns", "Key": {)", KeyOf(h),
                R"(}, "UpdateExpression": "ADD n :n", "ExpressionAttributeValues": {":n": {"N": ")",
                n, R"("}})");
}

std::string DaysAfter(absl::Time start, int days) {
  return std::to_string(absl::ToUnixSeconds(start + absl::Hours(24 * days)));
}

class Past : public ::testing::Test {
 protected:
  explicit Past(const HostileOptions& options = {.seed = 21, .ended = 0.05})
      : clock_(start_), town_(options, &clock_) {}

  void Do(size_t server, std::string_view operation, std::string_view body) {
    const JsonResponse done = town_.server(server).Call(operation, body);
    ASSERT_EQ(done.http_status, 200) << operation << " " << body << done.body << done.cause;
    answer_ = done.body;
  }
  void Put(size_t server, int64_t h, int64_t n) {
    Do(server, "PutItem",
       Concat(R"({"TableName": "towns", "Item": {)", KeyOf(h), R"(, "v": {"N": "1"}, "n": {"N": ")",
              n, R"("}}})"));
  }
  void Delete(size_t server, int64_t h) {
    Do(server, "DeleteItem", Concat(R"({"TableName": "towns", "Key": {)", KeyOf(h), "}}"));
  }
  void Switch(size_t server, bool on) {
    Do(server, "UpdateContinuousBackups",
       Concat(R"({"TableName": "towns", "PointInTimeRecoverySpecification":
                 {"PointInTimeRecoveryEnabled": )",
              on ? "true" : "false", "}}"));
  }
  std::string Described(size_t server) {
    Do(server, "DescribeContinuousBackups", R"({"TableName": "towns"})");
    return answer_;
  }

  // Of a restored table, which is dropped again.
  Numbers Restored(size_t server, absl::Time time) {
    Do(server, "RestoreTableToPointInTime",
       Concat(R"({"SourceTableName": "towns", "TargetTableName": "restored", "RestoreDateTime": )",
              absl::ToUnixMillis(time) / 1000, ".",
              std::to_string(1000 + absl::ToUnixMillis(time) % 1000).substr(1), "}"));
    Numbers numbers;
    DatabaseImpl* const database = town_.server(server + 1).database();
    EXPECT_TRUE(database->catalog()->CatchUp().ok());
    const auto table = database->catalog()->Find("restored");
    if (table == nullptr) return {{-1, -1}};
    const KeyRange rows = RangeOfId(table->meta()->schema.id);
    Cursor cursor = database->store()->ScanOnce(Family::kTables, rows.begin, rows.end);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      const ItemView item = ItemView::Unchecked(cursor.value());
      numbers[NumberIn(item, "h")] = NumberIn(item, "n");
    }
    EXPECT_TRUE(cursor.status().ok()) << cursor.status();
    Do(server, "DeleteTable", R"({"TableName": "restored"})");
    return numbers;
  }

  // By the engine alone, which may look at what was a moment ago.
  Numbers At(size_t server, absl::Time time) {
    DatabaseImpl* const database = town_.server(server).database();
    const OperationContext& context = database->context();
    EXPECT_TRUE(context.history->Await(time).ok());
    const auto freeze = [&](FrozenPart part) -> absl::StatusOr<FrozenTable> {
      return FreezeForPast(context, context.catalog->Find("towns").get(), part);
    };
    Numbers numbers;
    const auto walk = [&](const Snapshot& snapshot, const KeyRange& rows, std::string* last) {
      return VisitItemsAt(snapshot, rows, time, [&](std::string_view row_key, ItemView item) {
        EXPECT_GT(row_key, *last) << "visited twice";
        numbers[NumberIn(item, "h")] = NumberIn(item, "n");
        *last = row_key;
        return absl::OkStatus();
      });
    };
    FrozenTable table = *freeze(FrozenPart::kRowsToo);
    const KeyRange rows = RangeOfId(table.meta->schema.id);
    const absl::Status walked = WalkPast(context, std::move(table), rows, freeze, walk);
    EXPECT_TRUE(walked.ok()) << walked;
    return numbers;
  }

  int Records() const {
    const Store& store = *town_.server(0).database()->store();
    Cursor cursor =
        store.Scan(Family::kLog, UndoPrefix(), UndoEnd(~StorageId{0}), Direction::kForward);
    int records = 0;
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) ++records;
    EXPECT_TRUE(cursor.status().ok()) << cursor.status();
    return records;
  }
  void ExpectNoFailure() {
    for (size_t i = 0; i < 2; ++i) {
      const absl::Status failure = town_.server(i).database()->TakeBackgroundFailure();
      EXPECT_TRUE(failure.ok()) << failure;
    }
    EXPECT_EQ(town_.Check(), "");
  }

  const absl::Time start_ = absl::FromUnixSeconds(4'000'000'000);
  ManualClock clock_;
  TwoDatabases town_;
  std::string answer_;
};

TEST_F(Past, OfBothIsRestoredByEither) {
  Put(0, 0, 100);
  Put(1, 1, 101);
  Switch(0, true);
  Numbers now = {{0, 100}, {1, 101}};
  // At the end of each second.
  std::map<absl::Time, Numbers> past = {{start_, now}};
  const absl::Duration steps[] = {absl::ZeroDuration(), absl::Milliseconds(400), absl::Seconds(1)};
  for (int i = 0; i < 60; ++i) {
    const int64_t h = i * 7 % 5;
    if (i % 4 == 3) {
      Delete(i, h);
      now.erase(h);
    } else {
      Put(i, h, i);
      now[h] = i;
    }
    const absl::Time end = absl::FromUnixSeconds(
        absl::ToUnixSeconds(clock_.Now() + absl::Seconds(1) - absl::Nanoseconds(1)));
    past[end] = now;
    clock_.Advance(steps[i % 3]);
  }
  const absl::Time last = past.rbegin()->first;
  clock_.Advance(absl::Seconds(310));
  EXPECT_EQ(Described(0), Described(1));
  EXPECT_GT(past.size(), 20U);
  Numbers expected;
  size_t server = 0;
  for (absl::Time time = start_; time <= last; time += absl::Seconds(1)) {
    if (past.contains(time)) expected = past[time];
    EXPECT_EQ(Restored(++server, time), expected) << time;
    // Until the next second has ended.
    EXPECT_EQ(At(server, time + absl::Milliseconds(999)), expected) << time;
  }
  EXPECT_EQ(At(0, clock_.Now()), now);
  ExpectNoFailure();
}

TEST_F(Past, HasNoHalfTransactionsAndStaysAsItWasRead) {
  constexpr int kAccounts = 6;
  constexpr int kTransfers = 60;
  for (int h = 0; h < kAccounts; ++h) Put(h, h, 0);
  Switch(1, true);
  std::atomic<int> running = 4;
  std::map<absl::Time, Numbers> seen;
  RunTogether(5, [&](int thread) {
    for (int i = 0; thread < 4 && i < kTransfers; ++i) {
      const int from = (thread + i) % kAccounts;
      const int to = (from + 1 + i % (kAccounts - 1)) % kAccounts;
      const JsonResponse moved = town_.server(thread).Call(
          "TransactWriteItems", Concat(R"({"TransactItems": [{"Update": {)", Adding(from, -1),
                                       R"(}}, {"Update": {)", Adding(to, 1), "}}]}"));
      // Transactions of one server refuse each other.
      if (moved.http_status == 400) continue;
      EXPECT_EQ(moved.http_status, 200) << moved.body << moved.cause;
    }
    if (thread < 4) --running;
    for (int i = 0; thread == 4 && (running > 0 || i < 5); ++i) {
      clock_.Advance(absl::Milliseconds(300));
      const absl::Time time = town_.server(i).database()->history()->Now();
      const Numbers numbers = At(i, time);
      int64_t sum = 0;
      for (const auto& [h, n] : numbers) sum += n;
      EXPECT_EQ(sum, 0) << "half of a transaction at " << time;
      EXPECT_EQ(numbers.size(), size_t{kAccounts});
      EXPECT_EQ(At(i + 1, time), numbers) << time;
      seen[time] = numbers;
    }
  });
  for (const auto& [time, numbers] : seen) EXPECT_EQ(At(0, time), numbers) << time;
  clock_.Advance(absl::Seconds(1));
  const Numbers last = At(1, clock_.Now());
  clock_.Advance(absl::Seconds(310));
  EXPECT_EQ(Restored(0, clock_.Now() - absl::Seconds(305)), last);
  ExpectNoFailure();
}

// A walk begins in each of the days, and a process that did not say for a day that it lives counts
// as ended, so that it cannot find out any more what became of a lost commit.
class PastOfDays : public Past {
 protected:
  PastOfDays() : Past({.seed = 23, .lost = 0, .ended = 0}) {}
};

TEST_F(PastOfDays, IsForgottenUnderALease) {
  Switch(0, true);
  for (int day = 0; day < 40; ++day) {
    Put(day, 1, day);
    if (day == 0) {
      // More than one commit deletes.
      for (int h = 1000; h < 1300; ++h) Put(h, h, 0);
    }
    clock_.Advance(absl::Hours(24));
  }
  EXPECT_LE(Records(), 37);
  EXPECT_GE(Records(), 35);
  EXPECT_EQ(Described(0), Described(1));
  EXPECT_THAT(Described(0),
              HasSubstr(Concat(R"("EarliestRestorableDateTime":)", DaysAfter(start_, 5))));
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(Restored(i, start_ + absl::Hours(5 * 24))[1], 5);
    const JsonResponse early = town_.server(i).Call(
        "RestoreTableToPointInTime",
        Concat(R"({"SourceTableName": "towns", "TargetTableName": "early", "RestoreDateTime": )",
               DaysAfter(start_, 4), "}"));
    EXPECT_THAT(early.body, HasSubstr("InvalidRestoreTimeException"));
  }
  ExpectNoFailure();
}

TEST_F(Past, IsForgottenWithItsTableAndWhenItIsSwitchedOff) {
  Switch(0, true);
  for (int h = 0; h < 300; ++h) Put(h, h, h);
  EXPECT_EQ(Records(), 300);
  Switch(1, false);
  EXPECT_EQ(town_.Check(), "");
  clock_.Advance(absl::Minutes(2));
  EXPECT_EQ(Records(), 0);
  Switch(0, true);
  Put(1, 1, 5);
  EXPECT_EQ(Records(), 1);
  Do(1, "DeleteTable", R"({"TableName": "towns"})");
  clock_.Advance(absl::Minutes(2));
  EXPECT_EQ(Records(), 0);
  ExpectNoFailure();
}

// The records of before are still there, with the time of those that follow.
TEST_F(Past, BeginsAnewWhenItIsSwitchedOffAndOnWithinASecond) {
  Put(0, 1, 1);
  Switch(0, true);
  Put(1, 1, 2);
  Switch(1, false);
  Put(0, 1, 3);
  Put(0, 2, 3);
  Switch(0, true);
  const absl::Time begin =
      absl::FromUnixMillis(absl::ToUnixMillis(town_.server(0)
                                                  .database()
                                                  ->catalog()
                                                  ->Find("towns")
                                                  ->meta()
                                                  ->point_in_time_recovery->enabled));
  EXPECT_EQ(Records(), 1);
  Put(1, 2, 4);
  clock_.Advance(absl::Seconds(2));
  Put(0, 1, 5);
  Delete(1, 2);
  clock_.Advance(absl::Seconds(310));
  EXPECT_EQ(Described(0), Described(1));
  EXPECT_EQ(Restored(0, begin)[1], 3);
  EXPECT_EQ(Restored(1, begin + absl::Seconds(1)), (Numbers{{1, 3}, {2, 4}}));
  EXPECT_EQ(Restored(0, begin + absl::Seconds(3)), (Numbers{{1, 5}}));
  ExpectNoFailure();
}

class PastBeyondSnapshots : public Past {
 protected:
  PastBeyondSnapshots() : Past({.seed = 22, .ended = 0.2}) {}
};

TEST_F(PastBeyondSnapshots, IsRestoredWhereASnapshotHasEnded) {
  constexpr int kItems = 400;
  Numbers before;
  for (int h = 0; h < kItems; ++h) {
    Put(h, h, h);
    before[h] = h;
  }
  Switch(0, true);
  const absl::Time time = clock_.Now() + absl::Seconds(1);
  clock_.Advance(absl::Seconds(2));
  for (int h = 0; h < kItems; h += 3) h % 2 == 0 ? Put(h, h, -1) : Delete(h, h);
  for (int h = kItems; h < kItems + 20; ++h) Put(h, h, h);
  clock_.Advance(absl::Seconds(310));
  const int64_t ended = CountsOf(town_.rows()).ended;
  EXPECT_EQ(Restored(0, time), before);
  EXPECT_EQ(Restored(1, time), before);
  EXPECT_GT(CountsOf(town_.rows()).ended, ended);
  ExpectNoFailure();
}

// While the past is read, another process takes it away.
TEST_F(Past, ThatIsTakenAwayMeanwhileIsAnError) {
  Put(0, 1, 1);
  Switch(0, true);
  const absl::Time begin = clock_.Now();
  clock_.Advance(absl::Seconds(310));
  const OperationContext& context = town_.server(0).database()->context();
  ASSERT_TRUE(context.history->Await(begin).ok());
  int frozen_again = 0;
  const auto freeze = [&](FrozenPart part) -> absl::StatusOr<FrozenTable> {
    ++frozen_again;
    const auto table = context.catalog->Find("towns");
    if (!table->meta()->point_in_time_recovery) return absl::NotFoundError("taken away");
    return FreezeForPast(context, table.get(), part);
  };
  const auto walk = [&](const Snapshot&, const KeyRange&, std::string*) {
    Switch(1, false);
    return absl::OkStatus();
  };
  FrozenTable table = *freeze(FrozenPart::kRowsToo);
  const KeyRange rows = RangeOfId(table.meta->schema.id);
  const absl::Status walked = WalkPast(context, std::move(table), rows, freeze, walk);
  EXPECT_TRUE(absl::IsNotFound(walked)) << walked;
  EXPECT_EQ(frozen_again, 2);
}

// A serial snapshot may wait for transactions: meanwhile the table can be changed.
TEST(PastOfOneMoment, IsWaitedForBesideChangesOfTheTable) {
  ManualClock clock(absl::FromUnixSeconds(4'000'000'000));
  const auto rows = MakeHostileRows({.aborted = 0, .lost = 0, .ended = 0});
  const auto open = [&] { return WithLongRows(OpenHostileStore(rows)).value(); };
  const TwoDatabases town(open);
  std::vector<std::thread> changes;
  const Server* changed = nullptr;
  const auto change = [&] {
    const auto is_changed = std::make_shared<absl::Notification>();
    changes.emplace_back([&, is_changed] {
      const JsonResponse done = changed->Call("UpdateTimeToLive", R"({"TableName": "towns",
          "TimeToLiveSpecification": {"AttributeName": "t", "Enabled": true}})");
      EXPECT_EQ(done.http_status, 200) << done.body << done.cause;
      is_changed->Notify();
    });
    EXPECT_TRUE(is_changed->WaitForNotificationWithTimeout(absl::Seconds(5)));
  };
  const Server server(
      std::make_unique<WatchedStore>(open(), WatchedStore::Watch{.before_serial_snapshot = change}),
      &clock);
  changed = &server;
  const auto call = [&](std::string_view operation, std::string_view body) {
    const JsonResponse done = server.Call(operation, body);
    EXPECT_EQ(done.http_status, 200) << done.body << done.cause;
    return done.body;
  };
  call("UpdateContinuousBackups", R"({"TableName": "towns",
      "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}})");
  clock.Advance(absl::Seconds(310));
  call("RestoreTableToPointInTime", R"({"SourceTableName": "towns", "TargetTableName": "restored",
      "UseLatestRestorableTime": true})");
  for (std::thread& thread : changes) thread.join();
  // Whether the past was there all the time says the catalog.
  EXPECT_EQ(changes.size(), 1);
}

}  // namespace
}  // namespace dynolith::hostile
