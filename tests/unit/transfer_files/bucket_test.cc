// A bucket must not be a way out of its folder, whatever names and links say.
#include "api/transfer/files/bucket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "api/transfer/files/decoded_file.h"
#include "dynolith/bulk_transfer.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class BucketTest : public ::testing::Test {
 protected:
  BucketTest()
      : folder_(fs::path(::testing::TempDir()) /
                ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "bucket");
  }
  ~BucketTest() override { fs::remove_all(folder_); }

  Bucket Open() const { return *Bucket::Open(folder_.string(), "bucket"); }

  void WriteFile(const fs::path& path, std::string_view text) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  std::string ReadFile(const fs::path& path) const {
    std::ifstream file(folder_ / path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  const fs::path folder_;
};

std::string ReadAll(const ObjectFile& object) {
  std::string text;
  EXPECT_TRUE(ReadDecoded(object.descriptor(), InputCompressionType::kNone,
                          [&text](std::string_view piece) {
                            text += piece;
                            return absl::OkStatus();
                          })
                  .ok());
  return text;
}

TEST_F(BucketTest, ObjectsAreFilesByTheirNames) {
  const Bucket bucket = Open();
  EXPECT_TRUE(bucket.Create("a/b/c.txt")->Write("one").ok());
  EXPECT_TRUE(bucket.Create("a.txt")->Write("two").ok());
  EXPECT_TRUE(bucket.Create("a.txt")->Write("2").ok());
  EXPECT_EQ(ReadFile("bucket/a/b/c.txt"), "one");
  EXPECT_EQ(ReadAll(*bucket.OpenToRead("a.txt")), "2");
  EXPECT_THAT(*bucket.List(""), ElementsAre("a.txt", "a/b/c.txt"));
  EXPECT_THAT(*bucket.List("a/"), ElementsAre("a/b/c.txt"));
  EXPECT_THAT(*bucket.List("a"), ElementsAre("a.txt", "a/b/c.txt"));
  EXPECT_THAT(*bucket.List("b"), IsEmpty());
}

TEST_F(BucketTest, NoSuchBucket) {
  WriteFile("file", "");
  WriteFile("buckets/bucket/object", "");
  for (const std::string& name : {std::string("absent"), std::string("file"), std::string(),
                                  std::string("."), std::string(".."), std::string("bucket/"),
                                  std::string("buckets/bucket"), std::string("bucket/../bucket"),
                                  (folder_ / "bucket").string(), std::string("bucket\0", 7)}) {
    const auto bucket = Bucket::Open(folder_.string(), name);
    EXPECT_EQ(TransferFailureCode(bucket.status()), "S3NoSuchBucket") << name;
  }
}

TEST_F(BucketTest, NamesDoNotLeadOut) {
  const Bucket bucket = Open();
  WriteFile("outside", "secret");
  for (const std::string& name :
       {std::string("../outside"), std::string("a/../../outside"), (folder_ / "outside").string(),
        std::string("a//b"), std::string("./a"), std::string("a/"), std::string("a/.."),
        std::string("a\0b", 3), std::string()}) {
    EXPECT_EQ(TransferFailureCode(bucket.Create(name).status()), "S3AccessDenied") << name;
    EXPECT_FALSE(bucket.OpenToRead(name).ok()) << name;
  }
  EXPECT_EQ(ReadFile("outside"), "secret");
}

TEST_F(BucketTest, LinksDoNotLeadOut) {
  const Bucket bucket = Open();
  WriteFile("outside/file", "secret");
  fs::create_directory_symlink(folder_ / "outside", folder_ / "bucket" / "folder");
  fs::create_symlink(folder_ / "outside" / "file", folder_ / "bucket" / "file");
  fs::create_symlink(folder_ / "outside" / "new", folder_ / "bucket" / "dangling");
  for (const std::string_view name : {"folder/file", "file"}) {
    EXPECT_EQ(TransferFailureCode(bucket.OpenToRead(name).status()), "S3AccessDenied") << name;
  }
  for (const std::string_view name :
       {"folder/file", "folder/new", "folder/deep/new", "file", "dangling"}) {
    EXPECT_EQ(TransferFailureCode(bucket.Create(name).status()), "S3AccessDenied") << name;
  }
  EXPECT_EQ(ReadFile("outside/file"), "secret");
  EXPECT_FALSE(fs::exists(folder_ / "outside" / "new"));
  EXPECT_FALSE(fs::exists(folder_ / "outside" / "deep"));
  // What is behind a link to a folder is not listed; a link to a file is, and cannot be read.
  EXPECT_THAT(*bucket.List(""), ElementsAre("file"));
}

}  // namespace
}  // namespace dynolith
