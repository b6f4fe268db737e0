// What an open store's witness may not say. (damage_test has the moments at which it is written.)
#include "engine/store/witness_file_system.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/store_images.h"

namespace dynolith {
namespace {

// Why: a log whose length cannot be read would stand there as empty, and the next start would
// refuse a sound store.
TEST(WitnessFileSystemTest, StoreWhoseLogCannotBeSeenIsNotClosed) {
  testing::ScratchFolder folder;
  Witness known{.state = Witness::State::kRunning};
  known.manifests = {{"MANIFEST-000005", 3, 0}};
  known.logs = {{4, 0}};
  testing::WriteFile(folder / "MANIFEST-000005", "abc");
  ASSERT_TRUE(WriteWitness(folder.path(), &known).ok());
  const auto machine = rocksdb::FileSystem::Default();
  {
    WitnessFileSystem witness(machine, folder.path(), known);
    const absl::Status closed = witness.WriteClosed(7);
    EXPECT_NE(closed.message().find("000004.log"), absl::string_view::npos) << closed;
    EXPECT_TRUE(ReadWitness(folder.path())->witness == known);
  }
  testing::WriteFile(folder / "000004.log", "four");
  WitnessFileSystem witness(machine, folder.path(), known);
  ASSERT_TRUE(witness.WriteClosed(7).ok());
  const Witness closed = ReadWitness(folder.path())->witness;
  EXPECT_EQ(closed.state, Witness::State::kClosed);
  EXPECT_EQ(closed.logs.at(4), 4u);
}

}  // namespace
}  // namespace dynolith
