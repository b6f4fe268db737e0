// What a store of several processes does to transactions must not show in what databases answer:
// two of them over one hostile store do everything once and lose nothing.
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/big_endian.h"
#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/catalog.h"
#include "engine/store/limits/limited_store.h"
#include "engine/store/meta_keys.h"
#include "engine/store/row_id.h"
#include "engine/store/transaction/commit_slots.h"
#include "engine/store/transaction/ended_processes.h"
#include "engine/store/transaction/leases.h"
#include "engine/store/transaction/patience.h"
#include "engine/store/transaction/transaction.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/hostile/counted_rows.h"
#include "tests/hostile/two_databases.h"
#include "tests/hostile/watched_store.h"

namespace dynolith::hostile {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

// --- Transactions ---

TEST(HostileTransactions, EachTakesEffectOnce) {
  const auto rows = MakeHostileRows({.seed = 7, .aborted = 0.1, .lost = 0.4, .ended = 0.05});
  constexpr int kThreads = 4;
  constexpr int kIncrements = 150;
  std::vector<std::unique_ptr<SharedStore>> stores;
  std::vector<std::unique_ptr<RowLocks>> locks;
  for (int i = 0; i < 2; ++i) {
    stores.push_back(OpenHostileStore(rows));
    locks.push_back(std::make_unique<RowLocks>());
  }
  RunTogether(kThreads, [&](int thread) {
    for (int i = 0; i < kIncrements; ++i) {
      ASSERT_TRUE(Increment(stores[thread % 2].get(), locks[thread % 2].get(), "n").ok());
    }
  });
  Calm(rows.get());
  EXPECT_EQ(ReadCount(*stores[0], "n").value(), uint64_t{kThreads * kIncrements});
  const HostileCounts counts = CountsOf(rows.get());
  EXPECT_GT(counts.lost, 100);
  EXPECT_GT(counts.conflicts, 0);
  EXPECT_GT(counts.ended, 0);
}

TEST(HostileTransactions, WhatIsLostForLongIsAnError) {
  const auto rows = MakeHostileRows({.aborted = 0, .lost = 1, .ended = 0});
  const auto store = OpenHostileStore(rows);
  // Its answer may still be found out; in the end the row says the same as the answers.
  uint64_t applied = 0;
  RowLocks locks;
  for (int i = 0; i < 20; ++i) {
    const absl::Status status = Increment(store.get(), &locks, "n");
    if (status.ok()) ++applied;
    EXPECT_TRUE(status.ok() || absl::IsUnavailable(status)) << status;
  }
  Calm(rows.get());
  EXPECT_GE(ReadCount(*store, "n").value(), applied);
}

TEST(HostileTransactions, ReadsThatAreNotSoAnyMoreAbort) {
  const auto rows = MakeHostileRows({.aborted = 0, .lost = 0, .ended = 0});
  const auto store = OpenHostileStore(rows);
  WriteBatch other;
  other.Put(Family::kTables, "b", "1");
  for (const bool scans : {false, true}) {
    const auto attempt = store->Begin();
    if (scans) {
      Cursor cursor = attempt->Scan(Family::kTables, "a", "c", Direction::kForward);
      cursor.SeekToStart();
    } else {
      Row row;
      ASSERT_TRUE(attempt->Get(Family::kTables, "b", &row).ok());
    }
    ASSERT_TRUE(store->Commit(other).ok());
    EXPECT_TRUE(absl::IsAborted(store->CommitAttempt(attempt.get(), WriteBatch())));
  }
  const auto expecting = store->Begin();
  expecting->Expect(Family::kTables, "b", std::nullopt);
  EXPECT_TRUE(absl::IsAborted(store->CommitAttempt(expecting.get(), WriteBatch())));
}

// --- Leases ---

const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);

TEST(HostileLeases, OneProcessHasALease) {
  const auto rows = MakeHostileRows({.seed = 11});
  const auto first = OpenHostileStore(rows);
  const auto second = OpenHostileStore(rows);
  ManualClock clock(kStart);
  Leases one(first.get(), &clock);
  Leases other(second.get(), &clock);
  const auto lease = one.Hold("work").value();
  ASSERT_NE(lease, nullptr);
  EXPECT_EQ(other.Hold("work").value(), nullptr);
  EXPECT_NE(other.Hold("other work").value(), nullptr);
  // Renewed, it does not end.
  for (int i = 0; i < 5; ++i) {
    clock.Advance(kLeaseTime - absl::Seconds(1));
    ASSERT_EQ(one.Hold("work").value(), lease);
    EXPECT_EQ(other.Hold("work").value(), nullptr);
  }
  // Not even behind its end, as long as the clocks may differ.
  clock.Advance(kLeaseTime + kClockDifferenceMax);
  EXPECT_EQ(other.Hold("work").value(), nullptr);
  clock.Advance(absl::Seconds(1));
  const auto next = other.Hold("work").value();
  ASSERT_NE(next, nullptr);
  WriteBatch batch;
  batch.Put(Family::kTables, "a", "1");
  EXPECT_TRUE(absl::IsCancelled(lease->Commit(first.get(), batch)));
  Row row;
  EXPECT_FALSE(first->Get(Family::kTables, "a", &row).value());
  EXPECT_TRUE(next->Commit(second.get(), batch).ok());
  EXPECT_EQ(one.Hold("work").value(), nullptr);
  ASSERT_TRUE(other.Release("work").ok());
  EXPECT_NE(one.Hold("work").value(), nullptr);
  // A clock that has been set back by more than any lease lasts does not keep it for ever.
  clock.Set(kStart - absl::Hours(1));
  EXPECT_NE(other.Hold("work").value(), nullptr);
}

// Reads outside of the transaction: only the lease keeps another process from changing the row.
absl::Status IncrementUnder(const Lease& lease, Store* store) {
  DYNOLITH_ASSIGN_OR_RETURN(const uint64_t before, ReadCount(*store, "n"));
  std::string after;
  AppendBigEndian(before + 1, &after);
  WriteBatch batch;
  batch.Put(Family::kTables, "n", after);
  return lease.Commit(store, batch);
}

TEST(HostileLeases, WhoHasLostALeaseChangesNothing) {
  const auto rows = MakeHostileRows({.seed = 12, .lost = 0.2, .delayed = 0.2});
  ManualClock clock(kStart);
  std::atomic<uint64_t> done = 0;
  RunTogether(3, [&](int thread) {
    const auto store = OpenHostileStore(rows);
    Leases leases(store.get(), &clock);
    std::minstd_rand random(static_cast<unsigned>(thread));
    for (int i = 0; i < 200; ++i) {
      // By far too soon for those who work.
      if (random() % 4 == 0) clock.Advance(kLeaseTime + 2 * kClockDifferenceMax);
      const auto lease = leases.Hold("work").value();
      if (lease == nullptr) continue;
      const absl::Status status = IncrementUnder(*lease, store.get());
      if (status.ok()) ++done;
      EXPECT_TRUE(status.ok() || absl::IsCancelled(status)) << status;
    }
  });
  Calm(rows.get());
  EXPECT_EQ(ReadCount(*OpenHostileStore(rows), "n").value(), done);
  EXPECT_GT(done, 0U);
}

// --- Processes that have ended ---

int CommitRows(const ReadView& rows) {
  int count = 0;
  Cursor cursor = rows.Scan(Family::kMeta, kCommitKeys.begin, kCommitKeys.end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) ++count;
  return count;
}

TEST(EndedProcesses, LeaveNoRows) {
  const auto rows = MakeHostileRows({.seed = 13});
  ManualClock clock(kStart);
  RowLocks locks;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(Increment(OpenHostileStore(rows).get(), &locks, "n").ok());
  }
  const auto store = OpenHostileStore(rows);
  const auto idle = OpenHostileStore(rows);
  ASSERT_TRUE(Increment(idle.get(), &locks, "n").ok());
  Leases leases(store.get(), &clock);
  const auto forget = [&] {
    return ForgetEndedProcesses(store.get(), *leases.Hold("work").value(), clock.Now()).value();
  };
  EXPECT_EQ(forget(), 0);
  clock.Advance(kProcessLife / 2);
  ASSERT_TRUE(NoteAlive(idle.get(), clock.Now()).ok());
  clock.Advance(kProcessLife / 2 + 2 * kClockDifferenceMax);
  EXPECT_EQ(forget(), 5);
  EXPECT_EQ(forget(), 0);
  // Two rows or more of each of the two that are left.
  const int left = CommitRows(*store);
  EXPECT_GE(left, 4);
  // The other one is taken for ended, and lives on.
  clock.Advance(kProcessLife + kClockDifferenceMax);
  EXPECT_EQ(forget(), 1);
  EXPECT_LT(CommitRows(*store), left);
  // A commit whose answer is lost meanwhile cannot be found out, since what would tell is gone.
  uint64_t unsettled = 0;
  for (int i = 0; i < 20; ++i) {
    const absl::Status status = Increment(idle.get(), &locks, "n");
    if (IsNotSettled(status)) {
      ++unsettled;
    } else {
      ASSERT_TRUE(status.ok()) << status;
    }
  }
  EXPECT_LT(unsettled, 10U);
  Calm(rows.get());
  EXPECT_LE(ReadCount(*store, "n").value(), 26U);
  EXPECT_GE(ReadCount(*store, "n").value(), 26U - unsettled);
}

