// Sorted rows on any number of threads: the same rows as in a map, whatever their keys look like,
// wherever the keys are divided, and whoever put them.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/local_store.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

using Rows = std::map<std::string, std::string>;
using testing::ScratchFolder;

// Of the program's random moves, so that every key of a shape comes again.
using KeyMaker = std::string (*)(uint32_t random);

std::string OneOfMany(uint32_t random) { return "row" + std::to_string(random % 20'000); }
std::string OneOfTwo(uint32_t random) { return random % 2 == 0 ? "a" : "b"; }
std::string TheOne(uint32_t) { return "the one"; }
std::string BeginningsOfOthers(uint32_t random) { return std::string(random % 900, 'k'); }
// All in one corner of the range, but for one.
std::string OneFarAway(uint32_t random) {
  return random % 5'000 == 0 ? std::string("a") : "zzzzzzzz" + std::to_string(random % 9'000);
}

class SortedThreadsTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    StoreOptions options;
    options.path = folder_ / "store";
    // An eighth of a megabyte is spilled.
    options.memtables_bytes = 512 << 10;
    options.sorting_threads = GetParam();
    auto store = LocalStore::Open(options);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }
  Rows ReadRows(Family family) const {
    Rows rows;
    Cursor cursor = store_->Scan(family, "", "", Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      rows.emplace(cursor.key(), cursor.value());
    }
    EXPECT_TRUE(cursor.status().ok()) << cursor.status();
    return rows;
  }
  bool IsFolderEmpty() const { return std::filesystem::is_empty(folder_ / "store/sorted"); }

  ScratchFolder folder_;
  std::unique_ptr<LocalStore> store_;
};

TEST_P(SortedThreadsTest, TheyAreThoseOfAMap) {
  uint32_t id = 0;
  for (const KeyMaker key_of : {OneOfMany, OneOfTwo, TheOne, BeginningsOfOthers, OneFarAway}) {
    std::mt19937 random(++id);
    Rows expected;
    const auto sorted = store_->NewSortedRows();
    for (int i = 0; i < 6'000; ++i) {
      const std::string key = std::to_string(id) + key_of(random());
      std::string value = std::to_string(i) + std::string(random() % 400, 'v');
      // One as large as what is gathered in all.
      if (i == 3'000) value.append(200 << 10, 'h');
      ASSERT_TRUE(sorted->Put(Family::kTables, key, value).ok());
      expected[key] = std::move(value);
    }
    ASSERT_TRUE(sorted->Commit().ok());
    Rows found = ReadRows(Family::kTables);
    std::erase_if(found,
                  [&](const auto& row) { return !row.first.starts_with(std::to_string(id)); });
    EXPECT_TRUE(found == expected) << id << ": " << found.size() << " of " << expected.size();
  }
  EXPECT_TRUE(IsFolderEmpty());
}

// Why: rows in order are table files already when the first one comes that is not.
TEST_P(SortedThreadsTest, OrderThatEndsIsNoOrder) {
  Rows expected;
  const auto sorted = store_->NewSortedRows();
  const auto put = [&](int i, std::string value) {
    const std::string key = "row" + std::to_string(100'000 + i);
    value.resize(300, ' ');
    ASSERT_TRUE(sorted->Put(Family::kTables, key, value).ok());
    expected[key] = value;
  };
  for (int i = 0; i < 3'000; ++i) put(i, "first");
  for (int i = 2'999; i > 1'000; --i) put(i, "second");
  for (int i = 5'000; i < 8'000; ++i) put(i, "third");
  put(0, "fourth");
  ASSERT_TRUE(sorted->Commit().ok());
  EXPECT_TRUE(ReadRows(Family::kTables) == expected);
}

TEST_P(SortedThreadsTest, SeveralThreadsFillOne) {
  for (const int rows : {30, 700, 4'000}) {
    for (const bool is_in_order : {true, false}) {
      const std::string prefix = std::to_string(rows) + (is_in_order ? "+" : "-");
      constexpr int kThreads = 4;
      std::vector<std::unique_ptr<SortedRows>> parts;
      std::vector<std::future<absl::Status>> fillers;
      Rows expected;
      for (int thread = 0; thread < kThreads; ++thread) {
        parts.push_back(store_->NewSortedRows(kThreads));
        const auto key_of = [=](int i) {
          const int n = is_in_order ? i : i * 7919 % rows;
          return prefix +
                 std::to_string(1'000'000 + (is_in_order ? thread * rows + n : n * 4 + thread));
        };
        for (int i = 0; i < rows; ++i) expected[key_of(i)] = std::string(120, 'v');
        fillers.push_back(std::async(std::launch::async, [=, part = parts.back().get()] {
          absl::Status status;
          for (int i = 0; i < rows && status.ok(); ++i) {
            status = part->Put(Family::kTables, key_of(i), std::string(120, 'v'));
            // In a family that not all of them have.
            if (status.ok() && thread > 1)
              status = part->Put(Family::kLocalIndexes, key_of(i), "e");
          }
          return status;
        }));
      }
      for (auto& filler : fillers) ASSERT_TRUE(filler.get().ok());
      for (int thread = 1; thread < kThreads; ++thread) {
        ASSERT_TRUE(parts[0]->Join(std::move(parts[static_cast<size_t>(thread)])).ok());
      }
      ASSERT_TRUE(parts[0]->Commit().ok());
      Rows found = ReadRows(Family::kTables);
      std::erase_if(found, [&](const auto& row) { return !row.first.starts_with(prefix); });
      EXPECT_TRUE(found == expected) << prefix << ": " << found.size();
      Rows entries = ReadRows(Family::kLocalIndexes);
      std::erase_if(entries, [&](const auto& row) { return !row.first.starts_with(prefix); });
      EXPECT_EQ(entries.size(), static_cast<size_t>(2 * rows)) << prefix;
    }
  }
  EXPECT_TRUE(IsFolderEmpty());
}

// Why: whoever ends in the middle leaves neither threads nor files.
TEST_P(SortedThreadsTest, WhoEndsInTheMiddleLeavesNothing) {
  for (const int asks : {0, 1, 2}) {
    const auto sorted = store_->NewSortedRows();
    for (int i = 0; i < 20'000; ++i) {
      const std::string key = "row" + std::to_string(i * 7919 % 20'000);
      ASSERT_TRUE(sorted->Put(Family::kTables, key, std::string(300, 'x')).ok());
    }
    int asked = 0;
    const absl::Status status = sorted->Commit(
        [&] { return asked++ == asks ? absl::CancelledError("enough") : absl::OkStatus(); });
    if (status.ok()) return;  // a disk that is faster than that
    EXPECT_TRUE(absl::IsCancelled(status)) << status;
  }
  EXPECT_TRUE(ReadRows(Family::kTables).empty());
  EXPECT_TRUE(IsFolderEmpty());
}

INSTANTIATE_TEST_SUITE_P(Threads, SortedThreadsTest, ::testing::Values(1, 2, 5));

}  // namespace
}  // namespace dynolith
