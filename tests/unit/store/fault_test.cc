// A disk that fails at any moment: Commit says so, and what it had acknowledged before is there
// when the store is opened again. Nothing that was refused turns into half a batch.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/store/store.h"
#include "engine/store/store_on_file_system.h"
#include "tests/unit/store/fault_file_system.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

using testing::FaultFileSystem;
using testing::ScratchFolder;

class FaultTest : public ::testing::TestWithParam<bool> {
 protected:
  StoreOptions Options() {
    StoreOptions options;
    options.path = folder_ / "data";
    options.sync_commits = GetParam();
    // Small, so that flushes and their files fail as well.
    options.write_buffer_bytes = 64 << 10;
    return options;
  }

  static std::string Key(int i) { return "key" + std::to_string(1000 + i); }
  static absl::Status CommitPair(Store* store, int i) {
    WriteBatch batch;
    batch.Put(Family::kTables, Key(i), std::string(3000, 'v'));
    batch.Put(Family::kGlobalIndexes, Key(i), Key(i));
    return store->Commit(batch);
  }

  // The number of leading pairs; fails on a gap or half a pair.
  int CountPairs(const Store& store) {
    Row row;
    int pairs = 0;
    bool ended = false;
    for (int i = 0; i < kPairs; ++i) {
      const bool has_row = *store.Get(Family::kTables, Key(i), &row);
      const bool has_entry = *store.Get(Family::kGlobalIndexes, Key(i), &row);
      EXPECT_EQ(has_row, has_entry) << "half a batch: " << i;
      EXPECT_FALSE(ended && has_row) << "a gap before " << i;
      ended = ended || !has_row;
      if (has_row) ++pairs;
    }
    return pairs;
  }

  static constexpr int kPairs = 120;
  ScratchFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(SyncedAndNot, FaultTest, ::testing::Bool());

TEST_P(FaultTest, AcknowledgedCommitsSurviveFailingWrites) {
  for (int64_t operations = 0; operations < 250; operations += 41) {
    std::filesystem::remove_all(Options().path);
    const auto file_system = std::make_shared<FaultFileSystem>();
    int acknowledged = 0;
    {
      auto store = OpenStoreOn(Options(), file_system);
      ASSERT_TRUE(store.ok()) << store.status();
      file_system->FailAfter(operations);
      while (acknowledged < kPairs && CommitPair(store->get(), acknowledged).ok()) ++acknowledged;
      if (acknowledged < kPairs) {
        EXPECT_TRUE(file_system->has_failed());
        // It stays refused: a later acknowledgement would stand behind a hole in the log.
        EXPECT_FALSE(CommitPair(store->get(), acknowledged).ok());
      }
      file_system->Heal();
    }
    auto store = Store::Open(Options());
    ASSERT_TRUE(store.ok()) << operations << ": " << store.status();
    EXPECT_GE(CountPairs(**store), acknowledged) << "after " << operations << " operations";
  }
}

TEST_P(FaultTest, FailureNamesTheFolder) {
  const auto file_system = std::make_shared<FaultFileSystem>();
  auto store = *OpenStoreOn(Options(), file_system);
  file_system->FailAfter(0);
  const absl::Status status = CommitPair(store.get(), 0);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
  EXPECT_NE(std::string(status.message()).find(Options().path), std::string::npos);
  EXPECT_FALSE(store->Flush().ok());
  file_system->Heal();
}

TEST_P(FaultTest, OpeningOnAFailingDiskFails) {
  for (int64_t operations = 0; operations < 12; ++operations) {
    const auto file_system = std::make_shared<FaultFileSystem>();
    file_system->FailAfter(operations);
    const auto store = OpenStoreOn(Options(), file_system);
    EXPECT_FALSE(store.ok()) << operations;
  }
  EXPECT_TRUE(Store::Open(Options()).ok()) << "the interrupted creations left nothing in the way";
}

}  // namespace
}  // namespace dynolith