// --- Two databases ---

constexpr HostileOptions kCalm = {.aborted = 0, .lost = 0, .ended = 0};

std::string Key(int h) { return Concat(R"("h": {"N": ")", h, R"("}, "r": {"N": "0"})"); }

TEST(TwoDatabases, OneOfTwoPutsOfAnAbsentItemSucceeds) {
  TwoDatabases town({.seed = 3, .delayed = 0.1});
  constexpr int kItems = 60;
  std::vector<std::atomic<int>> succeeded(kItems);
  RunTogether(4, [&](int thread) {
    for (int i = 0; i < kItems; ++i) {
      const JsonResponse response = town.server(thread).Call(
          "PutItem",
          Concat(R"j({"TableName": "towns", "ConditionExpression": "attribute_not_exists(h)",
                            "Item": {)j",
                 Key(i), R"(, "v": {"N": ")", thread, R"("}}})"));
      if (response.http_status == 200) {
        ++succeeded[i];
      } else {
        EXPECT_THAT(response.body, HasSubstr("ConditionalCheckFailed")) << response.cause;
      }
    }
  });
  for (const std::atomic<int>& count : succeeded) EXPECT_EQ(count, 1);
  EXPECT_EQ(town.Check(), "");
}

TEST(TwoDatabases, ATokenIsUsedOnce) {
  TwoDatabases town({.seed = 4, .delayed = 0.1});
  constexpr int kTokens = 25;
  RunTogether(4, [&](int thread) {
    for (int i = 0; i < kTokens; ++i) {
      const std::string body =
          Concat(R"({"ClientRequestToken": "token-)", i, R"(", "TransactItems": [{"Update": {
             "TableName": "towns", "Key": {)",
                 Key(1), R"(}, "UpdateExpression": "ADD n :1 SET v = :1",
             "ExpressionAttributeValues": {":1": {"N": "1"}}}}]})");
      for (;;) {
        const JsonResponse response = town.server(thread).Call("TransactWriteItems", body);
        if (response.http_status == 200) break;
        ASSERT_THAT(response.body, HasSubstr("TransactionInProgress")) << response.cause;
      }
    }
  });
  const JsonResponse item = town.server(0).Call(
      "GetItem",
      Concat(R"({"TableName": "towns", "ConsistentRead": true, "Key": {)", Key(1), "}}"));
  EXPECT_THAT(item.body, HasSubstr(Concat(R"("n":{"N":")", kTokens, R"("})")));
  EXPECT_EQ(town.Check(), "");
}

// The first server's answer is late, so the client asks another one, beside that commit.
TEST(TwoDatabases, ATokenIsFoundAlsoIfItsConditionFailsByThen) {
  const auto rows = MakeHostileRows(kCalm);
  const auto open = [&] { return WithLongRows(OpenHostileStore(rows)).value(); };
  TwoDatabases town(open);
  std::string put;
  bool is_done = false;
  const Server late(std::make_unique<WatchedStore>(
      open(), WatchedStore::Watch{.after_get = [&](std::string_view key) {
        if (!key.starts_with(kTokenKeys.begin) || std::exchange(is_done, true)) return;
        EXPECT_EQ(town.server(0).Call("TransactWriteItems", put).http_status, 200);
      }}));
  // One that is presumed to hold, and one whose item has to be read.
  for (const std::string absent : {"h", "v"}) {
    const std::string_view key = absent == "h" ? R"("h": {"N": "1"})" : R"("h": {"N": "2"})";
    put = Concat(R"({"ClientRequestToken": "of )", absent, R"j(", "TransactItems": [{"Put": {
        "TableName": "towns", "ConditionExpression": "attribute_not_exists()j",
                 absent, R"j()", "Item": {)j", key, R"(, "r": {"N": "1"}, "v": {"N": "1"}}}}]})");
    is_done = false;
    const JsonResponse again = late.Call("TransactWriteItems", put);
    EXPECT_TRUE(is_done);
    EXPECT_EQ(again.http_status, 200) << again.body;
    // For another request it is refused.
    std::string other = put;
    other.replace(other.find(R"("r": {"N": "1")"), 14, R"("r": {"N": "2")");
    EXPECT_THAT(late.Call("TransactWriteItems", other).body,
                HasSubstr("IdempotentParameterMismatch"));
  }
  EXPECT_EQ(town.Check(), "");
}

TEST(TwoDatabases, AConditionThatFailsIsToldAlsoWithAToken) {
  TwoDatabases town({.seed = 14, .delayed = 0.1});
  const std::string put = Concat(R"j({"TransactItems": [{"Put": {
      "TableName": "towns", "ConditionExpression": "attribute_not_exists(h)", "Item": {)j",
                                 Key(1), R"(}}}], "ClientRequestToken": ")");
  EXPECT_EQ(town.server(0).Call("TransactWriteItems", Concat(put, R"(first"})")).http_status, 200);
  for (const int server : {0, 1}) {
    const JsonResponse refused =
        town.server(server).Call("TransactWriteItems", Concat(put, "second", server, R"("})"));
    EXPECT_THAT(refused.body, HasSubstr("[ConditionalCheckFailed]")) << refused.cause;
    const JsonResponse again =
        town.server(server).Call("TransactWriteItems", Concat(put, R"(first"})"));
    EXPECT_EQ(again.http_status, 200) << again.body;
  }
}

TEST(TwoDatabases, EntriesOfIndexesFollowTheItems) {
  TwoDatabases town({.seed = 5, .delayed = 0.02});
  RunTogether(4, [&](int thread) {
    std::minstd_rand random(static_cast<unsigned>(thread));
    for (int i = 0; i < 150; ++i) {
      const std::string key = Key(static_cast<int>(random() % 8));
      const std::string value = std::to_string(random() % 5);
      JsonResponse response;
      switch (random() % 3) {
        case 0:
          response =
              town.server(thread).Call("PutItem", Concat(R"({"TableName": "towns", "Item": {)", key,
                                                         R"(, "v": {"N": ")", value, R"("}}})"));
          break;
        case 1:
          response = town.server(thread).Call(
              "UpdateItem", Concat(R"({"TableName": "towns", "Key": {)", key,
                                   R"(}, "UpdateExpression": "SET v = :v ADD n :v",
                     "ExpressionAttributeValues": {":v": {"N": ")",
                                   value, R"("}}})"));
          break;
        default:
          response = town.server(thread).Call(
              "DeleteItem", Concat(R"({"TableName": "towns", "Key": {)", key, "}}"));
      }
      ASSERT_EQ(response.http_status, 200) << response.body << response.cause;
    }
  });
  EXPECT_EQ(town.Check(), "");
  if (town.rows() != nullptr) {
    EXPECT_GT(CountsOf(town.rows()).conflicts, 0);
  }
}

TEST(TwoDatabases, OneOfThemSweeps) {
  // In the future of both databases' tables.
  ManualClock clock(absl::FromUnixSeconds(4'000'000'000));
  TwoDatabases town({.seed = 6}, &clock);
  ASSERT_EQ(town.server(0)
                .Call("UpdateTimeToLive", R"({"TableName": "towns", "TimeToLiveSpecification": {
                      "Enabled": true, "AttributeName": "ends"}})")
                .http_status,
            200);
  town.Reopen(1);
  const auto put = [&](int h, absl::Time ends) {
    const JsonResponse response = town.server(h).Call(
        "PutItem", Concat(R"({"TableName": "towns", "Item": {)", Key(h), R"(, "ends": {"N": ")",
                          absl::ToUnixSeconds(ends), R"("}}})"));
    ASSERT_EQ(response.http_status, 200) << response.body << response.cause;
  };
  const auto count = [&] {
    return town.server(1).Call("Scan", R"({"TableName": "towns", "Select": "COUNT"})").body;
  };
  constexpr int kItems = 100;
  for (int h = 0; h < kItems; ++h) put(h, clock.Now() + absl::Seconds(h < 60 ? 5 : 3600));
  // Both follow the clock, and one of them has the lease.
  clock.Advance(absl::Seconds(10));
  EXPECT_THAT(count(), HasSubstr(R"("Count":40)"));
  const auto sweeps = [&](size_t i) {
    return town.server(i).database()->SweepExpiredItems().status();
  };
  EXPECT_EQ(sweeps(0).ok() + sweeps(1).ok(), 1);
  // The end of one of them leaves it to the other one.
  town.Reopen(sweeps(0).ok() ? 0 : 1);
  clock.Advance(absl::Hours(2));
  EXPECT_THAT(count(), HasSubstr(R"("Count":0)"));
  for (size_t i = 0; i < 2; ++i)
    EXPECT_TRUE(town.server(i).database()->TakeBackgroundFailure().ok());
  EXPECT_EQ(town.Check(), "");
}

