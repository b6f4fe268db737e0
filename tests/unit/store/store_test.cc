// Every promise of engine/store/store.h about rows, batches, cursors and snapshots, in memory and
// on disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/strings.h"
#include "engine/process/thread_start.h"
#include "engine/store/local_store.h"
#include "engine/store/row_id.h"
#include "engine/store/work_counters.h"
#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/test_key.h"

namespace dynolith {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ScratchFolder;

// A cache of few rows, or none.
struct Kind {
  bool in_memory = false;
  size_t row_cache_bytes = 0;
};

class StoreTest : public ::testing::TestWithParam<Kind> {
 protected:
  StoreTest() { Open(); }

  void Open() {
    StoreOptions options;
    options.path = folder_ / "data";
    options.encryption_key = testing::TestKey();
    options.in_memory = GetParam().in_memory;
    options.row_cache_bytes = GetParam().row_cache_bytes;
    options.write_buffer_bytes = 256 << 10;
    auto store = LocalStore::Open(options);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }

  void Put(Family family, std::string_view key, std::string_view value) {
    WriteBatch batch;
    batch.Put(family, key, value);
    ASSERT_TRUE(store_->Commit(batch).ok());
  }

  std::string Get(Family family, std::string_view key) {
    Row row;
    const auto found = store_->Get(family, key, &row);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() && *found ? std::string(row.value()) : "(none)";
  }

  std::vector<std::string> Keys(Cursor cursor) {
    std::vector<std::string> keys;
    for (; cursor.Valid(); cursor.Next()) keys.emplace_back(cursor.key());
    EXPECT_TRUE(cursor.status().ok());
    return keys;
  }

  std::vector<std::string> Scan(std::string_view begin, std::string_view end, Direction direction) {
    Cursor cursor = store_->Scan(Family::kTables, begin, end, direction);
    cursor.SeekToStart();
    return Keys(std::move(cursor));
  }

  std::vector<std::string> ScanAfter(std::string_view begin, std::string_view end,
                                     Direction direction, std::string_view after) {
    Cursor cursor = store_->Scan(Family::kTables, begin, end, direction);
    cursor.SeekAfter(after);
    return Keys(std::move(cursor));
  }

  // The first `limit` rows of a range (0: all) in its direction, those behind `after` if it is
  // given, as "key=value".
  std::vector<std::string> Page(Family family, std::string_view begin, std::string_view end,
                                Direction direction, size_t limit,
                                const std::optional<std::string>& after = std::nullopt) {
    Cursor cursor = store_->ScanPage(family, begin, end, direction, {.rows = limit});
    after ? cursor.SeekAfter(*after) : cursor.SeekToStart();
    std::vector<std::string> rows;
    while (cursor.Valid()) {
      rows.push_back(Concat(cursor.key(), "=", cursor.value()));
      if (rows.size() == limit) return rows;
      cursor.Next();
    }
    EXPECT_TRUE(cursor.status().ok()) << cursor.status();
    return rows;
  }

  uint64_t CacheHits() const { return store_->TakeStatistics().row_cache_hits; }
  bool HasCache() const { return !GetParam().in_memory && GetParam().row_cache_bytes > 0; }

