// A checkpoint is what a user copies to somewhere safe: it must open, hold everything up to one
// moment and nothing later, and never be written over something else.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "dynolith/database.h"
#include "tests/unit/api/database/songs.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith::testing {
namespace {

namespace fs = std::filesystem;

class CheckpointTest : public ::testing::Test {
 protected:
  static int64_t SongsIn(const std::string& folder) {
    const auto database = Database::Open({.path = folder});
    EXPECT_TRUE(database.ok()) << database.status();
    auto songs = (*database)->ScanAll({.table_name = "songs"});
    for (const Item& song : songs) EXPECT_EQ(song.Get<std::string>("artist").value(), "Ray");
    EXPECT_TRUE(songs.status().ok()) << songs.status();
    return songs.count();
  }

  ScratchFolder folder_;
};

TEST_F(CheckpointTest, HoldsWhatWasThereAndOpens) {
  const auto database = *Database::Open({.path = folder_ / "data"});
  ASSERT_TRUE(CreateSongs(database.get()).ok());
  ASSERT_TRUE(PutSongs(database.get(), 100).ok());
  const std::string copy = folder_ / "deep/copy";
  const absl::Status status = database->Checkpoint(copy);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_TRUE(PutSong(database.get(), 100).ok());
  EXPECT_TRUE(fs::exists(copy + "/DYNOLITH"));
  EXPECT_EQ(SongsIn(copy), 100);
  EXPECT_EQ(SongsIn(copy), 100) << "opened again";
}

// Why: a copy of files that are being written could hold a later write and lack an earlier one.
TEST_F(CheckpointTest, IsOneMomentOfAStoreThatIsWritten) {
  const auto database = *Database::Open({.path = folder_ / "data"});
  ASSERT_TRUE(CreateSongs(database.get()).ok());
  std::atomic<int> written = 0;
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    while (!stop && PutSong(database.get(), written).ok()) ++written;
  });
  for (int i = 0; i < 3; ++i) {
    const int before = written;
    const std::string copy = folder_ / std::to_string(i);
    const absl::Status status = database->Checkpoint(copy);
    EXPECT_TRUE(status.ok()) << status;
    const int after = written + 1;  // the one under way
    const auto opened = *Database::Open({.path = copy, .read_only = true});
    int next = 0;
    auto songs = opened->QueryAll(SongsOfRay());
    for (const Item& song : songs) EXPECT_EQ(song.Get<int>("number").value(), next++) << "a gap";
    EXPECT_TRUE(songs.status().ok()) << songs.status();
    EXPECT_GE(next, before);
    EXPECT_LE(next, after);
  }
  stop = true;
  writer.join();
}

TEST_F(CheckpointTest, TakesAnEmptyFolderAndNoOther) {
  const auto database = *Database::Open({.path = folder_ / "data"});
  ASSERT_TRUE(CreateSongs(database.get()).ok());
  ASSERT_TRUE(PutSong(database.get(), 1).ok());
  fs::create_directory(folder_ / "empty");
  EXPECT_TRUE(database->Checkpoint(folder_ / "empty").ok());
  EXPECT_EQ(SongsIn(folder_ / "empty"), 1);

  fs::create_directory(folder_ / "full");
  std::ofstream(folder_ / "full/note") << "mine";
  for (const std::string& taken : {folder_ / "full", folder_ / "full/note", folder_ / "data"}) {
    const absl::Status status = database->Checkpoint(taken);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_NE(std::string(status.message()).find(taken), std::string::npos) << status;
  }
  EXPECT_TRUE(fs::exists(folder_ / "full/note"));
}

TEST_F(CheckpointTest, DatabaseInMemoryHasNoFiles) {
  const auto database = *Database::Open({.in_memory = true});
  const absl::Status status = database->Checkpoint(folder_ / "copy");
  EXPECT_EQ(status, absl::FailedPreconditionError("a store in memory has no files to copy"));
  EXPECT_FALSE(fs::exists(folder_ / "copy"));
}

}  // namespace
}  // namespace dynolith::testing