TEST(TwoDatabases, OneOfThemTransfers) {
  ManualClock clock(absl::FromUnixSeconds(4'000'000'000));
  TwoDatabases town({.seed = 8}, &clock);
  const auto begin = [&](size_t i) {
    return town.server(i).Call("StartBulkPutItems", R"({"TableName": "towns",
        "InputS3Configuration": {"S3Bucket": "no-bucket", "InputFormat": "ION"},
        "OutputS3Configuration": {"S3Bucket": "no-bucket", "OutputType": ["ERROR"]}})");
  };
  // The first one has looked for what was left undone, and may go on at once.
  const JsonResponse refused = begin(1);
  EXPECT_EQ(refused.http_status, 500) << refused.body;
  EXPECT_THAT(refused.cause, HasSubstr("another process"));
  const JsonResponse begun = begin(0);
  EXPECT_EQ(begun.http_status, 200) << begun.body << begun.cause;
  ASSERT_TRUE(town.server(0).database()->WaitForBackfills().ok());
  // Without transfers it keeps the lease no longer.
  clock.Advance(kLeaseTime + 2 * kClockDifferenceMax);
  const JsonResponse other = begin(1);
  EXPECT_EQ(other.http_status, 200) << other.body << other.cause;
  EXPECT_EQ(begin(0).http_status, 500);
  // The end of a process leaves them to others at once.
  ASSERT_TRUE(town.server(1).database()->WaitForBackfills().ok());
  town.Reopen(1);
  EXPECT_EQ(begin(1).http_status, 200);
}

TEST(TwoDatabases, LargeItemsAndLongKeysAreItems) {
  TwoDatabases town({.seed = 6,
                     .limits = {.key_bytes = 2'600,
                                .value_bytes = 100'000,
                                .batch_bytes = 2'000'000,
                                .transaction_time = absl::Seconds(5)}});
  // Zero bytes are escaped: the index row has some 12 kB of key.
  const std::string create = R"({"TableName": "long", "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "B"},
      {"AttributeName": "b", "AttributeType": "B"}, {"AttributeName": "c", "AttributeType": "B"}],
    "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}],
    "GlobalSecondaryIndexes": [{"IndexName": "by_c", "Projection": {"ProjectionType": "ALL"},
      "KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}]}]})";
  const auto made = town.server(0).Call("CreateTable", create);
  ASSERT_EQ(made.http_status, 200) << made.body;
  const std::string zeros_2048 = std::string(2728, 'A') + "AAA=";  // of base64
  const std::string zeros_1021 = std::string(1360, 'A') + "AA";
  const auto key = [&](int i) {
    return Concat(R"("a": {"B": ")", zeros_2048, R"("}, "b": {"B": ")", zeros_1021,
                  i % 10 == 0 ? "AA" : Concat("A", static_cast<char>('A' + i % 10)), R"("})");
  };
  std::string writes;
  for (int i = 0; i < 8; ++i) {
    writes +=
        Concat(i == 0 ? "" : ", ", R"({"PutRequest": {"Item": {)", key(i), R"(, "c": {"B": ")",
               zeros_2048, R"("}, "s": {"S": ")", std::string(350'000, 'x'), R"("}}}})");
  }
  // More than a batch of the store takes.
  const auto put = town.server(0).Call("BatchWriteItem",
                                       Concat(R"({"RequestItems": {"long": [)", writes, "]}}"));
  ASSERT_EQ(put.http_status, 200) << put.body << put.cause;
  const std::string query = Concat(
      R"({"TableName": "long", "IndexName": "by_c", "ProjectionExpression": "b", "Limit": 2,
          "ScanIndexForward": false, "KeyConditionExpression": "c = :c",
          "ExpressionAttributeValues": {":c": {"B": ")",
      zeros_2048, R"("}}})");
  const auto page = town.server(1).Call("Query", query);
  EXPECT_THAT(page.body, AllOf(HasSubstr(R"("Count":2)"), HasSubstr(Concat(zeros_1021, "AH")),
                               HasSubstr("LastEvaluatedKey")))
      << page.cause;
  const auto got = town.server(1).Call(
      "GetItem", Concat(R"({"TableName": "long", "ConsistentRead": true, "Key": {)", key(3), "}}"));
  EXPECT_THAT(got.body, HasSubstr(std::string(350'000, 'x'))) << got.cause;
  const auto gone =
      town.server(1).Call("DeleteItem", Concat(R"({"TableName": "long", "Key": {)", key(3), "}}"));
  EXPECT_EQ(gone.http_status, 200) << gone.body << gone.cause;
  // A transaction is one commit. The given store, PostgreSQL, takes one that is as large as it may
  // be.
  std::string items;
  for (int i = 0; i < 3; ++i) {
    items += Concat(i == 0 ? "" : ", ", R"({"Put": {"TableName": "long", "Item": {)", key(i),
                    R"(, "c": {"B": "AAAA"}, "s": {"S": ")", std::string(380'000, 'y'), R"("}}}})");
  }
  const auto written =
      town.server(0).Call("TransactWriteItems", Concat(R"({"TransactItems": [)", items, "]}"));
  if (town.rows() == nullptr) {
    EXPECT_EQ(written.http_status, 200) << written.body << written.cause;
  } else {
    EXPECT_THAT(written.body,
                AllOf(HasSubstr("ValidationException"), HasSubstr("too large for the store")));
  }
  EXPECT_EQ(town.Check(), "");
}

TEST(TwoDatabases, WhatTheStoreCannotDoIsRefused) {
  TwoDatabases town({.aborted = 0, .lost = 0, .ended = 0});
  EXPECT_EQ(town.server(0).database()->Checkpoint("/nowhere").code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(town.Check(), "");
}

TEST(TwoDatabases, BackupsGoOnWhereASnapshotHasEnded) {
  TwoDatabases town({.seed = 8, .ended = 0.15});
  constexpr int kItems = 60;
  for (int i = 0; i < kItems; ++i) {
    const auto put = town.server(i).Call(
        "PutItem", Concat(R"({"TableName": "towns", "Item": {)", Key(i), R"(, "v": {"N": "1"}}})"));
    ASSERT_EQ(put.http_status, 200) << put.body << put.cause;
  }
  const auto made =
      town.server(0).Call("CreateBackup", R"({"TableName": "towns", "BackupName": "all"})");
  ASSERT_EQ(made.http_status, 200) << made.body << made.cause;
  const size_t begin = made.body.find("arn:");
  const std::string arn = made.body.substr(begin, made.body.find('"', begin) - begin);
  // The other one knows it at once.
  const auto restored =
      town.server(1).Call("RestoreTableFromBackup",
                          Concat(R"({"TargetTableName": "copy", "BackupArn": ")", arn, R"("})"));
  ASSERT_EQ(restored.http_status, 200) << restored.body << restored.cause;
  const auto count = town.server(0).Call("Scan", R"({"TableName": "copy", "Select": "COUNT"})");
  EXPECT_THAT(count.body, HasSubstr(Concat(R"("Count":)", kItems, ","))) << count.cause;
  EXPECT_EQ(town.Check(), "");
}

// --- Tables that another process changes ---

std::string CreateCities(std::string_view key) {
  return Concat(R"({"TableName": "cities", "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": ")",
                key, R"(", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": ")",
                key, R"(", "KeyType": "HASH"}]})");
}
constexpr std::string_view kDropCities = R"({"TableName": "cities"})";

struct CityCall {
  std::string_view operation;
  std::string_view body;
};
constexpr CityCall kCityCalls[] = {
    {"GetItem", R"({"TableName": "cities", "Key": {"c": {"S": "a"}}})"},
    {"PutItem", R"({"TableName": "cities", "Item": {"c": {"S": "a"}}})"},
    {"PutItem", R"j({"TableName": "cities", "Item": {"c": {"S": "a"}},
                   "ConditionExpression": "attribute_not_exists(c)"})j"},
    {"UpdateItem", R"({"TableName": "cities", "Key": {"c": {"S": "a"}}})"},
    {"DeleteItem", R"({"TableName": "cities", "Key": {"c": {"S": "a"}}})"},
    {"Query", R"({"TableName": "cities", "KeyConditionExpression": "c = :c",
                  "ExpressionAttributeValues": {":c": {"S": "a"}}})"},
    {"Scan", R"({"TableName": "cities"})"},
    {"BatchGetItem", R"({"RequestItems": {"cities": {"Keys": [{"c": {"S": "a"}}]}}})"},
    {"BatchWriteItem",
     R"({"RequestItems": {"cities": [{"PutRequest": {"Item": {"c": {"S": "a"}}}}]}})"},
    {"TransactGetItems",
     R"({"TransactItems": [{"Get": {"TableName": "cities", "Key": {"c": {"S": "a"}}}}]})"},
    {"TransactWriteItems",
     R"({"TransactItems": [{"Put": {"TableName": "cities", "Item": {"c": {"S": "a"}}}}]})"},
    {"ExecuteStatement", R"({"Statement": "SELECT * FROM cities WHERE c = 'a'"})"},
    {"ExecuteStatement", R"({"Statement": "INSERT INTO cities VALUE {'c': 'a'}"})"},
    {"BatchExecuteStatement",
     R"({"Statements": [{"Statement": "INSERT INTO cities VALUE {'c': 'a'}"}]})"},
    {"DescribeTable", R"({"TableName": "cities"})"},
    {"DescribeTimeToLive", R"({"TableName": "cities"})"},
};

