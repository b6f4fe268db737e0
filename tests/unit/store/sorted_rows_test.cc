// Rows that are taken in as sorted files: all that were put are there, in whatever order they
// came, and nothing else changes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include "engine/store/local_store.h"
#include "engine/store/row_id.h"
#include "engine/store/salvage/salvage.h"
#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/test_key.h"

namespace dynolith {
namespace {

using testing::ScratchFolder;
using Rows = std::map<std::string, std::string>;

class SortedRowsTest : public ::testing::TestWithParam<bool> {
 protected:
  StoreOptions Options() const {
    StoreOptions options;
    options.path = folder_ / "store";
    options.encryption_key = testing::TestKey();
    options.in_memory = GetParam();
    // Of more than an eighth of a megabyte a file is made.
    options.memtables_bytes = 512 << 10;
    return options;
  }
  void Open() {
    store_.reset();
    auto store = LocalStore::Open(Options());
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }
  void SetUp() override { Open(); }

  Rows ReadRows(Family family) const {
    Rows rows;
    Cursor cursor = store_->Scan(family, "", "", Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      rows.emplace(cursor.key(), cursor.value());
    }
    EXPECT_TRUE(cursor.status().ok()) << cursor.status();
    return rows;
  }
  void Put(std::string_view key, std::string_view value) {
    WriteBatch batch;
    batch.Put(Family::kTables, key, value);
    ASSERT_TRUE(store_->Commit(batch).ok());
  }
  static std::string Key(int i) {
    std::string key = RowIdPrefix(7);
    return key.append(std::to_string(1'000'000 + i));
  }

