// What an open store's integrity manifest may not say. (damage_test has the moments at which it is
// written.)
#include "engine/store/integrity_file_system.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace dynolith
