// What an open store's integrity manifest may not say. (damage_test has the moments at which it is
// written.)
#include "engine/store/integrity_file_system.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/base/file_text.h"
#include "engine/store/integrity_manifest.h"
#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/store_images.h"

namespace dynolith {
namespace {

// Why: a log whose length cannot be read would stand there as empty, and the next start would
// refuse a sound store.
TEST(IntegrityFileSystemTest, StoreWhoseLogCannotBeSeenIsNotClosed) {
  testing::ScratchFolder folder;
  IntegrityManifest known{.state = IntegrityManifest::State::kRunning};
  known.manifests = {{"MANIFEST-000005", 3, 0}};
  known.logs = {{4, 0}};
  testing::WriteFile(folder / "MANIFEST-000005", "abc");
  ASSERT_TRUE(WriteIntegrityManifest(folder.path(), &known).ok());
  const auto machine = rocksdb::FileSystem::Default();
  {
    IntegrityFileSystem integrity(machine, folder.path(), known);
    const absl::Status closed = integrity.WriteClosed(7);
    EXPECT_NE(closed.message().find("000004.log"), absl::string_view::npos) << closed;
    EXPECT_TRUE(ReadIntegrityManifest(folder.path())->integrity == known);
  }
  testing::WriteFile(folder / "000004.log", "four");
  IntegrityFileSystem integrity(machine, folder.path(), known);
  ASSERT_TRUE(integrity.WriteClosed(7).ok());
  const IntegrityManifest closed = ReadIntegrityManifest(folder.path())->integrity;
  EXPECT_EQ(closed.state, IntegrityManifest::State::kClosed);
  EXPECT_EQ(closed.logs.at(4), 4u);
}

// A background thread writes the integrity manifest while the store is being opened, and the
// opening thread deletes logs meanwhile: what the file names is there, whenever the process is
// killed.
TEST(IntegrityFileSystemTest, LogsThatAreDeletedMeanwhileAreNotNamed) {
  const auto machine = rocksdb::FileSystem::Default();
  for (int round = 0; round < 100; ++round) {
    const testing::ScratchFolder folder;
    IntegrityManifest known{.state = IntegrityManifest::State::kRunning};
    known.manifests = {{"MANIFEST-000003", 1, 0}};
    known.logs = {{1, 3}, {2, 3}};
    testing::WriteFile(folder / "MANIFEST-000003", "m");
    for (const uint64_t old : {1, 2}) testing::WriteFile(folder / LogName(old), "log");
    IntegrityFileSystem integrity(machine, folder.path(), known);
    std::unique_ptr<rocksdb::FSWritableFile> log;
    ASSERT_TRUE(integrity.NewWritableFile(folder / LogName(4), {}, &log, nullptr).ok());
    std::thread flush([&] {
      std::unique_ptr<rocksdb::FSWritableFile> table;
      EXPECT_TRUE(integrity.NewWritableFile(folder / TableFileName(5), {}, &table, nullptr).ok());
    });
    absl::SleepFor(absl::Microseconds(20 * round));
    for (const uint64_t old : {1, 2}) {
      ASSERT_TRUE(integrity.DeleteFile(folder / LogName(old), {}, nullptr).ok());
    }
    ASSERT_TRUE(integrity.WriteRunning().ok());
    flush.join();
    const auto found = ReadIntegrityManifest(folder.path());
    if (!found.ok()) continue;  // nothing was written yet
    for (const auto& [number, bytes] : found->integrity.logs) {
      EXPECT_TRUE(MayBeThere(folder / LogName(number))) << round << " " << number;
    }
  }
}

}  // namespace
}  // namespace dynolith
