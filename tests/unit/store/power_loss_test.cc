// The power goes at any moment of a session with synchronous commits: what was acknowledged is
// there afterwards, whatever the disk made of what was not synced, or after a repair if it left
// holes. A few moments by default; DYNOLITH_FAULT_EVERY=1 tries every one.
#include "tests/unit/store/power_loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/store/local_store.h"
#include "engine/store/salvage/salvage.h"
#include "engine/store/store_on_file_system.h"
#include "tests/unit/store/pair_writer.h"
#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/test_key.h"
#include "tests/unit/under_sanitizer.h"

namespace dynolith {
namespace {

using testing::PairWriter;
using testing::PowerLossFileSystem;
using testing::ScratchFolder;

class PowerLossTest : public ::testing::Test {
 protected:
  StoreOptions MakeOptions(const std::string& folder) const {
    StoreOptions options;
    options.path = folder;
    options.sync_commits = true;
    options.encryption_key = testing::TestKey();
    options.write_buffer_bytes = 64 << 10;
    return options;
  }
  std::string Data() const { return folder_ / "data"; }
  std::string Image() const { return folder_ / "image"; }
  std::string Saved() const { return folder_ / "saved"; }

  void Use(const std::shared_ptr<PowerLossFileSystem>& disk, PairWriter* writer) const {
    for (int life = 0; life < 2; ++life) {
      const auto store = OpenStoreOn(MakeOptions(Data()), disk);
      for (int i = 0; store.ok() && i < 80 && !disk->is_lost(); ++i) {
        writer->Commit(store->get(), i % 40 == 20 ? 70'000 : 2000).IgnoreError();
        // Nobody has heard of that one, as the power may have been gone before.
        if (disk->is_lost()) writer->ForgetLastAcknowledgement();
        if (i == 60) (*store)->CompactAll().IgnoreError();
      }
    }
  }

  void Try(int operation, uint32_t seed) {
    for (const std::string& folder : {Data(), Image(), Saved()})
      std::filesystem::remove_all(folder);
    const auto disk = std::make_shared<PowerLossFileSystem>(Data(), Image());
    disk->LoseAt(operation, seed);
    PairWriter writer;
    Use(disk, &writer);
    // The threads of RocksDB may have done less than in the session that counted.
    if (!std::filesystem::exists(Image())) return;
    ++lost_;
    SCOPED_TRACE(std::to_string(operation) + ", seed " + std::to_string(seed));
    auto store = LocalStore::Open(MakeOptions(Image()));
    if (!store.ok() && seed % 4 == 3) {
      // A hole in the record that was being written looks like damage to one that was.
      ASSERT_EQ(store.status().code(), absl::StatusCode::kDataLoss) << store.status();
      ASSERT_NE(store.status().message().find(Image() + "/"), absl::string_view::npos)
          << store.status();
      ++refused_;
      const auto report = Salvage(
          Image(), Saved(), [](const std::string&) {}, testing::TestKey());
      ASSERT_TRUE(report.ok()) << report.status();
      store = LocalStore::Open(MakeOptions(Saved()));
    }
    ASSERT_TRUE(store.ok()) << store.status();
    writer.Check(**store, PairWriter::Refused::kMayBeThere);
  }

  int lost_ = 0;
  int refused_ = 0;

 private:
  ScratchFolder folder_;
};

TEST_F(PowerLossTest, SynchronousCommitsSurvive) {
  const auto sound = std::make_shared<PowerLossFileSystem>(Data(), Image());
  PairWriter writer;
  Use(sound, &writer);
  EXPECT_EQ(writer.acknowledgements(), 160);
  const char* const every = std::getenv("DYNOLITH_FAULT_EVERY");
  const int stride = every != nullptr ? std::max(1, std::atoi(every)) : sound->operations() / 12;
  int tried = 0;
  for (int operation = 0; operation < sound->operations(); operation += stride) {
    for (uint32_t seed = 0; seed < 4; ++seed, ++tried) {
      Try(operation, seed + 4 * static_cast<uint32_t>(operation));
      if (HasFatalFailure()) return;
    }
  }
  RecordProperty("operations", sound->operations());
  RecordProperty("tried", tried);
  EXPECT_GT(lost_, tried / 2);
  RecordProperty("refused", refused_);
}

// Why: nothing is synced in between while a store is being made, so that at each moment anything
// may be there; nobody has heard of it, so that it is made again.
TEST_F(PowerLossTest, CreationStartsAgain) {
  const auto sound = std::make_shared<PowerLossFileSystem>(Data(), Image());
  ASSERT_TRUE(OpenStoreOn(MakeOptions(Data()), sound).ok());
  const int operations = sound->operations();
  EXPECT_GT(operations, 5);
  for (int operation = 0; operation < operations; ++operation) {
    for (uint32_t seed = 0; seed < (testing::kUnderSanitizer ? 2 : 8); ++seed) {
      SCOPED_TRACE(std::to_string(operation) + ", seed " + std::to_string(seed));
      for (const std::string& folder : {Data(), Image()}) std::filesystem::remove_all(folder);
      const auto disk = std::make_shared<PowerLossFileSystem>(Data(), Image());
      disk->LoseAt(operation, seed);
      OpenStoreOn(MakeOptions(Data()), disk).status().IgnoreError();
      if (!disk->is_lost()) continue;
      PairWriter writer;
      for (int life = 0; life < 2; ++life) {
        const auto store = LocalStore::Open(MakeOptions(Image()));
        ASSERT_TRUE(store.ok()) << store.status();
        writer.Check(**store, PairWriter::Refused::kAreGone);
        ASSERT_TRUE(writer.Commit(store->get(), 100).ok());
      }
    }
  }
}

// Why: sorted files are on the disk when they are taken in, past the log. A table that is in them
// must not be there before the commit that gave it its id, or the id would be given a second time.
class PowerLossBesideSortedRowsTest : public PowerLossTest {
 protected:
  static constexpr int kRounds = 3;
  static constexpr int kRows = 1'600;  // more than a megabyte