  ScratchFolder folder_;
  std::unique_ptr<LocalStore> store_;
};

TEST_P(SortedRowsTest, AllAreThereInWhateverOrderTheyCame) {
  for (const int step : {1, 7919, -1}) {
    Open();
    const auto sorted = store_->NewSortedRows();
    Rows tables;
    Rows entries;
    constexpr int kRows = 20'000;
    for (int i = 0; i < kRows; ++i) {
      const int n = step < 0 ? kRows - i : static_cast<int>(int64_t{i} * step % kRows);
      const std::string value(static_cast<size_t>(n % 200), static_cast<char>('a' + n % 23));
      // Each step has an id of its own: nothing is there yet.
      const std::string key = RowIdPrefix(static_cast<uint32_t>(step + 10)) + std::to_string(n);
      ASSERT_TRUE(sorted->Put(Family::kTables, key, value).ok());
      tables[key] = value;
      if (n % 3 != 0) continue;
      ASSERT_TRUE(sorted->Put(Family::kGlobalIndexes, value + key, "").ok());
      entries[value + key] = "";
    }
    ASSERT_TRUE(sorted->Commit().ok());
    Rows found = ReadRows(Family::kTables);
    std::erase_if(found, [&](const auto& row) { return !tables.contains(row.first); });
    EXPECT_TRUE(found == tables) << step << ": " << found.size() << " of " << tables.size();
    found = ReadRows(Family::kGlobalIndexes);
    std::erase_if(found, [&](const auto& row) { return !entries.contains(row.first); });
    EXPECT_TRUE(found == entries) << step;
  }
}

TEST_P(SortedRowsTest, TheLaterOfTwoStays) {
  const auto sorted = store_->NewSortedRows();
  Rows rows;
  std::mt19937 random(7);
  // So many that files are merged on the way.
  for (int i = 0; i < 40'000; ++i) {
    const std::string key = Key(static_cast<int>(random() % 3'000));
    rows[key] = std::to_string(i) + std::string(300, 'x');
    ASSERT_TRUE(sorted->Put(Family::kTables, key, rows[key]).ok());
  }
  ASSERT_TRUE(sorted->Commit().ok());
  EXPECT_TRUE(ReadRows(Family::kTables) == rows);
}

TEST_P(SortedRowsTest, FewAndNoneAreThere) {
  EXPECT_TRUE(store_->NewSortedRows()->Commit().ok());
  const auto sorted = store_->NewSortedRows();
  ASSERT_TRUE(sorted->Put(Family::kTables, Key(2), "2").ok());
  ASSERT_TRUE(sorted->Put(Family::kTables, Key(1), "1").ok());
  ASSERT_TRUE(sorted->Put(Family::kTables, Key(2), "3").ok());
  ASSERT_TRUE(sorted->Commit().ok());
  EXPECT_EQ(ReadRows(Family::kTables), (Rows{{Key(1), "1"}, {Key(2), "3"}}));
}

TEST_P(SortedRowsTest, WhoEndsIsNotKept) {
  const auto sorted = store_->NewSortedRows();
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = Key(i * 7919 % 20'000);
    ASSERT_TRUE(sorted->Put(Family::kTables, key, std::string(100, 'x')).ok());
  }
  int asked = 0;
  const absl::Status status = sorted->Commit(
      [&asked] { return ++asked > 1 ? absl::CancelledError("enough") : absl::OkStatus(); });
  // A fast disk may be done before it is asked again.
  EXPECT_TRUE(status.ok() || absl::IsCancelled(status)) << status;
  const auto refused = store_->NewSortedRows();
  ASSERT_TRUE(refused->Put(Family::kTables, Key(50'000), "x").ok());
  EXPECT_TRUE(absl::IsCancelled(refused->Commit([] { return absl::CancelledError("enough"); })));
  EXPECT_FALSE(ReadRows(Family::kTables).contains(Key(50'000)));
}

TEST_P(SortedRowsTest, WhatIsNotCommittedIsNotThere) {
  {
    const auto sorted = store_->NewSortedRows();
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(sorted->Put(Family::kTables, Key(i), std::string(8'000, 'x')).ok());
    }
  }
  if (GetParam()) return;  // in memory some may be
  EXPECT_EQ(ReadRows(Family::kTables), Rows());
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "store/sorted"));
}

// Why: files that RocksDB cannot take in without a sequence number are rewritten as batches.
TEST_P(SortedRowsTest, RowsAroundThemAreNoHindrance) {
  Rows rows = {{Key(0), "before"}, {Key(900'000), "behind"}};
  for (const auto& [key, value] : rows) Put(key, value);
  const auto sorted = store_->NewSortedRows();
  for (int i = 1; i < 1'000; ++i) {
    rows[Key(i)] = std::string(2'000, static_cast<char>('a' + i % 23));
    ASSERT_TRUE(sorted->Put(Family::kTables, Key(i), rows[Key(i)]).ok());
  }
  Put(Key(500'000), "meanwhile");
  rows[Key(500'000)] = "meanwhile";
  ASSERT_TRUE(store_->Flush().ok());
  ASSERT_TRUE(sorted->Commit().ok());
  EXPECT_TRUE(ReadRows(Family::kTables) == rows);
}

// Why: a number that RocksDB gave to files would look like a hole between the changes of two logs.
TEST_P(SortedRowsTest, AStoreThatWasKilledBehindThemOpens) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer ends a forked process that starts threads";
#endif
  if (GetParam()) return;
  store_.reset();
  const pid_t child = fork();
  if (child == 0) {
    Open();
    const auto snapshot = store_->TakeSnapshot();
    for (int round = 0; round < 4; ++round) {
      const auto sorted = store_->NewSortedRows();
      for (int i = 0; i < 2'000; ++i) {
        if (!sorted->Put(Family::kTables, Key(round * 10'000 + i), std::string(700, 'x')).ok())
          _exit(1);
      }
      Put("a" + std::to_string(round), "logged");
      if (!sorted->Commit().ok()) _exit(2);
      Put("b" + std::to_string(round), "logged");
    }
    // And some that never came to be.
    const auto sorted = store_->NewSortedRows();
    for (int i = 0; i < 2'000; ++i) {
      if (!sorted->Put(Family::kTables, Key(90'000 + i), std::string(700, 'x')).ok()) _exit(3);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  EXPECT_FALSE(std::filesystem::is_empty(folder_ / "store/sorted"));
  Open();
  EXPECT_EQ(ReadRows(Family::kTables).size(), 8'000u + 8u);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "store/sorted"));
  EXPECT_TRUE(store_->VerifyChecksums().ok());
  Open();
  EXPECT_EQ(ReadRows(Family::kTables).size(), 8'000u + 8u);
}

// Why: what was made outside of a store does not say under which name it lies there.
TEST_P(SortedRowsTest, OneUnderAnothersNameIsTold) {
  if (GetParam()) return;
  for (int round = 1; round <= 2; ++round) {
    const auto sorted = store_->NewSortedRows();
    for (int i = 0; i < 5'000 * round; ++i) {
      const std::string key = RowIdPrefix(static_cast<uint32_t>(round)) + std::to_string(i);
      ASSERT_TRUE(sorted->Put(Family::kTables, key, std::string(300, 'x')).ok());
    }
    ASSERT_TRUE(sorted->Commit().ok());
  }
  store_.reset();
  const std::string data = folder_ / "store";
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(data)) {
    if (entry.path().extension() == ".sst") files.push_back(entry.path().string());
  }
  ASSERT_EQ(files.size(), 2u);
  const auto report = Salvage(
      data, folder_ / "saved", [](const std::string& line) { ADD_FAILURE() << line; },
      testing::TestKey());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->table_files, 2u);
  std::filesystem::rename(files[0], files[0] + "x");
  std::filesystem::rename(files[1], files[0]);
  std::filesystem::rename(files[0] + "x", files[1]);
  const auto store = LocalStore::Open(Options());
  EXPECT_EQ(store.status().code(), absl::StatusCode::kDataLoss);
  const std::string message(store.status().message());
  EXPECT_TRUE(message.find(files[0]) != message.npos || message.find(files[1]) != message.npos)
      << message;
}

TEST_P(SortedRowsTest, AReadOnlyStoreRefusesThem) {
  if (GetParam()) return;
  store_.reset();
  StoreOptions options = Options();
  options.read_only = true;
  auto store = LocalStore::Open(options);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ((*store)->NewSortedRows()->Put(Family::kTables, Key(1), "").code(),
            absl::StatusCode::kFailedPrecondition);
}

INSTANTIATE_TEST_SUITE_P(OnDiskAndInMemory, SortedRowsTest, ::testing::Bool(),
                         [](const auto& in_memory) {
                           return in_memory.param ? "InMemory" : "OnDisk";
                         });

}  // namespace
}  // namespace dynolith
