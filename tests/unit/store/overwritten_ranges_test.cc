// Pages of rows that are overwritten all the time: an iterator passes all older versions of each
// row, so the cache keeps the rows of their collection, and a page is as it would be without it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/strings.h"
#include "engine/store/local_store.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

using testing::ScratchFolder;
using PageRows = std::vector<std::pair<std::string, std::string>>;

constexpr int kCollectionRows = 30;
// More than the walks after which a collection is cached.
constexpr int kCostlyWalks = 200;

std::string KeyOfRow(int row) { return Concat("collection-1", std::to_string(100 + row)); }

class OverwrittenRangesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    // What other tests of this program may have changed.
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
    auto store = LocalStore::Open({.path = folder_ / "data", .row_cache_bytes = 1 << 20});
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }

  void Put(std::string_view key, std::string_view value) {
    WriteBatch batch;
    batch.Put(Family::kTables, key, value);
    ASSERT_TRUE(store_->Commit(batch).ok());
  }
  void Delete(std::string_view key) {
    WriteBatch batch;
    batch.Delete(Family::kTables, key);
    ASSERT_TRUE(store_->Commit(batch).ok());
  }
  void Overwrite(int rows, int times) {
    for (int i = 0; i < times; ++i) {
      for (int row = 0; row < rows; ++row)
        Put(KeyOfRow(row), Concat(std::to_string(row), ".", std::to_string(i)));
    }
  }

  PageRows Page(int begin, int end, Direction direction, size_t limit) {
    Cursor cursor = store_->ScanPage(Family::kTables, KeyOfRow(begin), KeyOfRow(end), direction,
                                     {.rows = limit});
    PageRows rows;
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      rows.emplace_back(cursor.key(), cursor.value());
      if (rows.size() == limit) break;
    }
    EXPECT_TRUE(cursor.status().ok()) << cursor.status();
    return rows;
  }

  // Of pages at random.
  void Walk(std::mt19937* random, int pages) {
    for (int i = 0; i < pages; ++i) {
      const int begin = static_cast<int>((*random)() % (kCollectionRows - 10));
      Page(begin, kCollectionRows,
           (*random)() % 2 == 0 ? Direction::kForward : Direction::kBackward, 10);
    }
  }

  uint64_t CacheHits() const { return store_->TakeStatistics().row_cache_hits; }

  ScratchFolder folder_;
  std::unique_ptr<LocalStore> store_;
};

TEST_F(OverwrittenRangesTest, NoOlderVersionIsPassedAnyMore) {
  std::mt19937 random(1);
  Overwrite(kCollectionRows, 20);
  Walk(&random, kCostlyWalks);
  rocksdb::PerfContext& work = *rocksdb::get_perf_context();
  for (int turn = 0; turn < 3; ++turn) {
    Overwrite(kCollectionRows, 20);
    work.Reset();
    for (int begin = 0; begin < kCollectionRows; ++begin) {
      for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
        PageRows expected;
        for (int row = begin; row < kCollectionRows; ++row) {
          expected.emplace_back(KeyOfRow(row), Concat(std::to_string(row), ".19"));
        }
        if (direction == Direction::kBackward) std::reverse(expected.begin(), expected.end());
        EXPECT_EQ(Page(begin, kCollectionRows, direction, 0), expected);
        if (expected.size() > 10) expected.resize(10);
        EXPECT_EQ(Page(begin, kCollectionRows, direction, 10), expected);
      }
    }
    EXPECT_EQ(work.internal_key_skipped_count, 0u);
  }
}

TEST_F(OverwrittenRangesTest, ARowThatComesOrGoesIsSeen) {
  std::mt19937 random(2);
  Overwrite(kCollectionRows, 20);
  Walk(&random, kCostlyWalks);
  Overwrite(kCollectionRows, 20);
  EXPECT_EQ(Page(3, 6, Direction::kForward, 0).size(), 3u);
  Delete(KeyOfRow(4));
  const PageRows without = {{KeyOfRow(3), "3.19"}, {KeyOfRow(5), "5.19"}};
  EXPECT_EQ(Page(3, 6, Direction::kForward, 0), without);
  Put(Concat(KeyOfRow(4), "a"), "new");
  const PageRows with = {
      {KeyOfRow(3), "3.19"}, {Concat(KeyOfRow(4), "a"), "new"}, {KeyOfRow(5), "5.19"}};
  EXPECT_EQ(Page(3, 6, Direction::kForward, 0), with);
  EXPECT_EQ(Page(3, 6, Direction::kBackward, 0), PageRows(with.rbegin(), with.rend()));
  // In time without older versions again.
  Walk(&random, kCostlyWalks);
  Overwrite(3, 20);
  rocksdb::PerfContext& work = *rocksdb::get_perf_context();
  work.Reset();
  EXPECT_EQ(Page(0, 3, Direction::kForward, 2).size(), 2u);
  EXPECT_EQ(work.internal_key_skipped_count, 0u);
}

