// A store that follows the writer of its folder: after each CatchUp it is the writer's at one
// moment, whatever the writer does meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "engine/store/local_store.h"
#include "engine/store/row_id.h"
#include "tests/unit/store/pair_writer.h"
#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/test_key.h"

namespace dynolith {
namespace {

using testing::PairWriter;
using testing::ScratchFolder;
using Rows = std::map<std::string, std::string>;

class FollowingTest : public ::testing::Test {
 protected:
  StoreOptions Options() const {
    StoreOptions options;
    options.path = folder_ / "store";
    options.encryption_key = testing::TestKey();
    // A log is replaced every few hundred commits.
    options.write_buffer_bytes = 512 << 10;
    return options;
  }
  void OpenWriter() {
    writer_.reset();
    auto store = LocalStore::Open(Options());
    ASSERT_TRUE(store.ok()) << store.status();
    writer_ = *std::move(store);
  }
  void OpenFollower() {
    StoreOptions options = Options();
    options.read_only = options.beside_writer = options.follows = true;
    auto store = LocalStore::Open(options);
    ASSERT_TRUE(store.ok()) << store.status();
    follower_ = *std::move(store);
  }
  void SetUp() override {
    OpenWriter();
    OpenFollower();
  }
  TakenOver CatchUp() {
    const absl::StatusOr<TakenOver> taken = follower_->CatchUp();
    EXPECT_TRUE(taken.ok()) << taken.status();
    return taken.value_or(TakenOver());
  }
  void Put(Family family, const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.Put(family, key, value);
    ASSERT_TRUE(writer_->Commit(batch).ok());
  }
  static Rows ReadRows(const Store& store, Family family) {
    Rows rows;
    Cursor cursor = store.Scan(family, "", "", Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      rows.emplace(cursor.key(), cursor.value());
    }
    EXPECT_TRUE(cursor.status().ok()) << cursor.status();
    return rows;
  }
  struct Ends {
    int rows = 0;
    std::string last;
    friend bool operator==(const Ends&, const Ends&) = default;
  };
  static Ends Look(const Store& store, Family family) {
    Ends ends;
    Cursor cursor = store.Scan(family, "", "", Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      ++ends.rows;
      ends.last = cursor.key();
    }
    EXPECT_TRUE(cursor.status().ok()) << cursor.status();
    return ends;
  }
  void ExpectSame() {
    for (size_t i = 0; i < kFamilies; ++i) {
      const auto family = static_cast<Family>(i);
      const Rows expected = ReadRows(*writer_, family);
      const Rows rows = ReadRows(*follower_, family);
      EXPECT_EQ(rows.size(), expected.size()) << i;
      EXPECT_TRUE(rows == expected) << i;
    }
  }

