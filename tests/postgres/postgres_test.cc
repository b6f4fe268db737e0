// A store on PostgreSQL keeps the contract of a SharedStore, in as many round trips as its README
// says. Needs DYNOLITH_STORE_URL: an empty database, and one more of that name and _older
// (store_test.py).
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "engine/base/big_endian.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/postgres/address.h"
#include "engine/store/postgres/messages.h"
#include "engine/store/postgres/postgres_store.h"
#include "engine/store/postgres/schema.h"
#include "engine/store/transaction/patience.h"
#include "engine/store/transaction/transaction.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/hostile/counted_rows.h"
#include "tests/hostile/given_store.h"

namespace dynolith::postgres {
namespace {

using hostile::Increment;
using hostile::ReadCount;
using hostile::RunTogether;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Url() {
  const char* const url = std::getenv("DYNOLITH_STORE_URL");
  return url == nullptr ? "" : url;
}

// Makes the store, before the first test.
class NewStore : public ::testing::Environment {
 public:
  void SetUp() override {
    const absl::Status made = InitStore(Url(), "", hostile::GivenStamps()).status();
    ASSERT_TRUE(made.ok()) << made;
  }
};
const ::testing::Environment* const kNewStore = ::testing::AddGlobalTestEnvironment(new NewStore);

std::unique_ptr<SharedStore> OpenStore(int connections_max = 12) {
  auto store = PostgresStore::Open({.url = Url(), .connections_max = connections_max});
  EXPECT_TRUE(store.ok()) << store.status();
  return *std::move(store);
}

// The rows of each test are its own.
std::string Key(std::string_view key) {
  return Concat(::testing::UnitTest::GetInstance()->current_test_info()->name(), "/", key);
}
std::string EndOfKeys() {
  return Concat(::testing::UnitTest::GetInstance()->current_test_info()->name(), "0");
}

std::string ReadText(const ReadView& rows, std::string_view key) {
  Row row;
  const absl::StatusOr<bool> found = rows.Get(Family::kTables, key, &row);
  EXPECT_TRUE(found.ok()) << found.status();
  return found.value_or(false) ? std::string(row.value()) : "none";
}

std::vector<std::string> Keys(Cursor cursor) {
  std::vector<std::string> keys;
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) keys.emplace_back(cursor.key());
  EXPECT_TRUE(cursor.status().ok()) << cursor.status();
  return keys;
}

std::string HexOf(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) {
    hex += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

absl::Status Put(Store* store, std::string_view key, std::string_view value) {
  WriteBatch batch;
  batch.Put(Family::kTables, key, value);
  return store->Commit(batch);
}

// --- Rows ---

TEST(PostgresRows, AreThoseOfAMap) {
  const auto store = OpenStore();
  std::map<std::string, std::string> model;
  std::mt19937 random(5);
  const std::string odd[] = {std::string("\0", 1),   "\xff\xff", "", "a",
                             std::string("a\0b", 3), "'\\"};
  for (int round = 0; round < 30; ++round) {
    WriteBatch batch;
    for (unsigned i = 0; i < 1 + random() % 40; ++i) {
      const std::string key = Key(Concat(odd[random() % 6], random() % 200));
      if (random() % 4 == 0) {
        batch.Delete(Family::kTables, key);
        model.erase(key);
      } else {
        const std::string value(random() % 300, static_cast<char>(random()));
        batch.Put(Family::kTables, key, value);
        model[key] = value;
      }
    }
    ASSERT_TRUE(store->Commit(batch).ok());
  }
  std::vector<std::string> keys;
  for (const auto& [key, value] : model) {
    keys.push_back(key);
    EXPECT_EQ(ReadText(*store, key), value);
  }
  EXPECT_EQ(Keys(store->Scan(Family::kTables, Key(""), EndOfKeys(), Direction::kForward)), keys);
  std::reverse(keys.begin(), keys.end());
  EXPECT_EQ(Keys(store->Scan(Family::kTables, Key(""), EndOfKeys(), Direction::kBackward)), keys);
  Cursor cursor = store->Scan(Family::kTables, Key(""), EndOfKeys(), Direction::kBackward);
  cursor.SeekAfter(keys[keys.size() / 2]);
  ASSERT_TRUE(cursor.Valid());
  EXPECT_EQ(cursor.key(), keys[keys.size() / 2 + 1]);
  EXPECT_EQ(cursor.value(), model[keys[keys.size() / 2 + 1]]);
}

TEST(PostgresRows, PagesEndByRowsAndBytes) {
  const auto store = OpenStore();
  WriteBatch batch;
  std::vector<std::string> keys;
  for (int i = 0; i < 1000; ++i) {
    keys.push_back(Key(std::to_string(10'000 + i)));
    batch.Put(Family::kTables, keys.back(), i % 100 == 0 ? std::string(300'000, 'v') : "v");
  }
  ASSERT_TRUE(store->Commit(batch).ok());
  EXPECT_EQ(Keys(store->Scan(Family::kTables, Key(""), EndOfKeys(), Direction::kForward)), keys);
  std::reverse(keys.begin(), keys.end());
  EXPECT_EQ(Keys(store->Scan(Family::kTables, Key(""), EndOfKeys(), Direction::kBackward)), keys);
}

TEST(PostgresRows, TheLastChangeOfABatchStays) {
  const auto store = OpenStore();
  WriteBatch before;
  for (const char* key : {"a", "b", "c"}) before.Put(Family::kLog, Key(key), "before");
  ASSERT_TRUE(store->Commit(before).ok());
  WriteBatch batch;
  batch.Put(Family::kLog, Key("b"), "lost");
  batch.Put(Family::kLog, Key("d"), "first");
  batch.DeleteRange(Family::kLog, Key("b"), Key("d"));
  batch.Put(Family::kLog, Key("c"), "after");
  batch.Delete(Family::kLog, Key("a"));
  batch.Put(Family::kLog, Key("a"), "again");
  ASSERT_TRUE(store->Commit(batch).ok());
  EXPECT_THAT(Keys(store->Scan(Family::kLog, Key(""), EndOfKeys(), Direction::kForward)),
              ElementsAre(Key("a"), Key("c"), Key("d")));
}

// A B-tree takes 2,704 bytes of a key, and the longest key of an index row has 12,000.
TEST(PostgresRows, KeysMayHaveAnyLength) {
  const auto store = OpenStore();
  // Random bytes: what can be compressed would fit.
  std::mt19937 random(1);
  std::string longest = Key("k");
  while (longest.size() < 12'000) longest += static_cast<char>(random());
  std::vector<std::string> keys;
  for (const size_t bytes : {1'289, 1'290, 1'291, 2'600, 2'601, 5'000, 12'000}) {
    keys.push_back(longest.substr(0, bytes));
    ASSERT_TRUE(Put(store.get(), keys.back(), std::to_string(bytes)).ok());
  }
  keys.push_back(Key("l"));
  ASSERT_TRUE(Put(store.get(), keys.back(), "behind").ok());
  EXPECT_EQ(ReadText(*store, keys[6]), "12000");
  EXPECT_EQ(Keys(store->Scan(Family::kTables, Key(""), EndOfKeys(), Direction::kForward)), keys);
  std::reverse(keys.begin(), keys.end());
  EXPECT_EQ(Keys(store->Scan(Family::kTables, Key(""), EndOfKeys(), Direction::kBackward)), keys);
  WriteBatch batch;
  for (const std::string& key : keys) batch.Delete(Family::kTables, key);
  ASSERT_TRUE(store->Commit(batch).ok());
  EXPECT_THAT(Keys(store->Scan(Family::kTables, Key(""), EndOfKeys(), Direction::kForward)),
              ElementsAre());
}

TEST(PostgresRows, ChangesThatAreTooLargeAreRefused) {
  const auto store = OpenStore();
  EXPECT_TRUE(Put(store.get(), Key("v"), std::string(20 << 20, 'v')).ok());
  EXPECT_EQ(ReadText(*store, Key("v")), std::string(20 << 20, 'v'));
  const absl::Status larger =
      Put(store.get(), Key("v"), std::string(store->limits().batch_bytes + 1, 'v'));
  EXPECT_TRUE(IsBatchTooLarge(larger)) << larger;
}

// --- Transactions ---

TEST(PostgresTransactions, ReadsThatAreNotSoAnyMoreAbort) {
  const auto store = OpenStore();
  const auto other = OpenStore();
  for (const bool scans : {false, true}) {
    // The row exists in the second round only.
    const auto attempt = store->Begin();
    if (scans) {
      EXPECT_EQ(
          Keys(attempt->Scan(Family::kTables, Key("a"), Key("c"), Direction::kForward)).size(), 1);
    } else {
      EXPECT_EQ(ReadText(*attempt, Key("b")), "none");
    }
    ASSERT_TRUE(Put(other.get(), Key("b"), scans ? "2" : "1").ok());
    WriteBatch batch;
    batch.Put(Family::kTables, Key("d"), "1");
    EXPECT_TRUE(absl::IsAborted(store->CommitAttempt(attempt.get(), batch)));
    EXPECT_EQ(ReadText(*store, Key("d")), "none");
  }
}

TEST(PostgresTransactions, ExpectationsGoWithTheCommit) {
  const auto store = OpenStore();
  ASSERT_TRUE(Put(store.get(), Key("b"), "1").ok());
  const auto commit = [&](std::string_view key, std::optional<std::string_view> value) {
    const auto attempt = store->Begin();
    attempt->Expect(Family::kTables, key, value);
    WriteBatch batch;
    batch.Put(Family::kTables, Key("d"), Concat(value ? *value : "", "!"));
    return store->CommitAttempt(attempt.get(), batch);
  };
  EXPECT_TRUE(absl::IsAborted(commit(Key("b"), std::nullopt)));
  EXPECT_TRUE(absl::IsAborted(commit(Key("b"), "2")));
  EXPECT_TRUE(absl::IsAborted(commit(Key("c"), "")));
  EXPECT_EQ(ReadText(*store, Key("d")), "none");
  EXPECT_TRUE(commit(Key("c"), std::nullopt).ok());
  EXPECT_EQ(ReadText(*store, Key("d")), "!");
  EXPECT_TRUE(commit(Key("b"), "1").ok());
  EXPECT_EQ(ReadText(*store, Key("d")), "1!");
  const auto commit_if_there = [&](std::string_view key) {
    const auto attempt = store->Begin();
    EXPECT_TRUE(attempt->ExpectPresent(Family::kTables, key));
    WriteBatch batch;
    batch.Put(Family::kTables, Key("d"), "there");
    return store->CommitAttempt(attempt.get(), batch);
  };
  EXPECT_TRUE(absl::IsAborted(commit_if_there(Key("c"))));
  EXPECT_EQ(ReadText(*store, Key("d")), "1!");
  EXPECT_TRUE(commit_if_there(Key("b")).ok());
  EXPECT_EQ(ReadText(*store, Key("d")), "there");
}

TEST(PostgresTransactions, CountersOfTwoStoresAreExact) {
  constexpr int kThreads = 4;
  constexpr int kIncrements = 60;
  const std::unique_ptr<SharedStore> stores[] = {OpenStore(), OpenStore()};
  RowLocks locks[2];
  RunTogether(kThreads, [&](int thread) {
    for (int i = 0; i < kIncrements; ++i) {
      const absl::Status status = Increment(stores[thread % 2].get(), &locks[thread % 2], Key("n"));
      ASSERT_TRUE(status.ok()) << status;
    }
  });
  EXPECT_EQ(ReadCount(*stores[0], Key("n")).value(), uint64_t{kThreads * kIncrements});
}

// Each commit whose connection is cut at any moment takes effect once, and its caller is told so.
TEST(PostgresTransactions, CutConnectionsLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kIncrements = 60;
  const auto store = OpenStore();
  std::atomic<int> running = kThreads;
  std::thread cutter([&] {
    auto shared = ReadAddress(Url()).value();
    const auto connection = Connection::Open(shared.get(), /*reads_only=*/false).value();
    while (running > 0) {
      const auto cut = connection->Execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = current_user AND "
          "pid <> pg_backend_pid() AND query LIKE '%dynolith.tables%' ORDER BY random() LIMIT 1");
      EXPECT_TRUE(cut.ok()) << cut.status();
    }
  });
  RunTogether(kThreads, [&](int thread) {
    RowLocks locks;
    for (int i = 0; i < kIncrements; ++i) {
      const absl::Status status = Increment(store.get(), &locks, Key(Concat("n", thread % 2)));
      EXPECT_TRUE(status.ok()) << status;
    }
    --running;
  });
  cutter.join();
  EXPECT_EQ(ReadCount(*store, Key("n0")).value() + ReadCount(*store, Key("n1")).value(),
            uint64_t{kThreads * kIncrements});
}

TEST(PostgresTransactions, ASnapshotStaysAsItWas) {
  const auto store = OpenStore();
  ASSERT_TRUE(Put(store.get(), Key("a"), "before").ok());
  const auto snapshot = store->TakeSnapshot();
  ASSERT_TRUE(Put(store.get(), Key("a"), "after").ok());
  ASSERT_TRUE(Put(store.get(), Key("b"), "after").ok());
  EXPECT_EQ(ReadText(*snapshot, Key("a")), "before");
  EXPECT_THAT(Keys(snapshot->Scan(Family::kTables, Key(""), EndOfKeys(), Direction::kForward)),
              ElementsAre(Key("a")));
  EXPECT_EQ(ReadText(*store, Key("a")), "after");
}

// A commit that has read what another one has replaced comes before that one. If a snapshot shows
// the other one, it shows this one, too, or it never takes effect.
TEST(PostgresTransactions, NothingComesBeforeASerialSnapshot) {
  const auto store = OpenStore();
  for (int round = 0; round < 5; ++round) {
    const std::string read = Key(Concat("read", round));
    const std::string written = Key(Concat("written", round));
    ASSERT_TRUE(Put(store.get(), read, "old").ok());
    const std::unique_ptr<Attempt> earlier = store->Begin();
    EXPECT_EQ(ReadText(*earlier, read), "old");
    ASSERT_TRUE(Put(store.get(), read, "new").ok());

    absl::Notification is_read;
    std::string seen;
    std::thread reader([&] {
      const std::shared_ptr<const Snapshot> snapshot = store->TakeSerialSnapshot();
      EXPECT_EQ(ReadText(*snapshot, read), "new");
      seen = ReadText(*snapshot, written);
      is_read.Notify();
    });
    // The reader waits for the commit, or would be done by now.
    is_read.WaitForNotificationWithTimeout(absl::Milliseconds(20));
    WriteBatch batch;
    batch.Put(Family::kTables, written, "there");
    const absl::Status committed = earlier->Commit(batch);
    reader.join();
    EXPECT_EQ(seen, committed.ok() ? "there" : "none") << committed;
  }
}

// Whoever has waited for it long enough may try again: those it has waited for end.
TEST(PostgresTransactions, ASerialSnapshotThatIsWaitedForTooLongIsAborted) {
  const auto store = OpenStore();
  const auto impatient =
      *PostgresStore::Open({.url = Url(), .waits = {.statement = absl::Milliseconds(100)}});
  ASSERT_TRUE(Put(store.get(), Key("a"), "old").ok());
  const std::unique_ptr<Attempt> earlier = store->Begin();
  EXPECT_EQ(ReadText(*earlier, Key("a")), "old");
  Row row;
  const absl::Status read =
      impatient->TakeSerialSnapshot()->Get(Family::kTables, Key("a"), &row).status();
  EXPECT_TRUE(absl::IsAborted(read)) << read;
  EXPECT_TRUE(earlier->Commit(WriteBatch()).ok());
  EXPECT_EQ(ReadText(*impatient->TakeSerialSnapshot(), Key("a")), "old");
}

TEST(PostgresTransactions, ManyRowsAreReadTogether) {
  const auto store = OpenStore();
  ASSERT_TRUE(Put(store.get(), Key("a"), "1").ok());
  WriteBatch batch;
  batch.Put(Family::kExpiry, Key("a"), "2");
  ASSERT_TRUE(store->Commit(batch).ok());
  Row rows[4];
  const std::string keys[] = {Key("b"), Key("a"), Key("a"), Key("a")};
  RowRead reads[] = {{Family::kTables, keys[0], &rows[0]},
                     {Family::kTables, keys[1], &rows[1]},
                     {Family::kExpiry, keys[2], &rows[2]},
                     {Family::kTables, keys[3], &rows[3]}};
  ASSERT_TRUE(store->MultiGet(absl::MakeSpan(reads)).ok());
  EXPECT_FALSE(reads[0].found);
  EXPECT_EQ(rows[1].value(), "1");
  EXPECT_EQ(rows[2].value(), "2");
  EXPECT_EQ(rows[3].value(), "1");
}

// Commits that depend on each other have stamps in their order, and all are stable in the end.
TEST(PostgresTransactions, StampsAreInTheOrderOfCommits) {
  constexpr int kThreads = 4;
  constexpr int kIncrements = 25;
  const std::unique_ptr<SharedStore> stores[] = {OpenStore(), OpenStore()};
  RunTogether(kThreads, [&](int thread) {
    SharedStore* const store = stores[thread % 2].get();
    for (int i = 0; i < kIncrements; ++i) {
      const absl::Status status = RunTransaction([&] {
        const auto attempt = store->Begin();
        DYNOLITH_ASSIGN_OR_RETURN(const uint64_t before, ReadCount(*attempt, Key("n")));
        std::string after;
        AppendBigEndian(before + 1, &after);
        WriteBatch batch;
        batch.Put(Family::kTables, Key("n"), after);
        DYNOLITH_RETURN_IF_ERROR(attempt->PutStamped(Family::kLog, Key(""), 7, after));
        return store->CommitAttempt(attempt.get(), batch);
      });
      ASSERT_TRUE(status.ok()) << status;
    }
  });
  const Stamp stable = stores[0]->StableStamp().value();
  uint64_t count = 0;
  Cursor cursor = stores[0]->Scan(Family::kLog, Key(""), EndOfKeys(), Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    const std::string_view stamp = cursor.key().substr(Key("").size());
    ASSERT_EQ(stamp.size(), kStampBytes);
    EXPECT_EQ(stamp.substr(kStampBytes - 2), std::string_view("\0\7", 2));
    EXPECT_LE(ReadStamp(stamp), stable);
    EXPECT_EQ(ReadBigEndian(cursor.value()), ++count);
  }
  EXPECT_EQ(count, uint64_t{kThreads * kIncrements});
}

// Commits of one process take turns at the rows that tell what became of them: one that has read
// before the others commit must not meet theirs.
TEST(PostgresTransactions, OthersOfTheProcessAreNotInTheWay) {
  const auto store = OpenStore();
  // The process has a row from its first commit on.
  ASSERT_TRUE(Put(store.get(), Key("a"), "").ok());
  for (int round = 0; round < 80; ++round) {
    const std::unique_ptr<Attempt> attempt = store->Begin();
    ReadText(*attempt, Key("a"));
    for (int i = 0; i < 8; ++i) ASSERT_TRUE(Put(store.get(), Key(std::to_string(i)), "b").ok());
    WriteBatch batch;
    batch.Put(Family::kTables, Key("a"), std::to_string(round));
    const absl::Status status = store->CommitAttempt(attempt.get(), batch);
    // PostgreSQL itself may abort it.
    EXPECT_NE(status.message(), messages::StoreExpectationFailed()) << round;
  }
}

// What has not ended yet holds the stable stamp back.
TEST(PostgresTransactions, AnOpenCommitIsNotStable) {
  if (hostile::GivenStamps() == StampSource::kCounter)
    GTEST_SKIP() << "others wait for its counter";
  const auto store = OpenStore();
  auto shared = ReadAddress(Url()).value();
  const auto connection = Connection::Open(shared.get(), /*reads_only=*/false).value();
  ASSERT_TRUE(connection->Execute("BEGIN").ok());
  const auto number = connection->Execute("SELECT pg_current_xact_id()::text").value();
  const Stamp open = MakeStamp(std::stoull(std::string(number.Field(0, 0))), 0);
  EXPECT_LT(store->StableStamp().value(), open);
  ASSERT_TRUE(connection->Execute("COMMIT").ok());
  EXPECT_GE(store->StableStamp().value(), open);
}

// Where a counter numbers commits the number is that of the last one, and none is left out.
TEST(PostgresTransactions, ACounterIsStableUpToTheLastCommit) {
  if (hostile::GivenStamps() != StampSource::kCounter) GTEST_SKIP() << "the server has its own";
  const auto store = OpenStore();
  const auto put = [&](std::string_view value) {
    std::unique_ptr<Attempt> attempt = store->Begin();
    EXPECT_TRUE(attempt->PutStamped(Family::kLog, Key(""), 1, value).ok());
    EXPECT_TRUE(attempt->PutStamped(Family::kLog, Key(""), 2, value).ok());
    return attempt;
  };
  const Stamp before = store->StableStamp().value();
  EXPECT_TRUE(put("a")->Commit(WriteBatch()).ok());
  put("never committed");
  EXPECT_TRUE(put("b")->Commit(WriteBatch()).ok());
  const Stamp next = before + 1;
  EXPECT_EQ(store->StableStamp().value(), before + 2 * MakeStamp(1, 0));
  std::vector<Stamp> stamps;
  for (const std::string& key :
       Keys(store->Scan(Family::kLog, Key(""), EndOfKeys(), Direction::kForward))) {
    stamps.push_back(ReadStamp(std::string_view(key).substr(Key("").size())));
  }
  EXPECT_THAT(stamps,
              ElementsAre(next + 1, next + 2, next + MakeStamp(1, 1), next + MakeStamp(1, 2)));
}

// --- Round trips ---

TEST(PostgresRoundTrips, AreThoseOfTheReadme) {
  const auto store = OpenStore();
  RowLocks locks;
  const auto act = [&](int number) {
    Row row;
    std::vector<int64_t> trips;
    const auto count = [&](const std::function<void()>& body) {
      const int64_t before = PostgresStore::ThreadRoundTrips();
      body();
      trips.push_back(PostgresStore::ThreadRoundTrips() - before);
    };
    count([&] { EXPECT_TRUE(store->Get(Family::kTables, Key("a"), &row).ok()); });
    count([&] { EXPECT_TRUE(Put(store.get(), Key("a"), std::to_string(number)).ok()); });
    count([&] { EXPECT_TRUE(Increment(store.get(), &locks, Key("n")).ok()); });
    count([&] { Keys(store->Scan(Family::kTables, Key(""), EndOfKeys(), Direction::kForward)); });
    count([&] {
      const auto attempt = store->Begin();
      std::vector<RowRead> reads(5);
      std::vector<Row> rows(5);
      std::vector<std::string> keys;
      for (int i = 0; i < 5; ++i) keys.push_back(Key(std::to_string(i)));
      for (int i = 0; i < 5; ++i) reads[i] = {Family::kTables, keys[i], &rows[i]};
      EXPECT_TRUE(attempt->MultiGet(absl::MakeSpan(reads)).ok());
      WriteBatch batch;
      for (const std::string& key : keys) batch.Put(Family::kTables, key, std::to_string(number));
      EXPECT_TRUE(store->CommitAttempt(attempt.get(), batch).ok());
    });
    return trips;
  };
  act(1);  // connects
  // Get, blind put, put that depends on a read, page, transaction of five.
  EXPECT_THAT(act(2), ElementsAre(1, 1, 2, 1, 2));
}

// What a failed transaction leaves behind is over before the connection's next one.
TEST(PostgresRoundTrips, ARollbackIsNotWaitedFor) {
  const auto store = OpenStore(/*connections_max=*/1);
  ASSERT_TRUE(Put(store.get(), Key("a"), "1").ok());
  for (int i = 0; i < 20; ++i) {
    const int64_t before = PostgresStore::ThreadRoundTrips();
    {
      // Fails, or is left without an end.
      const auto attempt = store->Begin();
      if (i % 2 == 0) {
        attempt->Expect(Family::kTables, Key("a"), "other");
        WriteBatch batch;
        batch.Put(Family::kTables, Key("b"), "never");
        EXPECT_TRUE(absl::IsAborted(attempt->Commit(batch)));
      } else {
        EXPECT_EQ(ReadText(*attempt, Key("a")), std::to_string(i));
      }
    }
    EXPECT_EQ(PostgresStore::ThreadRoundTrips() - before, 1);
    ASSERT_TRUE(Put(store.get(), Key("a"), std::to_string(i + 1)).ok());
    EXPECT_EQ(PostgresStore::ThreadRoundTrips() - before, 2);
  }
  EXPECT_EQ(ReadText(*store, Key("a")), "20");
  EXPECT_EQ(ReadText(*store, Key("b")), "none");
}

// --- Stores that do not answer ---

// No wait of the store's own would end here: all of them end with the patience of the thread.
TEST(PostgresSilence, EndsWithTheThreadsPatience) {
  static_assert(Patience::kTime < absl::Seconds(10));
  constexpr absl::Duration kForEver = absl::Hours(1);
  const auto opened = PostgresStore::Open(
      {.url = Url(),
       .connections_max = 1,
       .waits = {.statement = kForEver, .pipeline = kForEver, .connection = kForEver}});
  ASSERT_TRUE(opened.ok()) << opened.status();
  SharedStore* const store = opened->get();
  ASSERT_TRUE(Put(store, Key("a"), "before").ok());
  Row row;
  ASSERT_TRUE(store->Get(Family::kTables, Key("a"), &row).ok());
  auto shared = ReadAddress(Url()).value();
  const auto connection = Connection::Open(shared.get(), /*reads_only=*/false).value();
  const auto refused = [&](const absl::Status& status, std::string_view why) {
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(why)));
  };
  ASSERT_TRUE(connection
                  ->Execute("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; "
                            "LOCK TABLE dynolith.tables, dynolith.meta IN ACCESS EXCLUSIVE MODE")
                  .ok());
  {
    // The commit, and what has become of it.
    const Patience patience(absl::Seconds(5));
    refused(Put(store, Key("a"), "after"), "did not answer to a commit");
  }
  {
    const Patience patience(absl::Seconds(3));
    refused(store->Get(Family::kTables, Key("a"), &row).status(), "does not answer in time");
  }
  {
    // Nor is a connection waited for that another one has.
    const Patience patience(absl::Seconds(3));
    const auto first = store->Begin();
    const auto second = store->Begin();
    refused(first->Get(Family::kTables, Key("a"), &row).status(), "");
    refused(second->Get(Family::kTables, Key("a"), &row).status(), "");
  }
  ASSERT_TRUE(connection->Execute("ROLLBACK").ok());
  // What came too late may have been done; then it goes on.
  absl::Status put = Put(store, Key("a"), "later");
  while (absl::IsUnavailable(put)) put = Put(store, Key("a"), "later");
  ASSERT_TRUE(put.ok()) << put;
  EXPECT_EQ(ReadText(*store, Key("a")), "later");
}

// --- The schema ---

TEST(PostgresSchema, AnotherVersionIsNamed) {
  EXPECT_TRUE(absl::IsAlreadyExists(InitStore(Url(), "").status()));
  EXPECT_EQ(UpgradeStore(Url()).value(), kSchemaVersion);
  auto shared = ReadAddress(Url()).value();
  const auto connection = Connection::Open(shared.get(), /*reads_only=*/false).value();
  ASSERT_TRUE(connection->Execute("UPDATE dynolith.version SET number = 99").ok());
  const absl::Status newer = PostgresStore::Open({.url = Url()}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(newer));
  EXPECT_THAT(std::string(newer.message()), HasSubstr("version 99"));
  EXPECT_TRUE(absl::IsFailedPrecondition(UpgradeStore(Url()).status()));
  ASSERT_TRUE(connection->Execute("UPDATE dynolith.version SET number = 1").ok());
  const absl::Status older = PostgresStore::Open({.url = Url()}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(older));
  EXPECT_THAT(std::string(older.message()), HasSubstr("dynolith store upgrade"));
  ASSERT_TRUE(connection->Execute("UPDATE dynolith.version SET number = 2").ok());
  EXPECT_TRUE(CheckStore(Url()).ok());
}

// Rows of version 1 had no byte before their values, and keys of up to 2,600 bytes as they were.
TEST(PostgresSchema, RowsOfVersionOneAreUpgraded) {
  const std::string url = Concat(Url(), "_older");
  auto older = ReadAddress(url).value();
  auto connection = Connection::Open(older.get(), /*reads_only=*/false).value();
  std::string sql =
      "CREATE SCHEMA dynolith; CREATE TABLE dynolith.version (number integer);"
      "INSERT INTO dynolith.version VALUES (1);";
  const std::vector<int> lengths = {1, 1'289, 1'290, 1'291, 2'500, 2'600};
  // Bytes from 00 to FE, each key the beginning of the next one, as few as can be compressed.
  std::mt19937 random(3);
  std::string longest = "7";
  while (longest.size() < 2'600) longest += static_cast<char>(random() % 255);
  for (const std::string_view table : kTableNames) {
    sql +=
        Concat("CREATE TABLE dynolith.", table, "(key bytea PRIMARY KEY, value bytea NOT NULL);");
    for (const int length : lengths) {
      sql += Concat("INSERT INTO dynolith.", table, " VALUES ('\\x",
                    HexOf(longest.substr(0, static_cast<size_t>(length))), "', 'value ", length,
                    "');");
    }
  }
  ASSERT_TRUE(connection->Execute(sql).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(PostgresStore::Open({.url = url}).status()));
  // Who is connected to it would go on with rows of the older form.
  const absl::Status in_use = UpgradeStore(url).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(in_use));
  EXPECT_THAT(std::string(in_use.message()), HasSubstr("in use by "));
  connection.reset();
  // The server needs a moment to see that.
  absl::StatusOr<int> upgraded = UpgradeStore(url);
  while (absl::IsFailedPrecondition(upgraded.status())) upgraded = UpgradeStore(url);
  EXPECT_EQ(upgraded.value(), 1);
  EXPECT_EQ(UpgradeStore(url).value(), kSchemaVersion);
  const auto store = PostgresStore::Open({.url = url}).value();
  for (size_t family = 0; family < kFamilies; ++family) {
    Cursor cursor = store->Scan(static_cast<Family>(family), "", "", Direction::kForward);
    cursor.SeekToStart();
    for (const int length : lengths) {
      ASSERT_TRUE(cursor.Valid()) << kTableNames[family] << " " << length << cursor.status();
      EXPECT_EQ(cursor.key(), longest.substr(0, static_cast<size_t>(length)));
      EXPECT_EQ(cursor.value(), Concat("value ", length));
      cursor.Next();
    }
    EXPECT_FALSE(cursor.Valid());
    EXPECT_TRUE(cursor.status().ok()) << cursor.status();
    Row row;
    EXPECT_TRUE(store->Get(static_cast<Family>(family), longest, &row).value());
  }
  // The entries of its markers are there.
  WriteBatch batch;
  batch.DeleteRange(Family::kLog, "6", "8");
  ASSERT_TRUE(store->Commit(batch).ok());
  EXPECT_THAT(Keys(store->Scan(Family::kLog, "", "", Direction::kForward)), ElementsAre());
}

// Why: only PostgreSQL's own transaction ids say which commits have ended.
TEST(PostgresSchema, StampsAreChosenByTheServer) {
  for (const std::string_view own :
       {"PostgreSQL 15.14 (Debian 15.14-0+deb12u1) on x86_64-pc-linux-gnu",
        "PostgreSQL 17.2 on aarch64-unknown-linux-gnu"}) {
    EXPECT_EQ(StampsOfServer(own), StampSource::kTransactionIds) << own;
  }
  for (const std::string_view other : {"PostgreSQL 11.2-YB-2.18.2.1-b0 on x86_64-pc-linux-gnu",
                                       "CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu)", ""}) {
    EXPECT_EQ(StampsOfServer(other), StampSource::kCounter) << other;
  }
}

TEST(PostgresSchema, AStoreThatIsNotThereIsNamed) {
  EXPECT_TRUE(absl::IsInvalidArgument(PostgresStore::Open({.url = "postgresql://[x"}).status()));
  // libpq quotes what it cannot read.
  for (const std::string_view url :
       {"postgresql://u:se%cret@h/d", "postgresql://u:secret@[h", "postgresql://u:secret@[h]x",
        "postgresql://u@h/d?password=se%cret", "password='secret' x", "host=x password=secret y",
        "postgresql://u:se/cret@h/d", "postgresql://u:se@cret@h/d", "postgresql://u:cret/x@h"}) {
    const absl::Status unread = PostgresStore::Open({.url = std::string(url)}).status();
    EXPECT_TRUE(absl::IsInvalidArgument(unread)) << url << unread;
    EXPECT_THAT(std::string(unread.message()), Not(HasSubstr("cret"))) << url;
  }
  const absl::Status away =
      PostgresStore::Open({.url = "postgresql://tester@127.0.0.1:1/music"}).status();
  EXPECT_TRUE(absl::IsUnavailable(away));
  EXPECT_THAT(std::string(away.message()), HasSubstr("127.0.0.1:1, database music"));
}

}  // namespace
}  // namespace dynolith::postgres
