// What only a folder does: the remains of killed puts, a disk that is away, and its URLs.
#include "tools/ship/target/folder_target.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "tests/unit/store/scratch_folder.h"

namespace dynolith::ship {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<ShipTarget> OpenFolder(const std::string& url) {
  absl::StatusOr<std::unique_ptr<ShipTarget>> target = OpenTarget(url, {});
  EXPECT_TRUE(target.ok()) << target.status();
  return target.ok() ? std::move(*target) : nullptr;
}

int CountOf(const fs::path& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(FolderTargetTest, IsMadeByItsUrl) {
  const testing::ScratchFolder folder;
  EXPECT_EQ(OpenFolder(folder / "a/b")->Describe(), folder / "a/b");
  EXPECT_EQ(OpenFolder(folder / "a/b//")->Describe(), folder / "a/b");
  EXPECT_EQ(OpenFolder("file://" + folder / "c/d")->Describe(), folder / "c/d");
  EXPECT_TRUE(fs::is_directory(folder / "a/b"));
  EXPECT_TRUE(fs::is_directory(folder / "c/d"));
  for (const char* url : {"", "file://", "file://a", "ftp://a/b", "http://a"}) {
    const auto target = OpenTarget(url, {});
    EXPECT_EQ(target.status().code(), absl::StatusCode::kInvalidArgument) << url;
    EXPECT_NE(target.status().message().find(url), absl::string_view::npos) << url;
  }
}

TEST(FolderTargetTest, AFileIsNoFolder) {
  const testing::ScratchFolder folder;
  std::ofstream(folder / "file") << "x";
  for (const std::string& path : {folder / "file", folder / "file/a"}) {
    const auto target = OpenTarget(path, {});
    EXPECT_EQ(target.status().code(), absl::StatusCode::kNotFound) << target.status();
    EXPECT_NE(target.status().message().find(path), absl::string_view::npos) << target.status();
  }
}

TEST(FolderTargetTest, NothingIsMadeByWhoOnlyReads) {
  const testing::ScratchFolder folder;
  const auto open = [&] { return OpenTarget(folder / "target", {.only_reads = true}); };
  EXPECT_EQ(open().status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(open().status().message(), "there is no folder " + folder / "target");
  EXPECT_FALSE(fs::exists(folder / "target"));
  fs::create_directory(folder / "target");
  ASSERT_TRUE(open().ok());
  EXPECT_TRUE((*open())->List("")->empty());
  EXPECT_TRUE(fs::is_empty(folder / "target"));
  // The disk of one that has been shipped to may go.
  ASSERT_TRUE(OpenFolder(folder / "target")->Put("a", "x").ok());
  const auto target = open();
  EXPECT_EQ(*(*target)->Get("a"), "x");
  fs::rename(folder / "target", folder / "away");
  EXPECT_EQ((*target)->List("").status().code(), absl::StatusCode::kUnavailable);
}

TEST(FolderTargetTest, WhatMustExistIsNotMade) {
  const testing::ScratchFolder folder;
  const auto open = [&] { return OpenTarget(folder / "target", {.must_exist = true}); };
  EXPECT_EQ(open().status().message(), "there is no folder " + folder / "target");
  EXPECT_FALSE(fs::exists(folder / "target"));
  // As where a disk should be.
  const auto expect_empty = [&] {
    EXPECT_EQ(open().status().code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(open().status().message(), folder / "target" + " is empty: is its disk mounted?");
  };
  fs::create_directory(folder / "target");
  expect_empty();
  EXPECT_TRUE(fs::is_empty(folder / "target"));
  OpenFolder(folder / "target");
  expect_empty();
  // A copy may be without the mark.
  ASSERT_TRUE(OpenFolder(folder / "target")->Put("a", "x").ok());
  fs::remove_all(folder / "target/unfinished~");
  const auto target = open();
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(*(*target)->PutNew("b", "y"), true);
  fs::rename(folder / "target", folder / "away");
  fs::create_directory(folder / "target");
  EXPECT_EQ((*target)->PutNew("c", "z").status().code(), absl::StatusCode::kUnavailable);
}

TEST(FolderTargetTest, LeavesNothingUnfinished) {
  const testing::ScratchFolder folder;
  const std::unique_ptr<ShipTarget> target = OpenFolder(folder.path());
  std::ofstream(folder / "file") << "x";
  ASSERT_TRUE(target->Put("a/1", "x").ok());
  ASSERT_TRUE(target->PutNew("a/2", "x").ok());
  ASSERT_TRUE(target->PutNew("a/2", "y").ok());
  ASSERT_TRUE(target->PutFile("a/3", folder / "file").ok());
  EXPECT_FALSE(target->Put("file/a", "x").ok());
  EXPECT_EQ(CountOf(folder / "unfinished~"), 0);
}

TEST(FolderTargetTest, AKilledPutIsNoObjectAndGoesLater) {
  const testing::ScratchFolder folder;
  std::ofstream(folder / "file") << std::string(8 << 20, 'x');
  const std::unique_ptr<ShipTarget> target = OpenFolder(folder / "target");
  ASSERT_TRUE(target->Put("a/1", "before").ok());
  const fs::path unfinished = folder / "target/unfinished~";
  // As a killed process leaves it: killed in the middle, at whatever place it was.
  for (int tries = 0; CountOf(unfinished) == 0 && tries < 200; ++tries) {
    const pid_t child = fork();
    if (child == 0) {
      for (;;) (void)target->PutFile("a/1", folder / "file");
    }
    usleep(1'000 * (tries % 20));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  ASSERT_EQ(CountOf(unfinished), 1);
  const absl::StatusOr<std::string> bytes = target->Get("a/1");
  ASSERT_TRUE(bytes.ok());
  EXPECT_TRUE(*bytes == "before" || *bytes == std::string(8 << 20, 'x')) << bytes->size();
  EXPECT_EQ(target->List("")->size(), 1U);
  // Somebody may still write to it.
  OpenFolder(folder / "target");
  EXPECT_EQ(CountOf(unfinished), 1);
  for (const auto& entry : fs::directory_iterator(unfinished)) {
    fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(2));
  }
  OpenFolder(folder / "target");
  EXPECT_EQ(CountOf(unfinished), 0);
}

TEST(FolderTargetTest, OtherFilesAreNoObjects) {
  const testing::ScratchFolder folder;
  const std::unique_ptr<ShipTarget> target = OpenFolder(folder.path());
  ASSERT_TRUE(target->Put("log/1", "x").ok());
  std::ofstream(folder / "log/1~") << "x";
  std::ofstream(folder / "log/a b") << "x";
  fs::create_symlink("1", folder / "log/2");
  fs::create_directories(folder / "empty");
  const auto list = target->List("");
  ASSERT_TRUE(list.ok());
  ASSERT_EQ(list->size(), 1U);
  EXPECT_EQ(list->front().name, "log/1");
  EXPECT_EQ(target->Get("log").status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(target->Delete({"empty"}).ok());
}

TEST(FolderTargetTest, ADiskThatIsAwayIsNotWrittenBeside) {
  const testing::ScratchFolder folder;
  const std::unique_ptr<ShipTarget> target = OpenFolder(folder / "disk/a");
  ASSERT_TRUE(target->Put("log/1", "x").ok());
  // As when it is no longer mounted: its place is an empty folder.
  fs::rename(folder / "disk", folder / "elsewhere");
  for (const bool is_place_left : {false, true}) {
    if (is_place_left) fs::create_directories(folder / "disk/a");
    std::ofstream(folder / "file") << "x";
    EXPECT_EQ(target->Put("log/2", "x").code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(target->PutNew("log/2", "x").status().code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(target->PutFile("log/2", folder / "file").code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(target->Get("log/1").status().code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(target->List("").status().code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(target->List("log/").status().code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(target->Delete({"log/1"}).code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(fs::exists(folder / "disk/a"), is_place_left);
    EXPECT_FALSE(fs::exists(folder / "disk/a/log"));
  }
  fs::remove_all(folder / "disk");
  fs::rename(folder / "elsewhere", folder / "disk");
  EXPECT_TRUE(target->Put("log/2", "x").ok());
  EXPECT_EQ(target->List("")->size(), 2U);
}

TEST(FolderTargetTest, MayBeThereForReadingOnly) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const testing::ScratchFolder folder;
  fs::create_directories(folder / "log");
  std::ofstream(folder / "log/1") << "x";
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const std::unique_ptr<ShipTarget> target = OpenFolder(folder.path());
  EXPECT_EQ(*target->Get("log/1"), "x");
  EXPECT_EQ(target->List("")->size(), 1U);
  EXPECT_EQ(target->Put("log/2", "x").code(), absl::StatusCode::kPermissionDenied);
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(FolderTargetTest, AFileThatCannotBeMadeIsNamed) {
  const testing::ScratchFolder folder;
  const std::unique_ptr<ShipTarget> target = OpenFolder(folder.path());
  ASSERT_TRUE(target->Put("a", "x").ok());
  const absl::Status status = target->GetFile("a", folder / "no/such/folder");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(status.message().find(folder / "no/such/folder"), absl::string_view::npos) << status;
}

TEST(FolderTargetTest, AFullDiskIsNamed) {
  const testing::ScratchFolder folder;
  const std::unique_ptr<ShipTarget> target = OpenFolder(folder.path());
  ASSERT_TRUE(target->Put("a", "before").ok());
  // A child, since the limit is a process's; a file beyond it fails as one on a full disk does.
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {1'000, 1'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const absl::Status status = target->Put("a", std::string(10'000, 'x'));
    _exit(status.code() == absl::StatusCode::kResourceExhausted ? 0 : 1);
  }
  int ended = -1;
  waitpid(child, &ended, 0);
  EXPECT_EQ(ended, 0);
  EXPECT_EQ(*target->Get("a"), "before");
  EXPECT_EQ(CountOf(folder / "unfinished~"), 0);
}

}  // namespace
}  // namespace dynolith::ship