// Nobody walks it again and again only to find that.
TEST_F(OverwrittenRangesTest, ALargeCollectionIsLeftToIterators) {
  std::mt19937 random(3);
  for (int row = 0; row < 600; ++row) Put(Concat("collection-1x", std::to_string(1000 + row)), "x");
  Overwrite(kCollectionRows, 20);
  rocksdb::PerfContext& work = *rocksdb::get_perf_context();
  Walk(&random, kCostlyWalks);
  Overwrite(kCollectionRows, 20);
  work.Reset();
  Walk(&random, kCostlyWalks);
  // Of pages: a walk over the collection would seek once and step over hundreds of rows.
  EXPECT_LT(work.internal_key_skipped_count, uint64_t{kCostlyWalks} * 10 * 20);
  EXPECT_EQ(Page(2, 4, Direction::kForward, 0),
            (PageRows{{KeyOfRow(2), "2.19"}, {KeyOfRow(3), "3.19"}}));
}

TEST_F(OverwrittenRangesTest, PagesAgreeWithAMap) {
  const uint32_t seed = 20261201;
  std::mt19937 random(seed);
  std::map<std::string, std::string> model;
  for (int step = 0; step < 20'000; ++step) {
    const int changes = random() % 8 == 0 ? 40 : static_cast<int>(random() % 3);
    for (int i = 0; i < changes; ++i) {
      const std::string key = KeyOfRow(static_cast<int>(random() % kCollectionRows));
      if (random() % 400 == 0) {
        model.erase(key);
        Delete(key);
      } else if (model.contains(key) || random() % 20 == 0) {
        model[key] = std::to_string(step);
        Put(key, model[key]);
      }
    }
    const int begin = static_cast<int>(random() % kCollectionRows);
    const int end = begin + 1 + static_cast<int>(random() % kCollectionRows);
    const Direction direction = random() % 2 == 0 ? Direction::kForward : Direction::kBackward;
    const size_t limit = random() % 12;
    PageRows expected(model.lower_bound(KeyOfRow(begin)), model.lower_bound(KeyOfRow(end)));
    if (direction == Direction::kBackward) std::reverse(expected.begin(), expected.end());
    if (limit > 0 && expected.size() > limit) expected.resize(limit);
    ASSERT_EQ(Page(begin, end, direction, limit), expected) << "seed " << seed << ", step " << step;
  }
  EXPECT_GT(CacheHits(), 5'000u);
}

// The rows of a pair have one value and come and go together, so a page of both shows whether it is
// of one moment.
TEST_F(OverwrittenRangesTest, PagesAreOfOneMoment) {
  constexpr int kPairs = kCollectionRows / 2;
  constexpr int kSteps = 20'000;
  std::vector<std::atomic<int>> seen(kPairs);
  const auto change = [&](int pair, std::optional<int> step) {
    WriteBatch batch;
    for (const int row : {2 * pair, 2 * pair + 1}) {
      step ? batch.Put(Family::kTables, KeyOfRow(row), std::to_string(*step))
           : batch.Delete(Family::kTables, KeyOfRow(row));
    }
    ASSERT_TRUE(store_->Commit(batch).ok());
  };
  for (int pair = 0; pair < kPairs; ++pair) change(pair, 0);
  std::atomic<bool> is_over = false;
  std::atomic<uint64_t> pages = 0;
  const auto read = [&](uint32_t seed) {
    std::mt19937 random(seed);
    while (!is_over) {
      const int begin = static_cast<int>(random() % kPairs);
      const int end = begin + 1 + static_cast<int>(random() % 6);
      std::vector<int> least(kPairs);
      for (int pair = begin; pair < std::min(end, kPairs); ++pair) least[pair] = seen[pair];
      const PageRows rows = Page(2 * begin, 2 * end,
                                 random() % 2 == 0 ? Direction::kForward : Direction::kBackward, 0);
      ASSERT_EQ(rows.size() % 2, 0u);
      for (size_t i = 0; i < rows.size(); i += 2) {
        ASSERT_EQ(rows[i].second, rows[i + 1].second) << rows[i].first;
        const int pair = (std::stoi(rows[i].first.substr(12)) - 100) / 2;
        const int value = std::stoi(rows[i].second);
        ASSERT_GE(value, least[pair]);
        for (int now = seen[pair]; now < value && !seen[pair].compare_exchange_weak(now, value);) {
        }
      }
      ++pages;
    }
  };
  std::vector<std::thread> readers;
  for (uint32_t seed = 1; seed <= 2; ++seed) readers.emplace_back(read, seed);
  std::mt19937 random(3);
  for (int step = 1; step <= kSteps; ++step) {
    const int pair = static_cast<int>(random() % kPairs);
    const std::string value = std::to_string(step);
    PageRows expected = {{KeyOfRow(2 * pair), value}, {KeyOfRow(2 * pair + 1), value}};
    if (random() % 50 == 0) {
      change(pair, std::nullopt);
      expected.clear();
    } else {
      change(pair, step);
    }
    // Nobody else changes it, so it is what it was made, whatever readers add to the cache.
    ASSERT_EQ(Page(2 * pair, 2 * pair + 2, Direction::kForward, 0), expected);
    // Between bursts, readers find a quiet collection.
    if (step % 50 == 0) {
      const uint64_t before = pages;
      while (pages < before + 20) std::this_thread::yield();
    }
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_GT(CacheHits(), 100u);
}

}  // namespace
}  // namespace dynolith
