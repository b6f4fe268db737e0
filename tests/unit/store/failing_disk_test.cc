// A disk that fails the n-th operation of a kind, in a session that opens, writes, flushes, deletes
// ranges, compacts and opens again: the process stays, reads stay right, and what was acknowledged
// is there when the store is opened on a sound disk. A few n by default; DYNOLITH_FAULT_EVERY=1
// tries every one.
#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/store/local_store.h"
#include "engine/store/store_on_file_system.h"
#include "tests/unit/store/faulty_file_system.h"
#include "tests/unit/store/pair_writer.h"
#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/test_key.h"

// RocksDB pauses for a second behind each flush and compaction that failed, which is what is tried
// here. In this program all that it sleeps takes a hundredth. (The C library's own comes second.)
extern "C" int usleep(useconds_t microseconds) {
  const timespec pause = {.tv_sec = 0, .tv_nsec = static_cast<long>(microseconds) * 10};
  return nanosleep(&pause, nullptr);
}

namespace dynolith {
namespace {

using testing::DiskFault;
using testing::DiskOperation;
using testing::FaultyFileSystem;
using testing::kDiskOperations;
using testing::PairWriter;
using testing::ScratchFolder;

// What is tried right now, for when the process ends.
char now_tried[200];

void SayWhatWasTried(int) {
  const ssize_t written = write(STDERR_FILENO, now_tried, std::strlen(now_tried));
  static_cast<void>(written);
}

std::string Describe(const DiskFault& fault) {
  return std::string(kDiskOperations[static_cast<size_t>(*fault.operation)]) + " " +
         std::to_string(fault.at) + (fault.is_full ? ", full" : ", broken") +
         (fault.stays ? ", from then on" : ", once") + ", " + std::to_string(fault.written_bytes) +
         " bytes written\n";
}

class FailingDiskTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override { previous_ = std::signal(SIGABRT, SayWhatWasTried); }
  void TearDown() override { std::signal(SIGABRT, previous_); }

  StoreOptions Options() const {
    StoreOptions options;
    options.path = folder_ / "data";
    options.encryption_key = testing::TestKey();
    options.sync_commits = GetParam();
    options.write_buffer_bytes = 64 << 10;
    return options;
  }