TEST(TablesOfOthers, CanBeUsedAtOnceAndAreGoneAtOnce) {
  TwoDatabases town(kCalm);
  for (const CityCall& call : kCityCalls) {
    const auto made = town.server(0).Call("CreateTable", CreateCities("c"));
    ASSERT_EQ(made.http_status, 200) << made.body << made.cause;
    const auto used = town.server(1).Call(call.operation, call.body);
    EXPECT_EQ(used.http_status, 200) << call.operation << used.body << used.cause;
    EXPECT_THAT(used.body, Not(HasSubstr("NotFound"))) << call.operation;
    ASSERT_EQ(town.server(0).Call("DeleteTable", kDropCities).http_status, 200);
    const auto gone = town.server(1).Call(call.operation, call.body);
    EXPECT_THAT(gone.body, HasSubstr("ResourceNotFound")) << call.operation << gone.cause;
  }
  EXPECT_EQ(town.server(1).Call("ListTables", "{}").body, R"({"TableNames":["towns"]})");
  EXPECT_EQ(town.Check(), "");
}

TEST(TablesOfOthers, AreUsedWithTheKeyThatTheyHaveNow) {
  TwoDatabases town(kCalm);
  ASSERT_EQ(town.server(0).Call("CreateTable", CreateCities("c")).http_status, 200);
  const std::string_view old_put = R"({"TableName": "cities", "Item": {"c": {"S": "a"}}})";
  const std::string_view old_get = R"({"TableName": "cities", "Key": {"c": {"S": "a"}}})";
  const std::string_view new_get = R"({"TableName": "cities", "Key": {"d": {"S": "a"}}})";
  ASSERT_EQ(town.server(1).Call("PutItem", old_put).http_status, 200);
  ASSERT_EQ(town.server(0).Call("DeleteTable", kDropCities).http_status, 200);
  ASSERT_EQ(town.server(0).Call("CreateTable", CreateCities("d")).http_status, 200);
  // Each of the first calls finds the old table in its own catalog.
  EXPECT_THAT(town.server(1).Call("GetItem", old_get).body, HasSubstr("ValidationException"));
  EXPECT_EQ(town.server(1).Call("GetItem", new_get).body, "{}");
  EXPECT_THAT(town.server(1).Call("PutItem", old_put).body, HasSubstr("ValidationException"));
  ASSERT_EQ(town.server(1).Call("DeleteTable", kDropCities).http_status, 200);
  ASSERT_EQ(town.server(1).Call("CreateTable", CreateCities("c")).http_status, 200);
  EXPECT_EQ(town.server(0).Call("GetItem", old_get).body, "{}");
  EXPECT_EQ(town.server(0).Call("PutItem", old_put).http_status, 200);
  EXPECT_EQ(town.Check(), "");
}