  ScratchFolder folder_;
  std::unique_ptr<LocalStore> store_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, StoreTest,
                         ::testing::Values(Kind{true, 0}, Kind{false, 0}, Kind{true, 16 << 10},
                                           Kind{false, 4 << 10}),
                         [](const auto& info) {
                           return std::string(info.param.in_memory ? "Memory" : "Disk") +
                                  (info.param.row_cache_bytes == 0 ? "" : "WithCache");
                         });

TEST_P(StoreTest, FamiliesAreApart) {
  Put(Family::kTables, "k", "table");
  Put(Family::kGlobalIndexes, "k", "gsi");
  Put(Family::kMeta, "k", "meta");
  EXPECT_EQ(Get(Family::kTables, "k"), "table");
  EXPECT_EQ(Get(Family::kGlobalIndexes, "k"), "gsi");
  EXPECT_EQ(Get(Family::kMeta, "k"), "meta");
  EXPECT_EQ(Get(Family::kLocalIndexes, "k"), "(none)");
  EXPECT_EQ(Get(Family::kLog, "k"), "(none)");
  EXPECT_EQ(Get(Family::kExpiry, "k"), "(none)");
}

TEST_P(StoreTest, AForkGoesItsOwnWay) {
  Put(Family::kTables, "a", "1");
  Put(Family::kLog, "b", "1");
  auto forked = store_->Fork();
  if (!GetParam().in_memory) {
    EXPECT_EQ(forked.status().code(), absl::StatusCode::kFailedPrecondition);
    return;
  }
  ASSERT_TRUE(forked.ok()) << forked.status();
  Put(Family::kTables, "a", "2");
  std::swap(*forked, store_);
  EXPECT_EQ(Get(Family::kTables, "a"), "1");
  EXPECT_EQ(Get(Family::kLog, "b"), "1");
  Put(Family::kTables, "c", "3");
  std::swap(*forked, store_);
  EXPECT_EQ(Get(Family::kTables, "a"), "2");
  EXPECT_EQ(Get(Family::kTables, "c"), "(none)");
  // Either may go first.
  store_ = *std::move(forked);
  EXPECT_EQ(Get(Family::kTables, "c"), "3");
}

TEST_P(StoreTest, BatchAppliesInOrder) {
  WriteBatch batch;
  EXPECT_TRUE(batch.empty());
  batch.Put(Family::kTables, "a", "1");
  batch.Put(Family::kTables, "b", {"2", "", "3"});
  batch.Delete(Family::kTables, "a");
  batch.Put(Family::kLog, "c", std::vector<std::string_view>{});
  EXPECT_EQ(batch.count(), 4u);
  ASSERT_TRUE(store_->Commit(batch).ok());
  EXPECT_EQ(Get(Family::kTables, "a"), "(none)");
  EXPECT_EQ(Get(Family::kTables, "b"), "23");
  EXPECT_EQ(Get(Family::kLog, "c"), "");

  batch.Clear();
  EXPECT_TRUE(batch.empty());
  Put(Family::kLog, "b", "2");
  batch.DeleteRange(Family::kLog, "a", "c");
  ASSERT_TRUE(store_->Commit(batch).ok());
  EXPECT_EQ(Get(Family::kLog, "b"), "(none)");
  EXPECT_EQ(Get(Family::kLog, "c"), "");
}

TEST_P(StoreTest, KeysAndValuesAreAnyBytes) {
  const std::string key("\0\xff\0", 3);
  const std::string value(300'000, '\0');
  Put(Family::kTables, key, value);
  EXPECT_EQ(Get(Family::kTables, key), value);
}

TEST_P(StoreTest, RowMovesAndIsReadIntoAgain) {
  Put(Family::kTables, "a", "short");
  Put(Family::kTables, "b", std::string(5000, 'b'));
  Row row;
  ASSERT_TRUE(*store_->Get(Family::kTables, "a", &row));
  Row moved = std::move(row);
  EXPECT_EQ(moved.value(), "short");
  ASSERT_TRUE(*store_->Get(Family::kTables, "b", &row));
  moved = std::move(row);
  EXPECT_EQ(moved.value(), std::string(5000, 'b'));
  EXPECT_FALSE(*store_->Get(Family::kTables, "c", &moved));
  EXPECT_EQ(moved.value(), "");
}

TEST_P(StoreTest, ARowHoldsACopy) {
  Row row;
  {
    const std::string gone = "value";
    row.Hold(gone);
  }
  EXPECT_EQ(row.value(), "value");
  const Row moved = std::move(row);
  EXPECT_EQ(moved.value(), "value");
  Row empty;
  empty.Hold({});
  EXPECT_EQ(empty.value(), "");
}

TEST_P(StoreTest, APageBringsAnotherRow) {
  for (const std::string_view key : {"a", "b", "c"}) Put(Family::kTables, key, key);
  Put(Family::kMeta, "version", "1");
  Row row;
  RowRead with = {.family = Family::kMeta, .key = "version", .row = &row};
  Cursor cursor =
      store_->ScanPage(Family::kTables, "a", "c", Direction::kForward, {.rows = 2}, &with);
  EXPECT_FALSE(with.found);
  cursor.SeekAfter("a");
  EXPECT_EQ(cursor.key(), "b");
  EXPECT_TRUE(with.found);
  EXPECT_EQ(row.value(), "1");
  cursor.Next();
  EXPECT_FALSE(cursor.Valid());
  EXPECT_TRUE(cursor.status().ok());
}

// Why: a page that was read twice comes from the cache, and any way to change a row of it has to
// tell the cache.
TEST_P(StoreTest, PagesAreOfTheirMoment) {
  const std::string at = "collection-1";
  const auto refuse = [](const std::string_view* /*row*/) { return absl::AbortedError("no"); };
  const auto accept = [](const std::string_view* /*row*/) { return absl::OkStatus(); };
  for (const Family family : {Family::kTables, Family::kGlobalIndexes, Family::kLocalIndexes}) {
    const auto expect = [&](const std::vector<std::string>& rows) {
      for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(Page(family, at, Concat(at, "~"), Direction::kForward, 0), rows);
        EXPECT_EQ(Page(family, at, Concat(at, "~"), Direction::kBackward, 0),
                  std::vector<std::string>(rows.rbegin(), rows.rend()));
      }
    };
    expect({});
    Put(family, Concat(at, "a"), "1");
    const uint64_t hits = CacheHits();
    expect({Concat(at, "a=1")});
    EXPECT_EQ(CacheHits() - hits >= 4, HasCache());
    Put(family, Concat(at, "b"), "2");
    expect({Concat(at, "a=1"), Concat(at, "b=2")});
    Put(family, Concat(at, "a"), "3");
    expect({Concat(at, "a=3"), Concat(at, "b=2")});
    WriteBatch batch;
    batch.Delete(family, Concat(at, "a"));
    batch.Put(family, Concat(at, "c"), "");
    batch.Put(family, "collection-2", "other");
    ASSERT_TRUE(store_->Commit(batch).ok());
    expect({Concat(at, "b=2"), Concat(at, "c=")});
    if (family != Family::kTables) continue;
    // The replaced row is in the cache of rows, or not.
    for (int i = 0; i < 3; ++i) Get(family, Concat(at, "b"));
    for (const char* row : {"b", "c", "d"}) {
      EXPECT_FALSE(store_->CommitOver(Concat(at, row), "4", refuse).ok());
    }
    expect({Concat(at, "b=2"), Concat(at, "c=")});
    for (const char* row : {"b", "c", "d"}) {
      EXPECT_TRUE(store_->CommitOver(Concat(at, row), "5", accept).ok());
    }
    expect({Concat(at, "b=5"), Concat(at, "c=5"), Concat(at, "d=5")});
    EXPECT_TRUE(store_->CommitOver(Concat(at, "c"), std::nullopt, accept).ok());
    expect({Concat(at, "b=5"), Concat(at, "d=5")});
  }
}

// Why: of a range the cache may have the first rows only.
TEST_P(StoreTest, APageMayGoOnBehindWhatIsCached) {
  const std::string at = "collection-1";
  for (const char* row : {"a", "b", "c", "d"}) Put(Family::kTables, Concat(at, row), row);
  const auto page = [&](Direction direction, size_t limit) {
    return Page(Family::kTables, at, Concat(at, "~"), direction, limit).size();
  };
  for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(page(direction, 2), 2u);
    const uint64_t hits = CacheHits();
    EXPECT_EQ(page(direction, 1), 1u);
    EXPECT_EQ(CacheHits() - hits, HasCache() ? 1u : 0u);
    Cursor cursor = store_->ScanPage(Family::kTables, at, Concat(at, "~"), direction, {.rows = 2});
    EXPECT_EQ(CacheHits() - hits, HasCache() ? 2u : 0u);
    const std::vector<std::string> rows = direction == Direction::kForward
                                              ? std::vector<std::string>{"a", "b", "c", "d"}
                                              : std::vector<std::string>{"d", "c", "b", "a"};
    for (int turn = 0; turn < 2; ++turn) {
      cursor.SeekToStart();
      for (const std::string& row : rows) {
        ASSERT_TRUE(cursor.Valid());
        EXPECT_EQ(cursor.key(), Concat(at, row));
        EXPECT_EQ(cursor.value(), row);
        cursor.Next();
      }
      EXPECT_FALSE(cursor.Valid());
      EXPECT_TRUE(cursor.status().ok());
    }
    cursor.SeekAfter(Concat(at, rows[0]));
    EXPECT_EQ(cursor.key(), Concat(at, rows[1]));
    cursor.SeekAfter(cursor.key());
    EXPECT_EQ(cursor.key(), Concat(at, rows[2]));
    cursor.SeekToStart();
    EXPECT_EQ(cursor.key(), Concat(at, rows[0]));
  }
}

