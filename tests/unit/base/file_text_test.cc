#include "engine/base/file_text.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "gtest/gtest.h"

namespace dynolith {
namespace {

class FileTextTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "dynolith-file-text-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    file_ = folder_ / "file";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  std::string file_;
};

TEST_F(FileTextTest, IsReplaced) {
  EXPECT_EQ(ReadFileText(file_).error, ENOENT);
  ASSERT_EQ(ReplaceFileText(file_, "long before"), 0);
  ASSERT_EQ(ReplaceFileText(file_, "now"), 0);
  EXPECT_EQ(ReadFileText(file_).text, "now");
  EXPECT_FALSE(MayBeThere(file_ + ".new"));
}

TEST_F(FileTextTest, StaysWhereItCannotBeReplaced) {
  ASSERT_TRUE(std::filesystem::create_directories(std::filesystem::path(file_) / "full"));
  EXPECT_EQ(ReplaceFileText(file_, "now"), EISDIR);
  EXPECT_TRUE(MayBeThere(file_ + "/full"));
  EXPECT_FALSE(MayBeThere(file_ + ".new"));
  EXPECT_EQ(ReplaceFileText(file_ + "s/none", "now"), ENOENT);
  EXPECT_EQ(SynchronizeFolderOf(file_ + "s/none"), ENOENT);
}

TEST_F(FileTextTest, StaysOnAFullDisk) {
  ASSERT_EQ(ReplaceFileText(file_, "before"), 0);
  // Takes everything and keeps nothing.
  std::filesystem::create_symlink("/dev/full", file_ + ".new");
  EXPECT_EQ(ReplaceFileText(file_, "now"), ENOSPC);
  EXPECT_EQ(ReadFileText(file_).text, "before");
  EXPECT_FALSE(MayBeThere(file_ + ".new"));
}

}  // namespace
}  // namespace dynolith