TEST(TablesOfOthers, AreNotTakenForTheirSuccessors) {
  const std::shared_ptr<HostileRows> rows = MakeHostileRows(kCalm);
  const auto open = [&] { return WithLongRows(OpenHostileStore(rows)).value(); };
  // Of clocks of their own: the second one looks later whether a deletion is due.
  ManualClock clocks[] = {ManualClock(absl::FromUnixSeconds(1'700'000'000)),
                          ManualClock(absl::FromUnixSeconds(1'700'000'000))};
  const TableDelays delays = {.remove = absl::Seconds(10)};
  const Server first(open(), &clocks[0], delays);
  const Server second(open(), &clocks[1], delays);
  ASSERT_EQ(first.Call("CreateTable", CreateCities("c")).http_status, 200);
  ASSERT_EQ(first.Call("DeleteTable", kDropCities).http_status, 200);
  EXPECT_THAT(second.Call("DescribeTable", kDropCities).body, HasSubstr("DELETING"));
  clocks[0].Advance(absl::Seconds(11));
  ASSERT_EQ(first.Call("CreateTable", CreateCities("c")).http_status, 200);
  const std::string_view put = R"({"TableName": "cities", "Item": {"c": {"S": "a"}}})";
  ASSERT_EQ(first.Call("PutItem", put).http_status, 200);
  clocks[1].Advance(absl::Seconds(11));
  const std::string_view get = R"({"TableName": "cities", "Key": {"c": {"S": "a"}}})";
  EXPECT_EQ(second.Call("GetItem", get).body, R"({"Item":{"c":{"S":"a"}}})");
  EXPECT_EQ(first.Call("GetItem", get).body, R"({"Item":{"c":{"S":"a"}}})");
  EXPECT_EQ(CheckServer(second), "");
}

TEST(TablesOfOthers, GetIndexesThatAllWritersMaintain) {
  TwoDatabases town({.seed = 11, .delayed = 0.02});
  std::atomic<bool> is_filled = false;
  std::thread changes([&] {
    const auto made = town.server(0).Call("UpdateTable", R"({"TableName": "towns",
          "AttributeDefinitions": [{"AttributeName": "r", "AttributeType": "N"}],
          "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "late",
            "KeySchema": [{"AttributeName": "r", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"}}}]})");
    EXPECT_EQ(made.http_status, 200) << made.body << made.cause;
    EXPECT_TRUE(town.server(0).database()->WaitForBackfills().ok());
    is_filled = true;
  });
  RunTogether(4, [&](int thread) {
    for (int i = 0; i < 40 || !is_filled; ++i) {
      const std::string key = Key(thread * 1000 + i % 50);
      const auto response =
          i % 7 == 6 ? town.server(thread).Call(
                           "DeleteItem", Concat(R"({"TableName": "towns", "Key": {)", key, "}}"))
                     : town.server(thread).Call(
                           "UpdateItem", Concat(R"({"TableName": "towns", "Key": {)", key,
                                                R"(}, "UpdateExpression": "ADD n :v SET v = :v",
                      "ExpressionAttributeValues": {":v": {"N": ")",
                                                i, R"("}}})"));
      ASSERT_EQ(response.http_status, 200) << response.body << response.cause;
    }
  });
  changes.join();
  const auto described = town.server(1).Call("DescribeTable", R"({"TableName": "towns"})");
  EXPECT_THAT(described.body, HasSubstr(R"("IndexName":"late")"));
  EXPECT_THAT(described.body, Not(HasSubstr("CREATING")));
  EXPECT_EQ(town.Check(), "");
}

TEST(TablesOfOthers, AreMadeOnceByManyWhoTry) {
  TwoDatabases town({.seed = 12, .delayed = 0.02});
  constexpr int kRounds = 6;
  std::atomic<int> made = 0;
  std::atomic<int> dropped = 0;
  RunTogether(4, [&](int thread) {
    for (int i = 0; i < kRounds; ++i) {
      const auto create = town.server(thread).Call("CreateTable", CreateCities("c"));
      if (create.http_status == 200) ++made;
      EXPECT_THAT(create.body, AnyOf(HasSubstr("TableDescription"), HasSubstr("ResourceInUse")))
          << create.cause;
      const auto put = town.server(thread).Call(
          "PutItem", R"({"TableName": "cities", "Item": {"c": {"S": "a"}}})");
      EXPECT_TRUE(put.http_status == 200 || put.body.find("ResourceNotFound") != std::string::npos)
          << put.body << put.cause;
      const auto drop = town.server(thread).Call("DeleteTable", kDropCities);
      if (drop.http_status == 200) ++dropped;
      // In use while the other one drops it.
      EXPECT_THAT(drop.body, AnyOf(HasSubstr("TableDescription"), HasSubstr("ResourceNotFound"),
                                   HasSubstr("ResourceInUse")))
          << drop.cause;
    }
  });
  EXPECT_EQ(made, dropped);
  EXPECT_EQ(town.server(1).Call("ListTables", "{}").body, R"({"TableNames":["towns"]})");
  EXPECT_EQ(town.Check(), "");
}

// Why: a process may see its own change in the store before it has counted it, and takes it for
// another process's. Read then, it is older than what this process changes meanwhile.
TEST(TablesOfOthers, AreNotReadBackOverOwnChanges) {
  TwoDatabases town({.seed = 13});
  std::atomic<bool> is_over = false;
  RunTogether(3, [&](int thread) {
    for (int i = 0; thread == 0 && i < 300; ++i) {
      for (const auto& [operation, body] :
           {std::pair<std::string_view, std::string>("CreateTable", CreateCities("c")),
            std::pair<std::string_view, std::string>("DeleteTable", kDropCities)}) {
        const auto response = town.server(0).Call(operation, body);
        EXPECT_EQ(response.http_status, 200) << i << response.body << response.cause;
      }
    }
    if (thread == 0) is_over = true;
    while (!is_over) town.server(0).Call("ListTables", "{}");
  });
  EXPECT_EQ(town.server(0).Call("ListTables", "{}").body, R"({"TableNames":["towns"]})");
  EXPECT_EQ(town.Check(), "");
}

// --- Rows of ids that no table has any more ---

// Of items and entries of indexes.
int RowsOfIds(const ReadView& rows, const std::set<StorageId>& ids) {
  int count = 0;
  for (const Family family : {Family::kTables, Family::kGlobalIndexes, Family::kLocalIndexes}) {
    for (const StorageId id : ids) {
      Cursor cursor = rows.Scan(family, RowIdPrefix(id), RowIdPrefix(id + 1), Direction::kForward);
      for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) ++count;
      EXPECT_TRUE(cursor.status().ok()) << cursor.status();
    }
  }
  return count;
}

int UnownedIds(const ReadView& rows) {
  int count = 0;
  Cursor cursor =
      rows.Scan(Family::kMeta, kUnownedIdKeys.begin, kUnownedIdKeys.end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) ++count;
  EXPECT_TRUE(cursor.status().ok()) << cursor.status();
  return count;
}

std::set<StorageId> IdsOf(const TableSchema& schema) {
  std::set<StorageId> ids = {schema.id};
  for (const IndexSchema& index : schema.indexes) ids.insert(index.id);
  return ids;
}

// Both follow the clock, and one of them has the lease of housekeeping.
class UnownedRows : public ::testing::Test {
 protected:
  // More than one commit deletes.
  static constexpr int kItems = 300;

  UnownedRows() : clock_(absl::FromUnixSeconds(4'000'000'000)), town_({.seed = 14}, &clock_) {
    for (int i = 0; i < kItems; i += 25) PutItems(i);
  }

  void PutItems(int first) {
    std::string puts;
    for (int i = first; i < first + 25; ++i) {
      puts += Concat(i == first ? "" : ", ", R"({"PutRequest": {"Item": {)", Key(i),
                     R"(, "v": {"N": "1"}}}})");
    }
    const auto put = town_.server(0).Call("BatchWriteItem",
                                          Concat(R"({"RequestItems": {"towns": [)", puts, "]}}"));
    ASSERT_EQ(put.http_status, 200) << put.body << put.cause;
  }

  const Store& store() const { return *town_.server(1).database()->store(); }
  std::set<StorageId> IdsOfTowns() const {
    return IdsOf(town_.server(0).database()->catalog()->Find("towns")->meta()->schema);
  }
  void DropTowns(size_t server) {
    const auto dropped = town_.server(server).Call("DeleteTable", R"({"TableName": "towns"})");
    ASSERT_EQ(dropped.http_status, 200) << dropped.body << dropped.cause;
  }
  void ExpectNoFailure() {
    for (size_t i = 0; i < 2; ++i) {
      const absl::Status failure = town_.server(i).database()->TakeBackgroundFailure();
      EXPECT_TRUE(failure.ok()) << failure;
    }
  }

  ManualClock clock_;
  TwoDatabases town_;
};

TEST_F(UnownedRows, OfADroppedTableGoAlsoIfItsProcessHasEnded) {
  const std::set<StorageId> ids = IdsOfTowns();
  ASSERT_EQ(RowsOfIds(store(), ids), 3 * kItems);
  // One of them may have the lease: its end gives it back.
  DropTowns(0);
  town_.Reopen(0);
  EXPECT_EQ(UnownedIds(store()), 3);
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(RowsOfIds(store(), ids), 0);
  EXPECT_EQ(UnownedIds(store()), 0);
  ExpectNoFailure();
  EXPECT_EQ(town_.Check(), "");
}

TEST_F(UnownedRows, OfADroppedIndexGo) {
  const StorageId id =
      town_.server(0).database()->catalog()->Find("towns")->meta()->schema.indexes[0].id;
  ASSERT_EQ(RowsOfIds(store(), {id}), kItems);
  const auto dropped = town_.server(1).Call("UpdateTable", R"({"TableName": "towns",
      "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "global"}}]})");
  ASSERT_EQ(dropped.http_status, 200) << dropped.body << dropped.cause;
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(RowsOfIds(store(), {id}), 0);
  EXPECT_EQ(UnownedIds(store()), 0);
  ExpectNoFailure();
  EXPECT_EQ(town_.Check(), "");
}

TEST_F(UnownedRows, StayAsLongAsTheirProcessUsesThem) {
  const std::set<StorageId> ids = IdsOfTowns();
  Catalog* const catalog = town_.server(0).database()->catalog();
  {
    const std::shared_ptr<Table> table = catalog->Find("towns");
    IdLease lease;
    {
      const SpreadMutex::ReadScope gate(&table->gate);
      lease = catalog->LeaseRows(*table);
    }
    DropTowns(0);
    clock_.Advance(absl::Seconds(1));
    // Those of its indexes are gone.
    EXPECT_EQ(RowsOfIds(store(), ids), kItems);
    EXPECT_EQ(UnownedIds(store()), 1);
  }
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(RowsOfIds(store(), ids), 0);
  EXPECT_EQ(UnownedIds(store()), 0);
  ExpectNoFailure();
}

// A table that is filled before it exists.
struct Unfinished {
  explicit Unfinished(std::unique_ptr<SharedStore> given) : store(std::move(given)) {
    catalog = Catalog::Load(store.get()).value();
    meta.schema.name = "late";
    meta.schema.key.hash = {{"p"}};
    meta.attribute_definitions = {{"p"}};
    lease = catalog->LeaseNewIds(&meta.schema).value();
    WriteBatch batch;
    for (int i = 0; i < 10; ++i) {
      batch.Put(Family::kTables, Concat(RowIdPrefix(meta.schema.id), i), "v");
    }
    EXPECT_TRUE(store->Commit(batch).ok());
  }
  std::set<StorageId> ids() const { return {meta.schema.id}; }

  std::unique_ptr<SharedStore> store;
  std::unique_ptr<Catalog> catalog;
  TableMeta meta;
  IdLease lease;
};

TEST_F(UnownedRows, OfATableThatIsBeingFilledStayAndBecomeItsOwn) {
  Unfinished late(town_.OpenStore());
  ASSERT_TRUE(NoteAlive(late.store.get(), clock_.Now()).ok());
  clock_.Advance(absl::Minutes(2));
  EXPECT_EQ(RowsOfIds(store(), late.ids()), 10);
  const auto table = late.catalog->CreateFilled(late.meta);
  ASSERT_TRUE(table.ok()) << table.status();
  late.lease = IdLease();
  clock_.Advance(absl::Minutes(2));
  EXPECT_EQ(RowsOfIds(store(), late.ids()), 10);
  EXPECT_EQ(UnownedIds(store()), 0);
  ExpectNoFailure();
}

TEST_F(UnownedRows, OfATableThatWasBeingFilledGoWithItsProcess) {
  Unfinished late(town_.OpenStore());
  ASSERT_TRUE(NoteAlive(late.store.get(), clock_.Now()).ok());
  clock_.Advance(kProcessLife / 2);
  EXPECT_EQ(RowsOfIds(store(), late.ids()), 10);
  clock_.Advance(kProcessLife / 2 + 2 * kClockDifferenceMax);
  EXPECT_EQ(RowsOfIds(store(), late.ids()), 0);
  // It was asleep, and goes on: no table appears that lacks its rows.
  const auto table = late.catalog->CreateFilled(late.meta);
  EXPECT_TRUE(absl::IsUnavailable(table.status())) << table.status();
  EXPECT_THAT(MessageOf(table.status()), HasSubstr("took it for ended"));
  // What it writes after that goes with the end of its lease.
  WriteBatch batch;
  batch.Put(Family::kTables, Concat(RowIdPrefix(late.meta.schema.id), "x"), "v");
  absl::Status committed = late.store->Commit(batch);
  // Its answer may be lost, and what would tell is gone.
  while (IsNotSettled(committed)) committed = late.store->Commit(batch);
  ASSERT_TRUE(committed.ok()) << committed;
  late.lease = IdLease();
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(RowsOfIds(store(), late.ids()), 0);
  EXPECT_EQ(UnownedIds(store()), 0);
  ExpectNoFailure();
}

// A step of filling that the store refuses is tried again, each time after a pause.
TEST(HostileBackfill, GoesOnWhenTheStoreIsBack) {
  TwoDatabases town(kCalm);
  ASSERT_EQ(town.server(0).Call("CreateTable", CreateCities("c")).http_status, 200);
  ASSERT_EQ(town.server(0)
                .Call("PutItem", R"({"TableName": "cities", "Item": {"c": {"S": "a"},
                    "r": {"N": "7"}}})")
                .http_status,
            200);
  Refuse(town.rows(), Family::kGlobalIndexes);
  const absl::Time began = absl::Now();
  ASSERT_EQ(town.server(0)
                .Call("UpdateTable", R"({"TableName": "cities",
          "AttributeDefinitions": [{"AttributeName": "r", "AttributeType": "N"}],
          "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "late",
            "KeySchema": [{"AttributeName": "r", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"}}}]})")
                .http_status,
            200);
  int64_t refused = 0;
  while ((refused = CountsOf(town.rows()).refused) < 3) absl::SleepFor(absl::Milliseconds(10));
  // A pause of a second before each try again, which asks the store once more at most, if it finds
  // that the tables have changed.
  EXPECT_LE(absl::Seconds((refused - 1) / 2), absl::Now() - began);
  Refuse(town.rows(), std::nullopt);
  ASSERT_TRUE(town.server(0).database()->WaitForBackfills().ok());
  const auto found = town.server(0).Call("Query", R"({"TableName": "cities", "IndexName": "late",
      "KeyConditionExpression": "r = :r", "ExpressionAttributeValues": {":r": {"N": "7"}}})");
  EXPECT_THAT(found.body, HasSubstr(R"("Count":1)"));
  EXPECT_EQ(town.Check(), "");
}

// --- Round trips (engine/store/README.md has the table) ---

class RoundTrips : public ::testing::Test {
 protected:
  RoundTrips() : town_(kCalm) {
    Of("CreateTable", CreateCities("c"));
    Of("PutItem", R"({"TableName": "cities", "Item": {"c": {"S": "there"}}})");
    for (int i = 0; i < 20; ++i) {
      Of("PutItem",
         Concat(R"({"TableName": "towns", "Item": {"h": {"N": "1"}, "r": {"N": ")", i,
                R"("}, "v": {"N": "7"}, "s": {"S": ")", std::string(3'000, 'x'), R"("}}})"));
    }
  }

  int64_t Of(std::string_view operation, std::string_view body, size_t server = 0) {
    const int64_t before = RoundTripsOfThread();
    const JsonResponse response = town_.server(server).Call(operation, body);
    answer_ = response.body;
    if (response.http_status != 200) answer_ += response.cause;
    return RoundTripsOfThread() - before;
  }
  // By the other server, so that this one does not know what is there.
  void Other(std::string_view operation, std::string_view body) {
    Of(operation, body, 1);
    EXPECT_THAT(answer_, Not(HasSubstr("Exception")));
  }

  TwoDatabases town_;
  std::string answer_;
};

std::string OnCity(std::string_view member, std::string_view city, std::string_view more) {
  return Concat(R"({"TableName": "cities", ")", member, R"(": {"c": {"S": ")", city, R"("}})",
                more.empty() ? "" : ", ", more, "}");
}
constexpr std::string_view kIfAbsent = R"j("ConditionExpression": "attribute_not_exists(c)")j";
constexpr std::string_view kIfThere = R"j("ConditionExpression": "attribute_exists(c)")j";

TEST_F(RoundTrips, OfWritesToATableWithRecovery) {
  ManualClock clock(absl::FromUnixSeconds(4'000'000'000));
  TwoDatabases town(kCalm, &clock);
  const auto of = [&](std::string_view operation, std::string_view body) {
    const int64_t before = RoundTripsOfThread();
    const JsonResponse done = town.server(0).Call(operation, body);
    EXPECT_EQ(done.http_status, 200) << done.body << done.cause;
    return RoundTripsOfThread() - before;
  };
  of("UpdateContinuousBackups", R"({"TableName": "towns",
      "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}})");
  const std::string put = Concat(R"({"TableName": "towns", "Item": {)", Key(1), "}}");
  // A second begins with two. The old item is read, and goes with the commit as the record.
  EXPECT_EQ(of("PutItem", put), 4);
  EXPECT_EQ(of("PutItem", Concat(R"({"TableName": "towns", "Item": {)", Key(2), "}}")), 2);
  // The same item in the same second: it is as believed, but whether there is a record is asked.
  EXPECT_EQ(of("PutItem",
               Concat(R"({"TableName": "towns", "Item": {)", Key(2), R"(, "n": {"N": "1"}}})")),
            2);
  // Two for the new second, in which nobody has tried to write that record.
  clock.Advance(absl::Seconds(1));
  EXPECT_EQ(of("DeleteItem", Concat(R"({"TableName": "towns", "Key": {)", Key(2), "}}")), 3);
  // One that is not as believed: the attempt, the item, its record, and the commit.
  const JsonResponse other = town.server(1).Call(
      "PutItem", Concat(R"({"TableName": "towns", "Item": {)", Key(1), R"(, "n": {"N": "2"}}})"));
  EXPECT_EQ(other.http_status, 200) << other.body << other.cause;
  EXPECT_EQ(of("DeleteItem", Concat(R"({"TableName": "towns", "Key": {)", Key(1), "}}")), 4);
}

TEST_F(RoundTrips, OfWrites) {
  EXPECT_EQ(Of("BatchWriteItem", R"({"RequestItems": {"cities": [
                  {"PutRequest": {"Item": {"c": {"S": "a"}}}},
                  {"PutRequest": {"Item": {"c": {"S": "b2"}}}}]}})"),
            1);
  EXPECT_EQ(Of("PutItem", OnCity("Item", "a", "")), 1);
  EXPECT_EQ(Of("DeleteItem", OnCity("Key", "a", "")), 1);
  EXPECT_EQ(Of("PutItem", OnCity("Item", "a", kIfAbsent)), 1);
  EXPECT_EQ(Of("PutItem", OnCity("Item", "a", kIfThere)), 1);
  EXPECT_EQ(Of("DeleteItem", OnCity("Key", "a", kIfThere)), 1);
  EXPECT_EQ(Of("UpdateItem", OnCity("Key", "a", kIfAbsent)), 1);
  Other("PutItem", OnCity("Item", "b3", ""));
  EXPECT_EQ(Of("UpdateItem", OnCity("Key", "b3", kIfThere)), 2);
  EXPECT_EQ(Of("ExecuteStatement", R"({"Statement": "INSERT INTO cities VALUE {'c': 'b'}"})"), 1);
  // Of an index, too: what is replaced is known.
  EXPECT_EQ(Of("PutItem", R"j({"TableName": "towns", "Item": {"h": {"N": "2"}, "r": {"N": "1"},
                  "v": {"N": "7"}}, "ConditionExpression": "attribute_not_exists(h)"})j"),
            1);
  Other("PutItem", R"({"TableName": "towns", "Item": {"h": {"N": "2"}, "r": {"N": "2"},
                  "v": {"N": "7"}}})");
  EXPECT_EQ(Of("PutItem", R"({"TableName": "towns", "Item": {"h": {"N": "2"}, "r": {"N": "2"},
                  "v": {"N": "8"}}})"),
            2);
  std::string puts;
  std::string updates;
  std::string checks;
  for (int i = 0; i < 5; ++i) {
    const std::string_view comma = i == 0 ? "" : ", ";
    const std::string city = Concat("t", i);
    puts += Concat(comma, R"({"Put": )", OnCity("Item", city, ""), "}");
    updates +=
        Concat(comma, R"({"Update": )", OnCity("Key", city, R"("UpdateExpression": "SET n = :n",
                        "ExpressionAttributeValues": {":n": {"N": "1"}})"),
               "}");
    checks += Concat(comma, R"({"Put": )", OnCity("Item", Concat("u", i), kIfAbsent), "}");
  }
  Other("TransactWriteItems", Concat(R"({"TransactItems": [)", puts, "]}"));
  EXPECT_EQ(Of("TransactWriteItems", Concat(R"({"TransactItems": [)", checks, "]}")), 1);
  EXPECT_EQ(Of("TransactWriteItems", Concat(R"({"TransactItems": [)", updates, "]}")), 2);
  EXPECT_EQ(Of("TransactWriteItems", Concat(R"({"TransactItems": [)", puts, "]}")), 1);
  EXPECT_EQ(town_.Check(), "");
}

std::string CheckAndPut(std::string_view checked, std::string_view condition,
                        std::string_view put) {
  return Concat(R"({"TransactItems": [{"ConditionCheck": )", OnCity("Key", checked, condition),
                R"(}, {"Put": )", OnCity("Item", put, kIfAbsent), "}]}");
}

TEST_F(RoundTrips, OfChecksOfOtherItems) {
  Other("PutItem", OnCity("Item", "parent", ""));
  EXPECT_EQ(Of("TransactWriteItems", CheckAndPut("parent", kIfThere, "child")), 1);
  EXPECT_EQ(answer_, "{}");
  EXPECT_EQ(Of("TransactWriteItems", CheckAndPut("absent", kIfAbsent, "child 2")), 1);
  EXPECT_EQ(answer_, "{}");
  // Of several items a failure is confirmed, and it might be that of a table that has changed.
  EXPECT_EQ(Of("TransactWriteItems", CheckAndPut("absent", kIfThere, "child 3")), 4);
  EXPECT_THAT(answer_, HasSubstr("[ConditionalCheckFailed, None]"));
  Other("DeleteItem", OnCity("Key", "parent", ""));
  Of("TransactWriteItems", CheckAndPut("parent", kIfThere, "child"));
  EXPECT_THAT(answer_, HasSubstr("[ConditionalCheckFailed, ConditionalCheckFailed]"));
}

std::string SetNumber(std::string_view city, int number) {
  return OnCity("Key", city,
                Concat(R"("UpdateExpression": "SET n = :n",
      "ExpressionAttributeValues": {":n": {"N": ")",
                       number, R"("}})"));
}
constexpr std::string_view kIfOne = R"("ConditionExpression": "n = :n",
    "ExpressionAttributeValues": {":n": {"N": "1"}})";

// Of an item that is only checked it is found out, too, what is in it.
TEST_F(RoundTrips, OfChecksOfWhatIsInOtherItems) {
  Of("PutItem", OnCity("Item", "parent", ""));
  for (const char* city : {"parent", "unknown"}) Other("UpdateItem", SetNumber(city, 1));
  EXPECT_EQ(Of("TransactWriteItems", CheckAndPut("parent", kIfOne, "child")), 3);
  EXPECT_EQ(answer_, "{}");
  EXPECT_EQ(Of("TransactWriteItems", CheckAndPut("parent", kIfOne, "child 2")), 1);
  EXPECT_EQ(answer_, "{}");
  EXPECT_EQ(Of("TransactWriteItems", CheckAndPut("unknown", kIfOne, "child 3")), 2);
  EXPECT_EQ(Of("TransactWriteItems", CheckAndPut("unknown", kIfOne, "child 4")), 1);
  EXPECT_EQ(answer_, "{}");
  // Whatever is in it: that stays believed.
  EXPECT_EQ(Of("TransactWriteItems", CheckAndPut("unknown", kIfThere, "child 5")), 1);
  EXPECT_EQ(Of("TransactWriteItems", CheckAndPut("unknown", kIfOne, "child 6")), 1);
  Other("DeleteItem", OnCity("Key", "parent", ""));
  EXPECT_EQ(Of("TransactWriteItems", CheckAndPut("parent", kIfAbsent, "child 7")), 3);
  EXPECT_EQ(answer_, "{}");
  EXPECT_EQ(Of("TransactWriteItems", CheckAndPut("parent", kIfAbsent, "child 8")), 1);
}

// With a condition on the version that it has.
std::string PutVersion(std::string_view key, int from, int to) {
  return Concat(R"({"TableName": "towns", "Item": {)", key, R"(, "v": {"N": ")", to, R"("}},
      "ConditionExpression": "v = :v", "ExpressionAttributeValues": {":v": {"N": ")",
                from, R"("}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"})");
}

// What the process has written or read last is presumed, also for the entries of indexes.
TEST_F(RoundTrips, OfRowsThatAreAsBelieved) {
  const std::string key = R"("h": {"N": "5"}, "r": {"N": "5"})";
  const std::string update =
      Concat(R"({"TableName": "towns", "Key": {)", key, R"(}, "UpdateExpression": "ADD v :v",
          "ExpressionAttributeValues": {":v": {"N": "1"}}, "ReturnValues": "ALL_NEW"})");
  const std::string drop =
      Concat(R"({"TableName": "towns", "Key": {)", key, R"(}, "ReturnValues": "ALL_OLD"})");
  Other("PutItem", Concat(R"({"TableName": "towns", "Item": {)", key, R"(, "v": {"N": "1"}}})"));
  EXPECT_EQ(Of("PutItem", PutVersion(key, 1, 2)), 2);
  EXPECT_EQ(Of("PutItem", PutVersion(key, 2, 3)), 1);
  EXPECT_EQ(answer_, "{}");
  EXPECT_EQ(Of("PutItem", PutVersion(key, 2, 9)), 1);
  EXPECT_THAT(answer_, AllOf(HasSubstr("ConditionalCheckFailed"), HasSubstr(R"("v":{"N":"3"})")));
  EXPECT_EQ(Of("UpdateItem", update), 1);
  EXPECT_THAT(answer_, HasSubstr(R"("v":{"N":"4"})"));
  // What another server has written meanwhile is found out.
  Other("UpdateItem", update);
  EXPECT_EQ(Of("PutItem", PutVersion(key, 4, 9)), 2);
  EXPECT_THAT(answer_, AllOf(HasSubstr("ConditionalCheckFailed"), HasSubstr(R"("v":{"N":"5"})")));
  EXPECT_EQ(Of("PutItem", PutVersion(key, 5, 6)), 1);
  Other("UpdateItem", update);
  EXPECT_EQ(Of("UpdateItem", update), 3);
  EXPECT_THAT(answer_, HasSubstr(R"("v":{"N":"8"})"));
  EXPECT_EQ(Of("DeleteItem", drop), 1);
  EXPECT_THAT(answer_, HasSubstr(R"("v":{"N":"8"})"));
  EXPECT_EQ(Of("UpdateItem", update), 2);
  EXPECT_THAT(answer_, HasSubstr(R"("v":{"N":"1"})"));
  Other("DeleteItem", drop);
  EXPECT_EQ(Of("UpdateItem", update), 3);
  EXPECT_THAT(answer_, HasSubstr(R"("v":{"N":"1"})"));
  Other("DeleteItem", drop);
  EXPECT_EQ(Of("PutItem", PutVersion(key, 1, 2)), 2);
  EXPECT_THAT(answer_, AllOf(HasSubstr("ConditionalCheckFailed"), Not(HasSubstr(R"("Item")"))));
  EXPECT_EQ(town_.Check(), "");
}

// An item too long to be sent back is read again instead.
TEST_F(RoundTrips, OfAnItemThatHasBecomeLong) {
  const std::string update =
      OnCity("Key", "a", R"("UpdateExpression": "ADD n :n", "ReturnValues": "ALL_NEW",
          "ExpressionAttributeValues": {":n": {"N": "1"}})");
  Of("PutItem", OnCity("Item", "a", ""));
  Other("UpdateItem", OnCity("Key", "a",
                             Concat(R"("UpdateExpression": "SET t = :t, n = :n",
          "ExpressionAttributeValues": {":n": {"N": "5"}, ":t": {"S": ")",
                                    std::string(20'000, 'x'), R"("}})")));
  EXPECT_EQ(Of("UpdateItem", update), 4);
  EXPECT_THAT(answer_, HasSubstr(R"("n":{"N":"6"})"));
  EXPECT_EQ(Of("UpdateItem", update), 2);
  EXPECT_THAT(answer_, HasSubstr(R"("n":{"N":"7"})"));
}

// Where others write the same items, what is believed is often wrong, and is not acted upon.
TEST_F(RoundTrips, OfRowsThatAreSeldomAsBelieved) {
  const std::string update =
      OnCity("Key", "hot", R"("UpdateExpression": "ADD n :n", "ReturnValues": "ALL_NEW",
          "ExpressionAttributeValues": {":n": {"N": "1"}})");
  int64_t trips = 0;
  constexpr int kCalls = 200;
  for (int i = 1; i <= kCalls; ++i) {
    Other("UpdateItem", update);
    const int64_t of_call = Of("UpdateItem", update);
    EXPECT_THAT(answer_, HasSubstr(Concat(R"("n":{"N":")", 2 * i, R"("})")));
    // When each of the two servers has found out.
    if (i > kCalls / 2) trips += of_call;
  }
  EXPECT_LT(trips, kCalls / 2 * 22 / 10);
}

// The token is looked up before, and expected by the commit. Now and then somebody looks for old
// ones.
TEST_F(RoundTrips, OfTokens) {
  int calls = 0;
  const auto of = [&](std::string_view item) {
    return Of("TransactWriteItems",
              Concat(R"({"ClientRequestToken": "token )", ++calls,
                     R"(", "TransactItems": [{"Put": )", OnCity("Item", item, kIfAbsent), "}]}"));
  };
  EXPECT_EQ(of("a"), 3);
  constexpr int kCalls = 64;
  int64_t trips = 0;
  for (int i = 0; i < kCalls; ++i) {
    trips += of(Concat("a", i));
    EXPECT_EQ(answer_, "{}");
  }
  EXPECT_EQ(trips, 2 * kCalls + kCalls / 16);
  // If the transaction is refused the token is looked up once more, and so are the tables.
  EXPECT_EQ(of("a"), 4);
  EXPECT_THAT(answer_, HasSubstr("[ConditionalCheckFailed]"));
}

// Those that have expired are all deleted in the end, once.
TEST(TwoDatabases, OldTokensGo) {
  ManualClock clock(absl::FromUnixSeconds(4'000'000'000));
  TwoDatabases town({.seed = 15}, &clock);
  int calls = 0;
  const auto write = [&] {
    const JsonResponse done = town.server(++calls).Call(
        "TransactWriteItems",
        Concat(R"({"ClientRequestToken": "token )", calls,
               R"(", "TransactItems": [{"Put": {"TableName": "towns", "Item": {)", Key(1),
               "}}}]}"));
    EXPECT_EQ(done.http_status, 200) << done.body << done.cause;
  };
  const auto count = [&](const MetaPrefix& keys) {
    Cursor cursor = town.server(0).database()->store()->Scan(Family::kMeta, keys.begin, keys.end,
                                                             Direction::kForward);
    int rows = 0;
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) ++rows;
    return rows;
  };
  for (int i = 0; i < 100; ++i) write();
  EXPECT_EQ(count(kTokenKeys), 100);
  clock.Advance(absl::Minutes(11));
  for (int i = 0; i < 70; ++i) write();
  EXPECT_EQ(count(kTokenKeys), 70);
  EXPECT_EQ(count(kTokenAgeKeys), 70);
  EXPECT_EQ(town.Check(), "");
}

std::string AddToCities(std::string_view prefix, int from, int to) {
  std::string updates;
  for (int i = from; i < to; ++i) {
    updates += Concat(updates.empty() ? "" : ", ", R"({"Update": )",
                      OnCity("Key", Concat(prefix, i), R"("UpdateExpression": "ADD n :n",
                          "ExpressionAttributeValues": {":n": {"N": "1"}})"),
                      "}");
  }
  return Concat(R"({"TransactItems": [)", updates, "]}");
}

// What is believed saves nothing where other items have to be read, and might be wrong.
TEST_F(RoundTrips, OfItemsOfWhichSomeAreKnown) {
  Of("TransactWriteItems", AddToCities("a", 0, 2));
  Other("TransactWriteItems", AddToCities("a", 1, 3));
  EXPECT_EQ(Of("TransactWriteItems", AddToCities("a", 0, 3)), 2);
  EXPECT_EQ(Of("TransactWriteItems", AddToCities("a", 0, 3)), 1);
  Of("GetItem", OnCity("Key", "a1", ""));
  EXPECT_THAT(answer_, HasSubstr(R"("n":{"N":"4"})"));
  // Nor is it presumed then that there is none. The third looks at the tables.
  Other("PutItem", OnCity("Item", "there now", ""));
  EXPECT_EQ(Of("TransactWriteItems",
               Concat(R"({"TransactItems": [{"Put": )", OnCity("Item", "there now", kIfAbsent),
                      R"(}, {"Update": )", SetNumber("another", 1), "}]}")),
            3);
  EXPECT_THAT(answer_, HasSubstr("[ConditionalCheckFailed, None]"));
  // Each is a statement of the commit.
  Of("TransactWriteItems", AddToCities("b", 0, 9));
  EXPECT_EQ(Of("TransactWriteItems", AddToCities("b", 0, 8)), 1);
  EXPECT_EQ(Of("TransactWriteItems", AddToCities("b", 0, 9)), 2);
}

// As often for several items together as for one.
TEST_F(RoundTrips, OfSeveralRowsThatAreSeldomAsBelieved) {
  int64_t trips = 0;
  constexpr int kCalls = 200;
  for (int i = 1; i <= kCalls; ++i) {
    Other("TransactWriteItems", AddToCities("hot", 0, 4));
    const int64_t of_call = Of("TransactWriteItems", AddToCities("hot", 0, 4));
    EXPECT_EQ(answer_, "{}");
    if (i > kCalls / 2) trips += of_call;
  }
  EXPECT_LT(trips, kCalls / 2 * 22 / 10);
}

// What others do to one table takes nothing from what is believed of another one.
TEST_F(RoundTrips, OfRowsBesideATableWhereTheyAreSeldomAsBelieved) {
  const std::string update =
      Concat(R"({"TableName": "towns", "Key": {)", Key(7), R"(}, "UpdateExpression": "ADD n :n",
          "ExpressionAttributeValues": {":n": {"N": "1"}}})");
  Of("UpdateItem", update);
  for (int i = 0; i < 100; ++i) {
    Other("TransactWriteItems", AddToCities("hot", 0, 1));
    Of("TransactWriteItems", AddToCities("hot", 0, 1));
  }
  EXPECT_EQ(Of("UpdateItem", update), 1);
  EXPECT_EQ(Of("UpdateItem", update), 1);
}

// An attempt that is aborted for another reason says nothing of what was believed.
TEST_F(RoundTrips, OfRowsThatAreAsBelievedBesideChangesOfTables) {
  const std::string update = SetNumber("there", 1);
  Of("UpdateItem", update);
  for (int i = 0; i < 10; ++i) {
    Other("CreateTable",
          Concat(R"({"TableName": "other)", i, R"(", "BillingMode": "PAY_PER_REQUEST",
              "AttributeDefinitions": [{"AttributeName": "c", "AttributeType": "S"}],
              "KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}]})"));
    EXPECT_GT(Of("UpdateItem", update), 1);
  }
  EXPECT_EQ(Of("UpdateItem", update), 1);
}

// --- Stores that do not answer ---

TEST(ThreadPatience, EndsWhatIsAbortedAgainAndAgain) {
  static_assert(Patience::kTime < absl::Seconds(10));
  int tries = 0;
  const auto aborted = [&] {
    ++tries;
    return absl::AbortedError("once more");
  };
  {
    const Patience patience(absl::Nanoseconds(1));
    EXPECT_TRUE(absl::IsUnavailable(RunTransaction(aborted)));
    EXPECT_EQ(tries, 1);
    // One within another does not begin anew.
    const Patience inner(absl::Hours(1));
    EXPECT_LT(Patience::End(), absl::Now() + absl::Minutes(1));
  }
  EXPECT_EQ(Patience::End(), absl::InfiniteFuture());
}

TEST(ThreadPatience, BeginsAnewWithEachAnswer) {
  const Patience patience(absl::Hours(1));
  const absl::Time end = Patience::End();
  const absl::Time given_up = absl::Now() + absl::Seconds(10);
  while (Patience::End() == end && absl::Now() < given_up) Patience::Renew();
  EXPECT_GT(Patience::End(), end);
}

TEST_F(RoundTrips, OfConditionsThatFail) {
  // The attempt that presumed otherwise, and the read, which is an answer by itself.
  for (const char* city : {"x", "y"}) Other("PutItem", OnCity("Item", city, ""));
  const std::string put_x = OnCity(
      "Item", "x", Concat(kIfAbsent, R"(, "ReturnValuesOnConditionCheckFailure": "ALL_OLD")"));
  EXPECT_EQ(Of("PutItem", put_x), 2);
  EXPECT_THAT(answer_, AllOf(HasSubstr("ConditionalCheckFailed"), HasSubstr(R"("S":"x")")));
  // By now it is believed to be there.
  EXPECT_EQ(Of("PutItem", put_x), 1);
  EXPECT_THAT(answer_, AllOf(HasSubstr("ConditionalCheckFailed"), HasSubstr(R"("S":"x")")));
  EXPECT_EQ(Of("DeleteItem", OnCity("Key", "absent", kIfThere)), 2);
  EXPECT_THAT(answer_, HasSubstr("ConditionalCheckFailed"));
  // Several in a row make the process look whether it is taken for ended.
  Of("PutItem", OnCity("Item", "other", ""));
  EXPECT_EQ(Of("PutItem", OnCity("Item", "absent", kIfThere)), 2);
  EXPECT_THAT(answer_, HasSubstr("ConditionalCheckFailed"));
  EXPECT_EQ(Of("ExecuteStatement", R"({"Statement": "INSERT INTO cities VALUE {'c': 'y'}"})"), 2);
  EXPECT_THAT(answer_, HasSubstr("DuplicateItem"));
  EXPECT_EQ(Of("GetItem", OnCity("Key", "absent", "")), 1);
  EXPECT_EQ(answer_, "{}");
}

TEST_F(RoundTrips, OfReads) {
  EXPECT_EQ(Of("GetItem", OnCity("Key", "there", "")), 1);
  EXPECT_THAT(answer_, HasSubstr("there"));
  const std::string_view keys = R"({"h": {"N": "1"}, "r": {"N": "1"}}, {"h": {"N": "1"},
      "r": {"N": "2"}}, {"h": {"N": "9"}, "r": {"N": "2"}})";
  EXPECT_EQ(Of("BatchGetItem", Concat(R"({"RequestItems": {"towns": {"Keys": [)", keys,
                                      R"(]}, "cities": {"Keys": [{"c": {"S": "there"}}]}}})")),
            1);
  EXPECT_THAT(answer_, AllOf(HasSubstr("there"), HasSubstr(R"("r":{"N":"2"})")));
  EXPECT_EQ(Of("TransactGetItems", R"({"TransactItems": [
                  {"Get": {"TableName": "towns", "Key": {"h": {"N": "1"}, "r": {"N": "1"}}}},
                  {"Get": {"TableName": "cities", "Key": {"c": {"S": "there"}}}}]})"),
            2);
  constexpr std::string_view kOfOne = R"("KeyConditionExpression": "h = :h",
      "ExpressionAttributeValues": {":h": {"N": "1"}})";
  EXPECT_EQ(Of("Query", Concat(R"({"TableName": "towns", )", kOfOne, "}")), 1);
  EXPECT_THAT(answer_, HasSubstr(R"("Count":20)"));
  EXPECT_EQ(Of("Query", Concat(R"({"TableName": "towns", "Limit": 15, "ScanIndexForward": false, )",
                               kOfOne, "}")),
            1);
  EXPECT_THAT(answer_, HasSubstr(R"("Count":15)"));
  EXPECT_EQ(Of("Query", R"({"TableName": "towns", "IndexName": "global",
                  "KeyConditionExpression": "v = :v",
                  "ExpressionAttributeValues": {":v": {"N": "7"}}})"),
            1);
  EXPECT_THAT(answer_, HasSubstr(R"("Count":20)"));
  EXPECT_EQ(Of("Scan", R"({"TableName": "towns"})"), 1);
  EXPECT_THAT(answer_, HasSubstr(R"("Count":20)"));
  EXPECT_EQ(Of("ListTables", "{}"), 1);
  Of("DeleteTable", kDropCities);
  EXPECT_EQ(Of("CreateTable", CreateCities("c")), 3);
}

}  // namespace
}  // namespace dynolith::hostile
