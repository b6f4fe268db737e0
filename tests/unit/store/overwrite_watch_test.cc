// A range of rows that are overwritten all the time must not step over ever more of their old
// versions, nor seek in ever more files: ten of them once took fifteen times as long as fresh ones.
#include "engine/store/overwrite_watch.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "absl/time/clock.h"
#include "engine/store/local_store.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

using testing::ScratchFolder;

constexpr size_t kMegabyte = 1 << 20;
constexpr FamilyTuning kUsual = {.write_buffer_bytes = 8 * kMegabyte, .level0_files = 4};

FamilyTuning After(const FamilyTuning& now, double kept, uint64_t level1_bytes = 0) {
  return TuningAfterFlush(kUsual, now, kept, level1_bytes);
}

TEST(OverwriteWatchTest, RowsThatAreNotOverwrittenChangeNothing) {
  EXPECT_EQ(After(kUsual, 1.0), kUsual);
  EXPECT_EQ(After(kUsual, 0.81), kUsual);
}

TEST(OverwriteWatchTest, TheBufferShrinksToAQuarterAndGrowsBack) {
  FamilyTuning now = After(kUsual, 0.5);
  EXPECT_EQ(now.write_buffer_bytes, 4 * kMegabyte);
  now = After(now, 0.1);
  EXPECT_EQ(now.write_buffer_bytes, 2 * kMegabyte);
  EXPECT_EQ(After(now, 0.1), now);
  // In between it stays.
  EXPECT_EQ(After(now, 0.7), now);
  now = After(now, 0.9);
  EXPECT_EQ(now, (FamilyTuning{4 * kMegabyte, 4}));
  EXPECT_EQ(After(After(now, 0.9), 0.9), kUsual);
}

TEST(OverwriteWatchTest, ALittleBufferStays) {
  const FamilyTuning usual = {.write_buffer_bytes = 16 << 10, .level0_files = 4};
  const FamilyTuning tuned = TuningAfterFlush(usual, usual, 0.1, 0);
  EXPECT_EQ(tuned, (FamilyTuning{16 << 10, 1}));
  EXPECT_EQ(TuningAfterFlush(usual, tuned, 0.9, 0), usual);
}

TEST(OverwriteWatchTest, EachFileIsCompactedWhereThatIsCheap) {
  EXPECT_EQ(After(kUsual, 0.75, 32 * kMegabyte).level0_files, 1);
  EXPECT_EQ(After(kUsual, 0.75, 32 * kMegabyte + 1).level0_files, 4);
  EXPECT_EQ(After({8 * kMegabyte, 1}, 0.75, 64 * kMegabyte), kUsual);
}

// What ranges of ten rows cost, on average.
struct RangeWork {
  double stepped_over = 0;  // versions that nobody sees any more
  double sources = 0;       // memtables and files in which there was a seek
};

// A store of `keys` rows.
class Overwritten {
 public:
  explicit Overwritten(int keys, size_t write_buffer_bytes = kMegabyte) : keys_(keys) {
    store_ =
        *LocalStore::Open({.path = folder_ / "data", .write_buffer_bytes = write_buffer_bytes});
    for (int i = 0; i < keys; ++i) Put(i);
  }

  // The average at several moments between `changes` more, when nothing is being flushed or
  // compacted.
  RangeWork Overwrite(int changes) {
    constexpr int kMoments = 16;
    constexpr int kRanges = 50;
    constexpr int kRows = 10;
    rocksdb::PerfContext& work = *rocksdb::get_perf_context();
    work.Reset();
    for (int moment = 0; moment < kMoments; ++moment) {
      for (int i = 0; i < changes / kMoments; ++i) Put(Pick());
      Settle();
      rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
      for (int i = 0; i < kRanges; ++i) ReadRange(Pick() % (keys_ - kRows), kRows);
      rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
    }
    constexpr double kAllRanges = kMoments * kRanges;
    // RocksDB counts the step from each row as well.
    return {static_cast<double>(work.internal_key_skipped_count) / kAllRanges - (kRows - 1),
            static_cast<double>(work.seek_child_seek_count) / kAllRanges};
  }

 private:
  static std::string MakeKey(int i) { return std::to_string(1'000'000 + i); }
  int Pick() { return static_cast<int>(random_() % static_cast<uint64_t>(keys_)); }

  void Put(int i) {
    WriteBatch batch;
    batch.Put(Family::kTables, MakeKey(i), value_);
    ASSERT_TRUE(store_->Commit(batch).ok());
  }

  void ReadRange(int start, int rows) const {
    Cursor cursor = store_->Scan(Family::kTables, MakeKey(start), "", Direction::kForward);
    cursor.SeekToStart();
    for (int row = 1; row < rows; ++row) cursor.Next();
    EXPECT_TRUE(cursor.Valid());
  }

  void Settle() const {
    for (int quiet = 0; quiet < 3; absl::SleepFor(absl::Milliseconds(10))) {
      const StoreStatistics now = store_->TakeStatistics();
      quiet = now.running_flushes + now.running_compactions == 0 ? quiet + 1 : 0;
    }
  }

  const int keys_;
  const std::string value_ = std::string(200, 'v');
  std::mt19937_64 random_{1};
  ScratchFolder folder_;
  std::unique_ptr<LocalStore> store_;
};

// A memtable of 1 MB holds 3,600 changes: each row once or twice, and in one file more.
TEST(OverwriteWatchTest, RangesOfOverwrittenRowsStayShort) {
  const RangeWork work = Overwritten(2'500).Overwrite(100'000);
  EXPECT_LE(work.stepped_over, 8);
  EXPECT_LE(work.sources, 2.5);
}

// Each would be there a dozen times in a memtable of the usual size, and RocksDB would seek for
// each next row, in all files, instead of stepping.
TEST(OverwriteWatchTest, RangesOfRowsThatAreOverwrittenMoreStayShort) {
  const RangeWork work = Overwritten(300).Overwrite(60'000);
  EXPECT_LE(work.stepped_over, 30);
  EXPECT_LE(work.sources, 4);
}

// RocksDB once ended the process over a memtable of less than it takes when it is empty.
TEST(OverwriteWatchTest, LittleBuffersWork) {
  for (const size_t bytes : {size_t{1}, size_t{16} << 10, size_t{300} << 10}) {
    EXPECT_GT(Overwritten(50, bytes).Overwrite(4'000).sources, 0) << bytes;
  }
}

}  // namespace
}  // namespace dynolith