// Why: what a walk did not get to is not known, nor what it got to after a later place.
TEST_P(StoreTest, OnlyWhatAPageHasShownIsCached) {
  const std::string at = "collection-1";
  for (const char* row : {"a", "b", "c", "d"}) Put(Family::kTables, Concat(at, row), row);
  const auto open = [&](size_t limit) {
    return store_->ScanPage(Family::kTables, at, Concat(at, "~"), Direction::kForward,
                            {.rows = limit});
  };
  for (int i = 0; i < 4; ++i) {
    open(0);
    open(0).SeekToStart();
    open(3).SeekToStart();
    open(0).SeekAfter(Concat(at, "b"));
    Cursor cursor = open(0);
    for (cursor.SeekAfter(Concat(at, "b")); cursor.Valid();) cursor.Next();
  }
  for (const size_t limit : {size_t{4}, size_t{3}, size_t{0}}) {
    EXPECT_EQ(Page(Family::kTables, at, Concat(at, "~"), Direction::kForward, limit).size(),
              limit == 0 ? 4u : limit);
  }
}

TEST_P(StoreTest, ScansBothWays) {
  for (const char* key : {"a", "b", "bb", "c", "d"}) Put(Family::kTables, key, key);
  EXPECT_THAT(Scan("b", "d", Direction::kForward), ElementsAre("b", "bb", "c"));
  EXPECT_THAT(Scan("b", "d", Direction::kBackward), ElementsAre("c", "bb", "b"));
  EXPECT_THAT(Scan("c", "", Direction::kForward), ElementsAre("c", "d"));
  EXPECT_THAT(Scan("c", "", Direction::kBackward), ElementsAre("d", "c"));
  EXPECT_THAT(Scan("x", "z", Direction::kForward), IsEmpty());
  EXPECT_THAT(Scan("d", "b", Direction::kForward), IsEmpty());
  EXPECT_THAT(Scan("d", "b", Direction::kBackward), IsEmpty());
}