  ScratchFolder folder_;
  std::unique_ptr<LocalStore> writer_;
  std::unique_ptr<LocalStore> follower_;
};

TEST_F(FollowingTest, CommitsAreThereAfterCatchUpAndNotBefore) {
  CatchUp();
  Put(Family::kTables, "a", "1");
  EXPECT_TRUE(*follower_->HasFallenBehind());
  EXPECT_TRUE(ReadRows(*follower_, Family::kTables).empty());
  TakenOver taken = CatchUp();
  EXPECT_TRUE(taken.has_changed);
  EXPECT_FALSE(taken.has_changed_meta);
  EXPECT_EQ(taken.rows, 1U);
  EXPECT_FALSE(*follower_->HasFallenBehind());
  ExpectSame();
  EXPECT_FALSE(CatchUp().has_changed);

  Put(Family::kMeta, "m", "1");
  EXPECT_TRUE(CatchUp().has_changed_meta);
  const auto snapshot = follower_->TakeSnapshot();
  EXPECT_EQ(ReadRows(*follower_, Family::kMeta).size(), 1U);
  Row row;
  EXPECT_TRUE(*snapshot->Get(Family::kMeta, "m", &row));
  EXPECT_EQ(row.value(), "1");
}

TEST_F(FollowingTest, WhatTheWriterDoesToItsFiles) {
  const auto sorted_key = [](int i) {
    return RowIdPrefix(9).append(std::to_string(1'000'000 + i));
  };
  for (int i = 0; i < 100; ++i) Put(Family::kLog, "l" + std::to_string(100 + i), "x");
  CatchUp();
  ExpectSame();
  // A range that is deleted, before and after it is in table files.
  WriteBatch range;
  range.DeleteRange(Family::kLog, "l110", "l150");
  ASSERT_TRUE(writer_->Commit(range).ok());
  CatchUp();
  ExpectSame();
  ASSERT_TRUE(writer_->Flush().ok());
  CatchUp();
  ExpectSame();
  ASSERT_TRUE(writer_->CompactAll().ok());
  CatchUp();
  ExpectSame();
  // Rows that are in no log.
  auto sorted = writer_->NewSortedRows();
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(sorted->Put(Family::kTables, sorted_key(i), std::string(100, 'x')).ok());
  }
  ASSERT_TRUE(sorted->Commit().ok());
  sorted.reset();
  CatchUp();
  ExpectSame();
  // Another manifest.
  for (int i = 0; i < 3; ++i) {
    OpenWriter();
    Put(Family::kTables, "again" + std::to_string(i), "x");
    EXPECT_TRUE(CatchUp().has_changed);
    ExpectSame();
  }
  // A follower that begins now.
  OpenFollower();
  ExpectSame();
}

// A pair is two rows of one commit: no state has one of them. And none is older than one before.
TEST_F(FollowingTest, EachStateIsOneOfTheWriters) {
  constexpr int kPairs = 8'000;
  std::atomic<int> acknowledged = 0;
  PairWriter pairs;
  std::thread writing([&] {
    while (acknowledged < kPairs) {
      ASSERT_TRUE(pairs.Commit(writer_.get(), 1'000).ok());
      acknowledged = pairs.acknowledgements();
    }
  });
  for (int before = 0; before < kPairs;) {
    const int least = acknowledged;
    CatchUp();
    const Ends tables = Look(*follower_, Family::kTables);
    ASSERT_GE(tables.rows, std::max(least, before));
    ASSERT_EQ(tables, Look(*follower_, Family::kGlobalIndexes));
    before = tables.rows;
  }
  writing.join();
  pairs.Check(*follower_, PairWriter::Refused::kAreGone);
}

// What a log still had when it was read last is newest wherever it is when it is read next: in that
// log, in one behind it, or in table files alone.
TEST_F(FollowingTest, ALogThatIsGoneHidesNothing) {
  const auto value_at = [this](Family family) {
    Row row;
    EXPECT_TRUE(*follower_->Get(family, "k", &row));
    return std::string(row.value());
  };
  int value = 0;
  const auto put = [&](Family family) { Put(family, "k", std::to_string(++value)); };
  for (const bool goes_on : {false, true}) {
    for (int flushes = 0; flushes < 3; ++flushes) {
      put(Family::kMeta);
      CatchUp();
      for (int i = 0; i < flushes; ++i) {
        put(Family::kMeta);
        ASSERT_TRUE(writer_->Flush().ok());
      }
      const std::string last = std::to_string(value);
      if (goes_on) put(Family::kTables);
      const bool has_changed_meta = CatchUp().has_changed_meta;
      if (flushes > 0) {
        EXPECT_TRUE(has_changed_meta);
      }
      EXPECT_EQ(value_at(Family::kMeta), last) << flushes;
      ExpectSame();
      // Once the writer's compactions are over, nothing is new behind it.
      int changes = 0;
      while (CatchUp().has_changed) ASSERT_LT(++changes, 1'000);
    }
  }
  // A range that was deleted there covers what was read before.
  Put(Family::kLog, "a", "1");
  CatchUp();
  WriteBatch range;
  range.DeleteRange(Family::kLog, "a", "z");
  ASSERT_TRUE(writer_->Commit(range).ok());
  ASSERT_TRUE(writer_->Flush().ok());
  CatchUp();
  ExpectSame();
  Row row;
  EXPECT_FALSE(*follower_->Get(Family::kLog, "a", &row));
}

// RocksDB would show the rows without those of the file.
TEST_F(FollowingTest, ATableFileThatIsGoneIsNamed) {
  CatchUp();
  Put(Family::kTables, "a", "1");
  ASSERT_TRUE(writer_->Flush().ok());
  std::string gone;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "store")) {
    if (entry.path().extension() == ".sst") gone = std::max(gone, entry.path().string());
  }
  ASSERT_FALSE(gone.empty());
  std::filesystem::rename(gone, folder_ / "elsewhere");
  const absl::Status failure = follower_->CatchUp().status();
  EXPECT_TRUE(absl::IsDataLoss(failure)) << failure;
  EXPECT_THAT(std::string(failure.message()), ::testing::HasSubstr(gone));
  std::filesystem::rename(folder_ / "elsewhere", gone);
  CatchUp();
  ExpectSame();
}

TEST_F(FollowingTest, OthersDoNotFollow) {
  EXPECT_EQ(writer_->CatchUp().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(writer_->HasFallenBehind().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(follower_->CheckWritable().code(), absl::StatusCode::kPermissionDenied);
  WriteBatch batch;
  batch.Put(Family::kTables, "a", "1");
  EXPECT_EQ(follower_->Commit(batch).code(), absl::StatusCode::kPermissionDenied);
}

}  // namespace
}  // namespace dynolith