  StoreOptions Options(const std::string& folder) const {
    StoreOptions options = MakeOptions(folder);
    options.sync_commits = false;
    options.write_buffer_bytes = 8 << 20;
    return options;
  }
  static std::string Key(int round, int row) {
    return std::to_string(round) + "/" + std::to_string(10'000 + row);
  }
  // Returns how many rounds had been acknowledged when the power went.
  int Use(const std::shared_ptr<PowerLossFileSystem>& disk) const {
    const auto store = OpenStoreOn(Options(Data()), disk);
    int acknowledged = 0;
    for (int round = 0; store.ok() && round < kRounds; ++round) {
      WriteBatch given;
      given.Put(Family::kMeta, std::to_string(round), "given");
      (*store)->Commit(given).IgnoreError();
      const auto rows = (*store)->NewSortedRows();
      for (int row = 0; row < kRows; ++row) {
        rows->Put(Family::kTables, Key(round, row), std::string(700, 'x')).IgnoreError();
      }
      if (rows->Commit().ok() && !disk->is_lost()) acknowledged = round + 1;
    }
    return acknowledged;
  }
  void Try(int operation, uint32_t seed) {
    SCOPED_TRACE(std::to_string(operation) + ", seed " + std::to_string(seed));
    for (const std::string& folder : {Data(), Image()}) std::filesystem::remove_all(folder);
    const auto disk = std::make_shared<PowerLossFileSystem>(Data(), Image());
    disk->LoseAt(operation, seed);
    const int acknowledged = Use(disk);
    if (!std::filesystem::exists(Image())) return;
    const auto store = LocalStore::Open(Options(Image()));
    // What a log of commits that are not synced has lost may look like damage.
    if (!store.ok()) return;
    ++lost_;
    for (int round = 0; round < kRounds; ++round) {
      Row row;
      const auto given = (*store)->Get(Family::kMeta, std::to_string(round), &row);
      ASSERT_TRUE(given.ok()) << given.status();
      int found = 0;
      Cursor cursor =
          (*store)->Scan(Family::kTables, Key(round, 0), Key(round, kRows), Direction::kForward);
      for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) ++found;
      ASSERT_TRUE(cursor.status().ok()) << cursor.status();
      ASSERT_TRUE(found == 0 || found == kRows) << found;
      ASSERT_TRUE(found == 0 || *given) << round;
      ASSERT_TRUE(found == kRows || round >= acknowledged) << round;
    }
  }
};

TEST_F(PowerLossBesideSortedRowsTest, TheyAreNotThereBeforeWhatWasCommittedBefore) {
  const auto sound = std::make_shared<PowerLossFileSystem>(Data(), Image());
  ASSERT_EQ(Use(sound), kRounds);
  const char* const every = std::getenv("DYNOLITH_FAULT_EVERY");
  const int stride = every != nullptr ? std::max(1, std::atoi(every)) : sound->operations() / 12;
  int tried = 0;
  for (int operation = 0; operation < sound->operations(); operation += stride) {
    for (uint32_t seed = 0; seed < 4; ++seed, ++tried) {
      Try(operation, seed + 4 * static_cast<uint32_t>(operation));
      if (HasFatalFailure()) return;
    }
  }
  RecordProperty("operations", sound->operations());
  RecordProperty("tried", tried);
  EXPECT_GT(lost_, tried / 2);
}

}  // namespace
}  // namespace dynolith