TEST_P(StoreTest, OneWalkLeavesTheCachedBlocksAsTheyAre) {
  constexpr int kRows = 500;
  for (int i = 0; i < kRows; ++i) {
    Put(Family::kTables, Concat("k", 1000 + i), std::string(1000, static_cast<char>('a' + i % 26)));
  }
  ASSERT_TRUE(store_->CompactAll().ok());
  const std::shared_ptr<const Snapshot> moment = store_->TakeSnapshot();
  const auto cached = [&] { return store_->TakeStatistics().block_cache_bytes; };
  const uint64_t before = cached();
  for (const ReadView* view :
       {static_cast<const ReadView*>(store_.get()), static_cast<const ReadView*>(moment.get())}) {
    Cursor cursor = view->ScanOnce(Family::kTables, "k", "l");
    cursor.SeekToStart();
    EXPECT_EQ(Keys(std::move(cursor)).size(), size_t{kRows});
  }
  EXPECT_EQ(cached(), before);
  EXPECT_EQ(Scan("k", "l", Direction::kForward).size(), size_t{kRows});
  // The walk above would have been seen.
  if (!GetParam().in_memory) {
    EXPECT_GT(cached(), before + 100'000);
  }
}

TEST_P(StoreTest, SeeksBehindAnyKey) {
  for (const char* key : {"a", "b", "bb", "c", "d"}) Put(Family::kTables, key, key);
  EXPECT_THAT(ScanAfter("b", "d", Direction::kForward, "b"), ElementsAre("bb", "c"));
  EXPECT_THAT(ScanAfter("b", "d", Direction::kForward, "ba"), ElementsAre("bb", "c"));
  EXPECT_THAT(ScanAfter("b", "d", Direction::kForward, "a"), ElementsAre("b", "bb", "c"));
  EXPECT_THAT(ScanAfter("b", "d", Direction::kForward, "c"), IsEmpty());
  EXPECT_THAT(ScanAfter("b", "d", Direction::kForward, "x"), IsEmpty());
  EXPECT_THAT(ScanAfter("b", "d", Direction::kBackward, "c"), ElementsAre("bb", "b"));
  EXPECT_THAT(ScanAfter("b", "d", Direction::kBackward, "bz"), ElementsAre("bb", "b"));
  EXPECT_THAT(ScanAfter("b", "d", Direction::kBackward, "x"), ElementsAre("c", "bb", "b"));
  EXPECT_THAT(ScanAfter("b", "d", Direction::kBackward, "d"), ElementsAre("c", "bb", "b"));
  EXPECT_THAT(ScanAfter("b", "d", Direction::kBackward, "b"), IsEmpty());
  EXPECT_THAT(ScanAfter("b", "d", Direction::kBackward, "a"), IsEmpty());
}

TEST_P(StoreTest, CursorAndSnapshotSeeTheirMoment) {
  Put(Family::kTables, "a", "1");
  const auto snapshot = store_->TakeSnapshot();
  Cursor cursor = store_->Scan(Family::kTables, "", "", Direction::kForward);
  Put(Family::kTables, "a", "2");
  Put(Family::kTables, "b", "2");
  ASSERT_TRUE(store_->Flush().ok());
  cursor.SeekToStart();
  ASSERT_TRUE(cursor.Valid());
  EXPECT_EQ(cursor.value(), "1");
  cursor.Next();
  EXPECT_FALSE(cursor.Valid());

  Row row;
  ASSERT_TRUE(*snapshot->Get(Family::kTables, "a", &row));
  EXPECT_EQ(row.value(), "1");
  EXPECT_FALSE(*snapshot->Get(Family::kTables, "b", &row));
  Cursor past = snapshot->Scan(Family::kTables, "", "", Direction::kBackward);
  past.SeekToStart();
  EXPECT_THAT(Keys(std::move(past)), ElementsAre("a"));
  EXPECT_EQ(Get(Family::kTables, "b"), "2");
}

// Why: who keeps a moment of before each commit would miss one, or have it too late.
TEST_P(StoreTest, AsksBeforeEachCommit) {
  std::vector<std::shared_ptr<const Snapshot>> moments;
  store_->SetBeforeCommit([&] { moments.push_back(store_->TakeSnapshot()); });
  ASSERT_TRUE(store_->Commit(WriteBatch()).ok());
  EXPECT_THAT(moments, IsEmpty()) << "of nothing";
  for (const char* value : {"1", "2", "3"}) Put(Family::kTables, "a", value);
  EXPECT_EQ(moments.size(), 3u);
  EXPECT_EQ(store_->TakeStatistics().snapshots, 3u);
  Row row;
  EXPECT_FALSE(*moments[0]->Get(Family::kTables, "a", &row));
  for (const size_t i : {1, 2}) {
    ASSERT_TRUE(*moments[i]->Get(Family::kTables, "a", &row));
    EXPECT_EQ(row.value(), std::to_string(i));
  }
  moments.clear();
  EXPECT_EQ(store_->TakeStatistics().snapshots, 0u);
  store_->SetBeforeCommit({});
  Put(Family::kTables, "a", "4");
  EXPECT_THAT(moments, IsEmpty());
}

// Why: a batch took its place, of which only the last change was looked at, and in memory none was
// committed if there were several.
TEST_P(StoreTest, CommitOverShowsWhatItReplaces) {
  std::string shown;
  const auto take = [&shown](const std::string_view* row) {
    shown = row != nullptr ? std::string(*row) : "(none)";
    return absl::OkStatus();
  };
  Put(Family::kTables, "b", "2");
  const std::vector<std::pair<std::optional<std::string_view>, std::string>> commits = {
      {"1", "(none)"},          {"2", "1"},     {"2", "2"}, {std::nullopt, "2"},
      {std::nullopt, "(none)"}, {"3", "(none)"}};
  for (const auto& [value, replaced] : commits) {
    for (int i = 0; i < 3; ++i) Get(Family::kTables, "a");
    const WorkCounters before = ThreadWork();
    ASSERT_TRUE(store_->CommitOver("a", value, take).ok());
    const WorkCounters work = ThreadWork() - before;
    EXPECT_EQ(shown, replaced);
    EXPECT_EQ(work.batches, 1u);
    EXPECT_EQ(work.rows_written, 1u);
    EXPECT_EQ(work.gets, 1u);
    EXPECT_EQ(Get(Family::kTables, "a"), value.value_or("(none)"));
  }
  EXPECT_EQ(Get(Family::kTables, "b"), "2");
  EXPECT_EQ(Get(Family::kGlobalIndexes, "a"), "(none)");
}

TEST_P(StoreTest, WhatCommitOverMayNotReplaceStays) {
  const auto refuse = [](const std::string_view* /*row*/) { return absl::AbortedError("no"); };
  for (const std::string expected : {"(none)", "1"}) {
    for (const std::optional<std::string_view> value :
         {std::optional<std::string_view>("2"), std::optional<std::string_view>()}) {
      EXPECT_EQ(store_->CommitOver("a", value, refuse), absl::AbortedError("no"));
      for (int i = 0; i < 3; ++i) EXPECT_EQ(Get(Family::kTables, "a"), expected);
    }
    Put(Family::kTables, "a", "1");
  }
}

TEST_P(StoreTest, CountsWork) {
  for (const char* key : {"a", "b", "c"}) Put(Family::kTables, key, key);
  WorkCounters before = ThreadWork();
  Get(Family::kTables, "a");
  Get(Family::kTables, "none");
  WorkCounters work = ThreadWork() - before;
  EXPECT_EQ(work.gets, 2u);
  EXPECT_EQ(work.rows_read, 1u);
  EXPECT_EQ(work.seeks, 0u);

  before = ThreadWork();
  Scan("a", "c", Direction::kForward);
  ScanAfter("a", "c", Direction::kBackward, "x");
  work = ThreadWork() - before;
  EXPECT_EQ(work.seeks, 2u);
  EXPECT_EQ(work.rows_read, 4u);
  EXPECT_EQ(work.gets, 0u);

  before = ThreadWork();
  WriteBatch batch;
  ASSERT_TRUE(store_->Commit(batch).ok());
  batch.Put(Family::kTables, "a", "x");
  batch.Delete(Family::kTables, "b");
  ASSERT_TRUE(store_->Commit(batch).ok());
  work = ThreadWork() - before;
  EXPECT_EQ(work.batches, 1u);
  EXPECT_EQ(work.rows_written, 2u);
}

#ifndef NDEBUG
// Why: bytes in RocksDB's block cache or memtable go on looking right after a view's promise has
// ended. In a debug build no view points there, but into a copy of its own that is overwritten and
// freed, which AddressSanitizer reports.
TEST_P(StoreTest, StaleViewsBreak) {
  for (const char* key : {"a", "b"}) Put(Family::kTables, key, std::string(100, key[0]));
  Cursor cursor = store_->Scan(Family::kTables, "", "", Direction::kForward);
  cursor.SeekToStart();
  const char* const first = cursor.value().data();
  Row row;
  ASSERT_TRUE(*store_->Get(Family::kTables, "a", &row));
  // Neither points into RocksDB's memory, where stale bytes would go on looking right.
  EXPECT_NE(first, row.value().data());
  Row second;
  ASSERT_TRUE(*store_->Get(Family::kTables, "a", &second));
  EXPECT_NE(row.value().data(), second.value().data());
}
#endif

TEST_P(StoreTest, RowsOfDeadIdsGoAndOthersStay) {
  const std::string value(1000, 'v');
  for (uint32_t id = 1; id <= 3; ++id) {
    WriteBatch batch;
    for (int i = 0; i < 1000; ++i) {
      for (const Family family : {Family::kTables, Family::kGlobalIndexes, Family::kLog}) {
        batch.Put(family, RowIdPrefix(id) + std::to_string(i), value);
      }
    }
    ASSERT_TRUE(store_->Commit(batch).ok());
  }
  const std::string begin = RowIdPrefix(2), end = RowIdPrefix(3);
  // Id 3 is not alive either, but too new for this function to know.
  store_->SetLiveIds(
      std::make_shared<const LocalStore::IdIsAlive>([](uint32_t id) { return id == 1; }), 3);
  store_->ReclaimId(Family::kTables, 2);
  store_->ReclaimId(Family::kGlobalIndexes, 2);
  ASSERT_TRUE(store_->CompactAll().ok());
  EXPECT_THAT(Scan(begin, end, Direction::kForward), IsEmpty());
  // Of a megabyte the block that has rows of the ids around it.
  EXPECT_LT(store_->ApproximateBytes(Family::kGlobalIndexes, begin, end), 10'000u);
  EXPECT_EQ(Get(Family::kLog, RowIdPrefix(2) + "7"), value);
  for (const uint32_t id : {1u, 3u}) {
    EXPECT_EQ(Scan(RowIdPrefix(id), RowIdPrefix(id + 1), Direction::kForward).size(), 1000u);
  }
}

// Their keys begin with a time, so that the rows of an id are not together.
TEST_P(StoreTest, ExpiryRowsOfDeadIdsGo) {
  // Who waits for it does it, then.
  const NoRoomForThreads no_room;
  WriteBatch batch;
  for (int i = 0; i < 300; ++i) {
    const std::string time = "time" + std::to_string(1000 + i);
    batch.Put(Family::kExpiry, time + RowIdPrefix(1 + i % 3) + "row", std::string_view());
    batch.Put(Family::kLog, time + RowIdPrefix(1 + i % 3) + "row", "record");
  }
  batch.Put(Family::kExpiry, "short", std::string_view());
  ASSERT_TRUE(store_->Commit(batch).ok());
  store_->SetLiveIds(
      std::make_shared<const LocalStore::IdIsAlive>([](uint32_t id) { return id == 1; }), 3);
  ASSERT_TRUE(store_->CompactAll().ok());
  const auto rows_of = [this](Family family) {
    std::map<uint32_t, int> rows;
    Cursor cursor = store_->Scan(family, "time", "timf", Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      ++rows[RowIdFromKey(cursor.key().substr(kExpiryRowIdAt))];
    }
    return rows;
  };
  EXPECT_EQ(rows_of(Family::kExpiry), (std::map<uint32_t, int>{{1, 100}, {3, 100}}));
  EXPECT_EQ(rows_of(Family::kLog), (std::map<uint32_t, int>{{1, 100}, {2, 100}, {3, 100}}));
  Row row;
  EXPECT_TRUE(store_->Get(Family::kExpiry, "short", &row).value());
}

// What a compaction has replaced is gone a moment later, and was in order.
TEST_P(StoreTest, VerifiesBesideCompactions) {
  std::atomic<bool> is_over{false};
  const auto verify = [this, &is_over] {
    while (!is_over) {
      const absl::Status status = store_->VerifyChecksums();
      EXPECT_TRUE(status.ok()) << status;
      if (!status.ok()) is_over = true;
    }
  };
  // Either lets go of files that the other has been told of.
  std::thread first(verify), second(verify);
  for (int i = 0; i < 40 && !is_over; ++i) {
    WriteBatch batch;
    for (size_t family = 0; family < kFamilies; ++family) {
      batch.Put(static_cast<Family>(family), std::to_string(i), "v");
    }
    EXPECT_TRUE(store_->Commit(batch).ok());
    EXPECT_TRUE(store_->CompactAll().ok());
  }
  is_over = true;
  first.join();
  second.join();
}

TEST_P(StoreTest, ManyThreadsWriteAndRead) {
  constexpr int kThreads = 4, kRows = 300;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      WriteBatch batch;
      Row row;
      for (int i = 0; i < kRows; ++i) {
        const std::string key = std::to_string(t) + "/" + std::to_string(i);
        batch.Clear();
        batch.Put(Family::kTables, key, key);
        batch.Put(Family::kGlobalIndexes, key, key);
        ASSERT_TRUE(store_->Commit(batch).ok());
        ASSERT_TRUE(*store_->Get(Family::kGlobalIndexes, key, &row));
        ASSERT_EQ(row.value(), key);
        if (i % 100 == 0) store_->ReclaimId(Family::kTables, 7);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Scan("", "", Direction::kForward).size(), size_t{kThreads} * kRows);
}

// Deletes the row or puts it, in a batch and in a model of the store.
void ChangeAtRandom(const std::string& at, int step, std::mt19937* random, WriteBatch* batch,
                    std::map<std::string, std::string>* model) {
  if ((*random)() % 3 == 0) {
    batch->Delete(Family::kTables, at);
    model->erase(at);
  } else {
    batch->Put(Family::kTables, at, std::to_string(step));
    (*model)[at] = std::to_string(step);
  }
}

// Why: the cursor's two directions and its bounds go through four RocksDB calls; a map shows the
// truth.
TEST_P(StoreTest, AgreesWithAMap) {
  const uint32_t seed = 20260131;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto key = [&] {
    return std::string(1 + random() % 3, static_cast<char>('a' + random() % 4));
  };
  std::map<std::string, std::string> model;
  for (int step = 0; step < 2000; ++step) {
    WriteBatch batch;
    ChangeAtRandom(key(), step, &random, &batch, &model);
    ASSERT_TRUE(store_->Commit(batch).ok());
    if (random() % 200 == 0) {
      ASSERT_TRUE(store_->Flush().ok());
    }
    const std::string begin = key(), end = key(), after = key();
    std::vector<std::string> expected;
    for (const auto& [k, v] : model) {
      if (k >= begin && k < end && k > after) expected.push_back(k);
    }
    ASSERT_EQ(ScanAfter(begin, end, Direction::kForward, after), expected);
    expected.clear();
    for (auto it = model.rbegin(); it != model.rend(); ++it) {
      if (it->first >= begin && it->first < end && it->first < after) expected.push_back(it->first);
    }
    ASSERT_EQ(ScanAfter(begin, end, Direction::kBackward, after), expected);
    for (int i = 0; i < 3; ++i) {
      const std::string read = key();
      ASSERT_EQ(Get(Family::kTables, read), model.contains(read) ? model[read] : "(none)");
    }
  }
}

// The same for pages, of which each is read several times, so that the cache has it.
TEST_P(StoreTest, PagesAgreeWithAMap) {
  const uint32_t seed = 20261130;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto key = [&] {
    return Concat("collection-", std::to_string(random() % 3),
                  std::string(random() % 3, static_cast<char>('a' + random() % 4)));
  };
  std::map<std::string, std::string> model;
  const auto change = [&](int step) {
    WriteBatch batch;
    for (uint32_t i = 0; i <= random() % 3; ++i) {
      ChangeAtRandom(key(), step, &random, &batch, &model);
    }
    ASSERT_TRUE(store_->Commit(batch).ok());
  };
  const uint64_t hits = CacheHits();
  for (int step = 0; step < 4000; ++step) {
    if (random() % 8 == 0) change(step);
    if (random() % 400 == 0) {
      ASSERT_TRUE(store_->Flush().ok());
    }
    const std::string begin = random() % 2 == 0 ? key().substr(0, 12) : key();
    const std::string end = random() % 2 == 0 ? Concat(begin.substr(0, 12), "~") : key();
    const Direction direction = random() % 2 == 0 ? Direction::kForward : Direction::kBackward;
    const size_t limit = random() % 4;
    std::optional<std::string> after;
    if (random() % 4 == 0) after = key();
    std::vector<std::string> expected;
    for (const auto& [k, v] : model) {
      const bool is_behind = !after || (direction == Direction::kForward ? k > *after : k < *after);
      if (k >= begin && k < end && is_behind) expected.push_back(Concat(k, "=", v));
    }
    if (direction == Direction::kBackward) std::reverse(expected.begin(), expected.end());
    if (limit > 0 && expected.size() > limit) expected.resize(limit);
    ASSERT_EQ(Page(Family::kTables, begin, end, direction, limit, after), expected) << step;
  }
  if (HasCache()) {
    EXPECT_GT(CacheHits() - hits, 100u);
  }
}

// Why: point reads may be answered by the cache and others never are, and each may see what the
// other saw, but nothing older. Both rows of a batch are written together.
TEST_P(StoreTest, PointReadsFollowEveryOtherRead) {
  constexpr int kPairs = 3;
  constexpr int kSteps = 3000;
  const auto key = [](int pair, char half) { return Concat("row", std::to_string(pair), half); };
  for (int pair = 0; pair < kPairs; ++pair) {
    WriteBatch batch;
    batch.Put(Family::kTables, key(pair, 'a'), "0");
    batch.Put(Family::kTables, key(pair, 'b'), "0");
    ASSERT_TRUE(store_->Commit(batch).ok());
  }
  const auto read = [&](int pair, char half, int kind) -> int {
    const std::string at = key(pair, half);
    Row row;
    if (kind == 0) {
      const auto snapshot = store_->TakeSnapshot();
      EXPECT_TRUE(*snapshot->Get(Family::kTables, at, &row));
      return std::stoi(std::string(row.value()));
    }
    if (kind == 1) {
      Cursor cursor = store_->Scan(Family::kTables, at, Concat(at, 'x'), Direction::kForward);
      cursor.SeekToStart();
      EXPECT_TRUE(cursor.Valid());
      return std::stoi(std::string(cursor.value()));
    }
    EXPECT_TRUE(*store_->Get(Family::kTables, at, &row));
    return std::stoi(std::string(row.value()));
  };
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (uint32_t seed = 1; seed <= 2; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      while (!is_over) {
        const int pair = static_cast<int>(random() % kPairs);
        const int first = read(pair, random() % 2 ? 'a' : 'b', static_cast<int>(random() % 6));
        const int second = read(pair, random() % 2 ? 'a' : 'b', static_cast<int>(random() % 6));
        ASSERT_GE(second, first) << "seed " << seed;
      }
    });
  }
  std::mt19937 random(3);
  for (int step = 1; step <= kSteps; ++step) {
    const int pair = static_cast<int>(random() % kPairs);
    WriteBatch batch;
    batch.Put(Family::kTables, key(pair, 'a'), std::to_string(step));
    batch.Put(Family::kTables, key(pair, 'b'), std::to_string(step));
    ASSERT_TRUE(store_->Commit(batch).ok());
    ASSERT_EQ(read(pair, 'b', 2), step);
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
}

// The same with pages of two rows that each batch changes together.
TEST_P(StoreTest, PagesFollowEveryOtherRead) {
  constexpr int kPairs = 3;
  constexpr int kSteps = 3000;
  const auto prefix = [](int pair) { return Concat("collection-", std::to_string(pair)); };
  const auto put = [&](int pair, int step) {
    WriteBatch batch;
    for (const char* half : {"a", "b"}) {
      batch.Put(Family::kTables, Concat(prefix(pair), half), std::to_string(step));
      batch.Put(Family::kGlobalIndexes, Concat(prefix(pair), half), std::to_string(step));
    }
    ASSERT_TRUE(store_->Commit(batch).ok());
  };
  for (int pair = 0; pair < kPairs; ++pair) put(pair, 0);
  const auto read = [&](int pair, uint32_t kind) -> int {
    if (kind == 0) {
      Row row;
      EXPECT_TRUE(*store_->Get(Family::kTables, Concat(prefix(pair), "b"), &row));
      return std::stoi(std::string(row.value()));
    }
    const Family family = kind % 3 == 0 ? Family::kGlobalIndexes : Family::kTables;
    const Direction direction = kind % 2 == 0 ? Direction::kForward : Direction::kBackward;
    Cursor cursor = store_->ScanPage(family, prefix(pair), Concat(prefix(pair), "~"), direction,
                                     {.rows = kind % 4 == 0 ? size_t{2} : size_t{0}});
    cursor.SeekToStart();
    EXPECT_TRUE(cursor.Valid());
    const std::string first(cursor.value());
    cursor.Next();
    EXPECT_TRUE(cursor.Valid());
    EXPECT_EQ(cursor.value(), first);
    if (kind % 4 != 0) {
      cursor.Next();
      EXPECT_FALSE(cursor.Valid());
    }
    return std::stoi(first);
  };
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (uint32_t seed = 1; seed <= 2; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      while (!is_over) {
        const int pair = static_cast<int>(random() % kPairs);
        const int first = read(pair, random() % 12);
        ASSERT_GE(read(pair, random() % 12), first) << "seed " << seed;
      }
    });
  }
  std::mt19937 random(3);
  for (int step = 1; step <= kSteps; ++step) {
    const int pair = static_cast<int>(random() % kPairs);
    put(pair, step);
    ASSERT_EQ(read(pair, random() % 12), step);
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  if (HasCache()) {
    EXPECT_GT(CacheHits(), 100u);
  }
}

TEST(WriteBatchTest, KeepsLittleMemoryBehindClear) {
  WriteBatch batch;
  batch.Put(Family::kTables, "k", std::string(1000, 'x'));
  const size_t held = batch.held_bytes();
  batch.Clear();
  EXPECT_EQ(batch.held_bytes(), held);
  batch.Put(Family::kTables, "k", std::string(8 << 20, 'x'));
  EXPECT_GT(batch.held_bytes(), size_t{8} << 20);
  batch.Clear();
  EXPECT_LE(batch.held_bytes(), WriteBatch::kKeptBytesMax);
}

}  // namespace
}  // namespace dynolith
