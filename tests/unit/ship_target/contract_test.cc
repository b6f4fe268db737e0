// What every target does. For a bucket of S3's protocol: DYNOLITH_TEST_BUCKET, such as
// s3://bucket/prefix, of a server that the variables of SDKs name (tests/clients/ship_targets.py).
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/file_text.h"
#include "engine/base/strings.h"
#include "tests/unit/store/scratch_folder.h"
#include "tools/ship/target/folder_target.h"
#include "tools/ship/target/ship_target.h"

namespace dynolith::ship {
namespace {

namespace fs = std::filesystem;

enum class Kind : uint8_t { kFolder, kFolderWithoutLinks, kBucket };

std::string KindName(const ::testing::TestParamInfo<Kind>& info) {
  constexpr const char* kNames[] = {"Folder", "FolderWithoutLinks", "Bucket"};
  return kNames[static_cast<int>(info.param)];
}

// Bytes of which no piece is like another.
std::string SomeBytes(size_t size, uint64_t seed) {
  std::string bytes(size, '\0');
  for (size_t at = 0; at < size; at += sizeof seed) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    std::memcpy(&bytes[at], &seed, std::min(sizeof seed, size - at));
  }
  return bytes;
}

void WriteFile(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string NamesOf(const absl::StatusOr<std::vector<ObjectInfo>>& list) {
  if (!list.ok()) return std::string(list.status().message());
  std::string text;
  for (const ObjectInfo& object : *list) text += Concat(object.name, ":", object.bytes, " ");
  return text;
}

class ShipTargetContract : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    const char* const bucket = std::getenv("DYNOLITH_TEST_BUCKET");
    if (GetParam() == Kind::kBucket && bucket == nullptr) GTEST_SKIP() << "there is no bucket";
    target_ = Open();
    ASSERT_NE(target_, nullptr);
    std::vector<std::string> names;
    const absl::StatusOr<std::vector<ObjectInfo>> left = target_->List("");
    ASSERT_TRUE(left.ok()) << left.status();
    for (const ObjectInfo& object : *left) names.push_back(object.name);
    ASSERT_TRUE(target_->Delete(names).ok());
  }

  std::unique_ptr<ShipTarget> Open(const std::atomic<bool>* interrupted = nullptr) const {
    if (GetParam() == Kind::kFolderWithoutLinks) {
      auto target =
          FolderTarget::Open(folder_ / "target", {.interrupted = interrupted, .may_link = false});
      EXPECT_TRUE(target.ok()) << target.status();
      return target.ok() ? std::move(*target) : nullptr;
    }
    const std::string url =
        GetParam() == Kind::kBucket ? std::getenv("DYNOLITH_TEST_BUCKET") : folder_ / "target";
    absl::StatusOr<std::unique_ptr<ShipTarget>> target =
        OpenTarget(url, {.endpoint = {}, .region = {}, .interrupted = interrupted});
    EXPECT_TRUE(target.ok()) << target.status();
    return target.ok() ? std::move(*target) : nullptr;
  }

  std::string GetOf(const std::string& name) const {
    const absl::StatusOr<std::string> bytes = target_->Get(name);
    return bytes.ok() ? *bytes : std::string(bytes.status().message());
  }

  const testing::ScratchFolder folder_;
  std::unique_ptr<ShipTarget> target_;
};

