// A store and the target that it is shipped to are never in one another: what is lost with one
// would be lost with both.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/unit/store/scratch_folder.h"
#include "tools/ship/state_file.h"

namespace dynolith::ship {
namespace {

namespace fs = std::filesystem;

TEST(Places, AreApart) {
  const testing::ScratchFolder folder;
  const std::string data = RealFolder(folder / "data");
  fs::create_directories(data + "/in");
  fs::create_directories(folder / "outer");
  fs::create_directory_symlink(data, folder / "link");
  fs::create_directory_symlink(data + "/in", folder / "into");
  const auto is_apart = [&](const std::string& url, const std::string& store) {
    const absl::Status checked = CheckApart(url, store);
    EXPECT_TRUE(checked.ok() || absl::IsInvalidArgument(checked)) << checked;
    return checked.ok();
  };
  const std::vector<std::string> within = {"data",           "data/",    "data/in",
                                           "data/new/newer", "link",     "link/new",
                                           "into",           "into/new", "outer/../data"};
  for (const std::string& name : within) {
    EXPECT_FALSE(is_apart(folder / name, data)) << name;
    EXPECT_FALSE(is_apart("file://" + folder / name, data)) << name;
  }
  for (const char* const name : {"outer", "data2", "dat", "outer/data", "new/data"}) {
    EXPECT_TRUE(is_apart(folder / name, data)) << name;
  }
  // The other way round.
  EXPECT_FALSE(is_apart(folder.path(), data));
  EXPECT_FALSE(is_apart("/", data));
  EXPECT_FALSE(is_apart(folder / "link", data + "/in/store"));
  EXPECT_FALSE(is_apart(folder / "new", RealFolder(folder / "new/store")));
  EXPECT_TRUE(is_apart("s3://bucket" + data, data));
}

}  // namespace
}  // namespace dynolith::ship