  static void Use(LocalStore* store, PairWriter* writer) {
    for (int i = 0; i < 40; ++i) writer->Commit(store, i == 20 ? 70'000 : 2000).IgnoreError();
    WriteBatch batch;
    batch.Put(Family::kLog, "a", "1");
    // Without it a compaction writes a table file of nothing, and a failure of just that ends the
    // process (engine/store/README.md).
    batch.Put(Family::kLog, "c", "1");
    batch.DeleteRange(Family::kLog, "a", "b");
    store->Commit(batch).IgnoreError();
    store->Flush().IgnoreError();
    for (int i = 0; i < 40; ++i) writer->Commit(store, 2000).IgnoreError();
    store->CompactAll().IgnoreError();
    for (int i = 0; i < 5; ++i) writer->Commit(store, 100).IgnoreError();
  }

  // Opened and used twice; what cannot be opened is left alone.
  static void Session(const StoreOptions& options,
                      const std::shared_ptr<FaultyFileSystem>& file_system, PairWriter* writer) {
    for (int life = 0; life < 2; ++life) {
      const auto store = OpenStoreOn(options, file_system);
      if (store.ok()) Use(store->get(), writer);
    }
  }

  void Try(const DiskFault& fault) {
    const std::string what = Describe(fault);
    std::strncpy(now_tried, what.c_str(), sizeof now_tried - 1);
    std::filesystem::remove_all(Options().path);
    const auto file_system = std::make_shared<FaultyFileSystem>();
    file_system->Set(fault);
    PairWriter writer;
    Session(Options(), file_system, &writer);
    file_system->Heal();
    const auto store = LocalStore::Open(Options());
    ASSERT_TRUE(store.ok()) << what << store.status();
    writer.Check(**store, PairWriter::Refused::kMayBeThere);
    ASSERT_FALSE(HasFailure()) << what;
    ASSERT_TRUE(writer.Commit(store->get(), 100).ok()) << what;
  }

  // Whether each n is tried in every way, not each in another one.
  static bool TriesAll() { return std::getenv("DYNOLITH_FAULT_EVERY") != nullptr; }
  // Every how manieth n is tried, of `count`.
  static int Stride(int count) {
    const char* const every = std::getenv("DYNOLITH_FAULT_EVERY");
    return every != nullptr ? std::max(1, std::atoi(every)) : 1 + count / 5;
  }

 private:
  ScratchFolder folder_;
  void (*previous_)(int) = nullptr;
};

// Why: RocksDB ends the process when it syncs a log that has failed, which the deletion of a table
// made it do.
TEST_P(FailingDiskTest, ALogThatHasFailedIsNotSynced) {
  for (const DiskOperation operation : {DiskOperation::kAppend, DiskOperation::kSync}) {
    const auto disk = std::make_shared<FaultyFileSystem>();
    const auto store = OpenStoreOn(Options(), disk);
    ASSERT_TRUE(store.ok()) << store.status();
    WriteBatch batch;
    batch.Put(Family::kTables, "key", "value");
    ASSERT_TRUE((*store)->Commit(batch).ok());
    DiskFault fault{.operation = operation, .at = disk->count(operation), .stays = true};
    disk->Set(fault);
    (*store)->Commit(batch).IgnoreError();
    for (int i = 0; i < 2; ++i) {
      (*store)->ReclaimId(Family::kTables, 7);
      (*store)->Flush().IgnoreError();
    }
    disk->Heal();
    (*store)->ReclaimId(Family::kTables, 8);
    (*store)->Flush().IgnoreError();
  }
}

INSTANTIATE_TEST_SUITE_P(SyncedAndNot, FailingDiskTest, ::testing::Bool());

TEST_P(FailingDiskTest, AcknowledgedCommitsSurviveEveryFailure) {
  const auto sound = std::make_shared<FaultyFileSystem>();
  PairWriter writer;
  Session(Options(), sound, &writer);
  EXPECT_EQ(writer.acknowledgements(), 170);
  int tried = 0;
  for (size_t kind = 0; kind < std::size(kDiskOperations); ++kind) {
    DiskFault fault{.operation = static_cast<DiskOperation>(kind)};
    const int count = sound->count(*fault.operation);
    for (fault.at = 0; fault.at < count; fault.at += Stride(count)) {
      for (const int variant : {0, 1, 2, 3}) {
        if (!TriesAll() && variant != (fault.at / Stride(count) + static_cast<int>(kind)) % 4)
          continue;
        fault.is_full = (variant & 1) != 0;
        fault.stays = (variant & 2) != 0;
        fault.written_bytes = static_cast<size_t>(fault.at) * 37 % 500;
        ASSERT_NO_FATAL_FAILURE(Try(fault));
        ++tried;
      }
    }
    RecordProperty(std::string(kDiskOperations[kind]), count);
  }
  RecordProperty("tried", tried);
}

// Why: a later acknowledgement would stand behind a hole in the log, whatever the disk does by
// then.
TEST_P(FailingDiskTest, CommitsStayRefusedUntilTheStoreIsOpenedAgain) {
  for (int operations = 0; operations < 250; operations += 41) {
    std::filesystem::remove_all(Options().path);
    const auto file_system = std::make_shared<FaultyFileSystem>();
    PairWriter writer;
    {
      const auto store = OpenStoreOn(Options(), file_system).value();
      file_system->Set({.at = file_system->changes() + operations, .stays = true});
      absl::Status status;
      for (int i = 0; status.ok() && i < 2000; ++i) status = writer.Commit(store.get(), 3000);
      ASSERT_FALSE(status.ok()) << operations;
      file_system->Heal();
      EXPECT_FALSE(writer.Commit(store.get(), 3000).ok()) << operations << ": " << status;
    }
    const auto store = LocalStore::Open(Options());
    ASSERT_TRUE(store.ok()) << operations << ": " << store.status();
    writer.Check(**store, PairWriter::Refused::kMayBeThere);
    EXPECT_TRUE(writer.Commit(store->get(), 3000).ok()) << operations;
  }
}

TEST_P(FailingDiskTest, FailureNamesTheFolder) {
  const auto file_system = std::make_shared<FaultyFileSystem>();
  const auto store = OpenStoreOn(Options(), file_system).value();
  file_system->Set({.at = file_system->changes(), .stays = true});
  const absl::Status status = PairWriter().Commit(store.get(), 3000);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
  EXPECT_NE(status.message().find(Options().path), absl::string_view::npos) << status;
  EXPECT_FALSE(store->Flush().ok());
  file_system->Heal();
}

TEST_P(FailingDiskTest, OpeningOnAFailingDiskFails) {
  for (int operations = 0; operations < 12; ++operations) {
    const auto file_system = std::make_shared<FaultyFileSystem>();
    file_system->Set({.at = operations, .stays = true});
    EXPECT_FALSE(OpenStoreOn(Options(), file_system).ok()) << operations;
  }
  EXPECT_TRUE(LocalStore::Open(Options()).ok())
      << "the interrupted creations left nothing in the way";
}

}  // namespace
}  // namespace dynolith