TEST_P(ShipTargetContract, AnObjectIsWhatWasPutLast) {
  for (const std::string& bytes : {std::string("one"), std::string(), SomeBytes(100'000, 1)}) {
    ASSERT_TRUE(target_->Put("log/1", bytes).ok());
    EXPECT_EQ(GetOf("log/1"), bytes);
    EXPECT_EQ(NamesOf(target_->List("")), Concat("log/1:", bytes.size(), " "));
  }
}

TEST_P(ShipTargetContract, WhatIsNotThereIsNotFound) {
  const absl::StatusOr<std::string> bytes = target_->Get("a/b");
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kNotFound) << bytes.status();
  EXPECT_NE(bytes.status().message().find("a/b"), absl::string_view::npos) << bytes.status();
  EXPECT_NE(bytes.status().message().find(target_->Describe()), absl::string_view::npos)
      << bytes.status();
  const std::string path = folder_ / "file";
  EXPECT_EQ(target_->GetFile("a/b", path).code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(NamesOf(target_->List("a/")), "");
  EXPECT_TRUE(target_->Delete({"a/b", "c"}).ok());
  EXPECT_EQ(target_->PutFile("a", path).code(), absl::StatusCode::kNotFound);
}

TEST_P(ShipTargetContract, PutNewNeverReplaces) {
  absl::StatusOr<bool> is_made = target_->PutNew("epoch/1", "mine");
  ASSERT_TRUE(is_made.ok()) << is_made.status();
  EXPECT_TRUE(*is_made);
  is_made = target_->PutNew("epoch/1", "yours");
  ASSERT_TRUE(is_made.ok()) << is_made.status();
  EXPECT_FALSE(*is_made);
  EXPECT_EQ(GetOf("epoch/1"), "mine");
  ASSERT_TRUE(target_->Delete({"epoch/1"}).ok());
  is_made = target_->PutNew("epoch/1", "");
  ASSERT_TRUE(is_made.ok()) << is_made.status();
  EXPECT_TRUE(*is_made);
  EXPECT_EQ(GetOf("epoch/1"), "");
}

TEST_P(ShipTargetContract, OneOfManyMakesAnObject) {
  constexpr int kThreads = 8;
  std::atomic<int> made = 0;
  std::atomic<int> failed = 0;
  std::atomic<int> maker = -1;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const absl::StatusOr<bool> is_made = target_->PutNew("epoch/2", Concat("thread ", i));
      if (!is_made.ok()) ++failed;
      if (is_made.ok() && *is_made) {
        ++made;
        maker = i;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(GetOf("epoch/2"), Concat("thread ", maker.load()));
}

TEST_P(ShipTargetContract, FilesOfAllSizes) {
  // What a target takes at once.
  const size_t piece = GetParam() == Kind::kBucket ? 16 << 20 : 1 << 20;
  for (const size_t size :
       {size_t{0}, size_t{1}, piece - 1, piece, piece + 1, 2 * piece + piece / 2}) {
    const std::string bytes = SomeBytes(size, size);
    const std::string from = folder_ / "from";
    const std::string to = folder_ / Concat("to", size);
    WriteFile(from, bytes);
    absl::Status status = target_->PutFile("sst/000001.sst", from);
    ASSERT_TRUE(status.ok()) << size << ": " << status;
    EXPECT_EQ(NamesOf(target_->List("sst/")), Concat("sst/000001.sst:", size, " "));
    status = target_->GetFile("sst/000001.sst", to);
    ASSERT_TRUE(status.ok()) << size << ": " << status;
    EXPECT_TRUE(ReadFileText(to).text == bytes) << size;
    EXPECT_TRUE(GetOf("sst/000001.sst") == bytes) << size;
    fs::remove(to);
  }
}

TEST_P(ShipTargetContract, AFileThatIsThereIsNotReplaced) {
  const std::string path = folder_ / "file";
  WriteFile(path, "before");
  ASSERT_TRUE(target_->Put("a", "object").ok());
  const absl::Status status = target_->GetFile("a", path);
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists) << status;
  EXPECT_EQ(ReadFileText(path).text, "before");
}

TEST_P(ShipTargetContract, GetHasABound) {
  const std::string path = folder_ / "file";
  WriteFile(path, "");
  fs::resize_file(path, kGetBytesMax + 1);
  ASSERT_TRUE(target_->PutFile("large", path).ok());
  const absl::StatusOr<std::string> bytes = target_->Get("large");
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kOutOfRange) << bytes.status();
  fs::resize_file(path, kGetBytesMax);
  ASSERT_TRUE(target_->PutFile("large", path).ok());
  EXPECT_EQ(GetOf("large").size(), kGetBytesMax);
}

TEST_P(ShipTargetContract, ListsInTheOrderOfNames) {
  // '-' and '.' are less than '/', so folders do not stand where their names do.
  for (const char* name :
       {"b", "log/10", "log/9", "log-1", "log.x", "log/a/1", "log/A", "logs/1", "a"}) {
    ASSERT_TRUE(target_->Put(name, name).ok()) << name;
  }
  EXPECT_EQ(NamesOf(target_->List("")),
            "a:1 b:1 log-1:5 log.x:5 log/10:6 log/9:5 log/A:5 log/a/1:7 logs/1:6 ");
  EXPECT_EQ(NamesOf(target_->List("log/")), "log/10:6 log/9:5 log/A:5 log/a/1:7 ");
  EXPECT_EQ(NamesOf(target_->List("log")),
            "log-1:5 log.x:5 log/10:6 log/9:5 log/A:5 log/a/1:7 logs/1:6 ");
  EXPECT_EQ(NamesOf(target_->List("log/1")), "log/10:6 ");
  EXPECT_EQ(NamesOf(target_->List("log/a/1")), "log/a/1:7 ");
  EXPECT_EQ(NamesOf(target_->List("log/", "log/10")), "log/9:5 log/A:5 log/a/1:7 ");
  EXPECT_EQ(NamesOf(target_->List("log/", "log/95")), "log/A:5 log/a/1:7 ");
  EXPECT_EQ(NamesOf(target_->List("log/", "log/a/1")), "");
  EXPECT_EQ(NamesOf(target_->List("log/", "a")), "log/10:6 log/9:5 log/A:5 log/a/1:7 ");
  EXPECT_EQ(NamesOf(target_->List("nothing/")), "");
  EXPECT_EQ(NamesOf(target_->List("log/9/")), "");
}

TEST_P(ShipTargetContract, ManyObjects) {
  // More than a page of a bucket's list, and more than a bucket deletes at once. A folder syncs
  // each.
  const int objects = GetParam() == Kind::kBucket ? 1'100 : 100;
  std::vector<std::string> names;
  std::string all;
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  for (int i = 0; i < objects; ++i) {
    names.push_back(Concat("log/", 10'000 + i));
    all += names.back() + ":1 ";
  }
  for (size_t part = 0; part < 4; ++part) {
    threads.emplace_back([&, part] {
      for (size_t i = part; i < names.size(); i += 4)
        failed += target_->Put(names[i], "x").ok() ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(NamesOf(target_->List("log/")), all);
  EXPECT_EQ(NamesOf(target_->List("log/", names[objects - 2])), names.back() + ":1 ");
  const absl::Status status = target_->Delete(names);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(NamesOf(target_->List("")), "");
}

TEST_P(ShipTargetContract, RefusesOtherNames) {
  const std::string path = folder_ / "file";
  WriteFile(path, "x");
  for (const std::string name : {"", "/a", "a/../b", "a b", "a/"}) {
    EXPECT_EQ(target_->Put(name, "x").code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_EQ(target_->PutNew(name, "x").status().code(), absl::StatusCode::kInvalidArgument)
        << name;
    EXPECT_EQ(target_->PutFile(name, path).code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_EQ(target_->Get(name).status().code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_EQ(target_->GetFile(name, path + "2").code(), absl::StatusCode::kInvalidArgument)
        << name;
    EXPECT_EQ(target_->Delete({"a", name}).code(), absl::StatusCode::kInvalidArgument) << name;
  }
  EXPECT_EQ(target_->List("/").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(target_->List("a/../").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(fs::exists(path + "2"));
}

TEST_P(ShipTargetContract, AnInterruptionEndsWhatIsLong) {
  const std::string path = folder_ / "file";
  WriteFile(path, SomeBytes(1 << 20, 3));
  ASSERT_TRUE(target_->PutFile("a", path).ok());
  std::atomic<bool> interrupted = false;
  const std::unique_ptr<ShipTarget> target = Open(&interrupted);
  interrupted = true;
  EXPECT_EQ(target->PutFile("b", path).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(target->GetFile("a", path + "2").code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(fs::exists(path + "2"));
  EXPECT_EQ(target->Delete({"a"}).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(NamesOf(target_->List("")), Concat("a:", 1 << 20, " "));
}

INSTANTIATE_TEST_SUITE_P(All, ShipTargetContract,
                         ::testing::Values(Kind::kFolder, Kind::kFolderWithoutLinks, Kind::kBucket),
                         KindName);

}  // namespace
}  // namespace dynolith::ship
