// Folders for backups: whoever names one that is not there gets all of it.
#include "tools/backup/file_copy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;

TEST(MakeFoldersTest, MakesWhatIsMissing) {
  const testing::ScratchFolder folder;
  for (const std::string path : {"", "/", "/a/b/c", "/a/d/", "/a/e/../f"}) {
    ASSERT_TRUE(MakeFolders(folder.path() + path).ok()) << path;
    EXPECT_TRUE(fs::is_directory(folder.path() + path)) << path;
  }
}

TEST(MakeFoldersTest, NamesWhatIsInTheWay) {
  const testing::ScratchFolder folder;
  std::ofstream(folder / "file") << "x";
  for (const char* path : {"/file", "/file/a"}) {
    const absl::Status status = MakeFolders(folder.path() + path);
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
    EXPECT_NE(status.message().find(folder / "file"), absl::string_view::npos) << status;
  }
}

}  // namespace
}  // namespace dynolith
