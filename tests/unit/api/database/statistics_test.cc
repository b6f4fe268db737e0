// The figures by which a program watches its database: each must move when that happens of which it
// tells, or it is worse than none.
#include "dynolith/statistics.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "dynolith/database.h"
#include "tests/unit/api/database/songs.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith::testing {
namespace {

TEST(StatisticsTest, FollowWhatIsStored) {
  ScratchFolder folder;
  auto database = *Database::Open({.path = folder / "data", .block_cache_bytes = size_t{1} << 20});
  const Statistics before = database->TakeStatistics();
  EXPECT_EQ(before.tables, 0u);
  ASSERT_TRUE(CreateSongs(database.get()).ok());
  ASSERT_TRUE(PutSongs(database.get(), 1000).ok());
  const Statistics written = database->TakeStatistics();
  EXPECT_EQ(written.tables, 1u);
  EXPECT_EQ(written.indexes, 0u);
  EXPECT_GE(written.store.rows_estimated, 1000u);
  EXPECT_GT(written.store.memtable_bytes, before.store.memtable_bytes);
  EXPECT_EQ(written.store.block_cache_capacity_bytes, uint64_t{1} << 20);
  EXPECT_FALSE(written.store.writes_are_stopped);

  ASSERT_TRUE(database->Checkpoint(folder / "copy").ok());  // flushes
  database.reset();
  database = *Database::Open({.path = folder / "data"});
  for (int i = 0; i < 2; ++i) {
    auto songs = database->QueryAll(SongsOfRay());
    for (const Item& song : songs) static_cast<void>(song);
    EXPECT_EQ(songs.count(), 1000);
  }
  const Statistics read = database->TakeStatistics();
  EXPECT_GT(read.store.table_file_bytes, 0u);
  EXPECT_GT(read.store.block_cache_bytes, 0u);
  EXPECT_GT(read.store.block_cache_misses, 0u);
  EXPECT_GT(read.store.block_cache_hits, 0u);
}

TEST(StatisticsTest, AMemoryBudgetIsDivided) {
  ScratchFolder folder;
  const auto shared =
      *Database::Open({.path = folder / "shared", .memory_budget_bytes = size_t{32} << 20});
  // Memtables count in it.
  EXPECT_EQ(shared->TakeStatistics().store.block_cache_capacity_bytes, uint64_t{20} << 20);
  EXPECT_EQ(shared->TakeStatistics().store.row_cache_capacity_bytes, uint64_t{4} << 20);
  const auto given = *Database::Open({.path = folder / "given",
                                      .memory_budget_bytes = size_t{32} << 20,
                                      .item_cache_bytes = size_t{2} << 20});
  EXPECT_EQ(given->TakeStatistics().store.block_cache_capacity_bytes, uint64_t{22} << 20);
  EXPECT_EQ(given->TakeStatistics().store.row_cache_capacity_bytes, uint64_t{2} << 20);
}

TEST(StatisticsTest, AStoreInMemoryHasNoBudget) {
  const auto refused = Database::Open({.in_memory = true, .memory_budget_bytes = size_t{64} << 20});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(StatisticsTest, ItemsThatAreReadAgain) {
  ScratchFolder folder;
  const auto database =
      *Database::Open({.path = folder / "data", .item_cache_bytes = size_t{1} << 20});
  ASSERT_TRUE(CreateSongs(database.get()).ok());
  ASSERT_TRUE(PutSongs(database.get(), 10).ok());
  const Statistics written = database->TakeStatistics();
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(database->GetItem({.table_name = "songs", .key = SongKey(3)}).ok());
  const Statistics read = database->TakeStatistics();
  EXPECT_EQ(read.store.row_cache_capacity_bytes, uint64_t{1} << 20);
  EXPECT_GT(read.store.row_cache_bytes, written.store.row_cache_bytes);
  EXPECT_EQ(read.store.row_cache_misses - written.store.row_cache_misses, 2u);
  EXPECT_EQ(read.store.row_cache_hits - written.store.row_cache_hits, 8u);
}

TEST(StatisticsTest, InMemoryToo) {
  const auto database = *Database::Open({.in_memory = true});
  ASSERT_TRUE(CreateSongs(database.get()).ok());
  ASSERT_TRUE(PutSongs(database.get(), 10).ok());
  EXPECT_GE(database->TakeStatistics().store.rows_estimated, 10u);
  EXPECT_GT(database->TakeStatistics().store.memtable_bytes, 0u);
}

}  // namespace
}  // namespace dynolith::testing
