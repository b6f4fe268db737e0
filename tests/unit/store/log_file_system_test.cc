// Which files are logs, and that none of them ends inside a record without a word. (full_disk_test
// has whole stores.)
#include "engine/store/log_file_system.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "engine/store/log_reader.h"
#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/small_disk.h"

namespace dynolith {
namespace {

class LogFileSystemTest : public ::testing::Test {
 protected:
  std::unique_ptr<rocksdb::FSWritableFile> New(const std::string& name) {
    std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
    std::unique_ptr<rocksdb::FSWritableFile> file;
    const rocksdb::IOStatus status =
        logs_.NewWritableFile(folder_ / name, rocksdb::FileOptions(), &file, nullptr);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return file;
  }
  static rocksdb::IOStatus Append(rocksdb::FSWritableFile* file, std::string_view bytes) {
    return file->Append({bytes.data(), bytes.size()}, rocksdb::IOOptions(), nullptr);
  }

  testing::ScratchFolder folder_;
  const std::shared_ptr<testing::SmallDisk> disk_ = std::make_shared<testing::SmallDisk>();
  LogFileSystem logs_{disk_, folder_.path()};
};

// Why: a checkpoint copies logs in pieces that end anywhere, so nothing may be held back of them
// for the rest of a record.
TEST_F(LogFileSystemTest, CopyOfALogIsToldAtOnceThatTheDiskIsFull) {
  const auto copy = New("copy.tmp/000012.log");
  disk_->LeaveBytes(100);
  std::string record;
  AppendLogRecord(std::string(1000, 'x'), &record);
  EXPECT_TRUE(Append(copy.get(), record.substr(0, 50)).ok());
  EXPECT_TRUE(Append(copy.get(), record.substr(50, 500)).IsNoSpace());
}

TEST_F(LogFileSystemTest, LogThatEndsInsideAHeldRecordSaysSo) {
  const auto log = New("000012.log");
  std::string record;
  AppendLogRecord(std::string(1000, 'x'), &record);
  EXPECT_TRUE(Append(log.get(), record).ok());
  EXPECT_TRUE(log->Flush(rocksdb::IOOptions(), nullptr).ok());
  disk_->LeaveBytes(100);
  // Held back: whether the record fits is told at its end.
  EXPECT_TRUE(Append(log.get(), record.substr(0, 500)).ok());
  EXPECT_TRUE(log->Flush(rocksdb::IOOptions(), nullptr).ok()) << "of a buffer that is full";
  EXPECT_TRUE(log->Sync(rocksdb::IOOptions(), nullptr).ok()) << "of the record before";
  EXPECT_TRUE(log->Close(rocksdb::IOOptions(), nullptr).IsIOError());
}

TEST_F(LogFileSystemTest, RefusedRecordLeavesAWholeLog) {
  const auto log = New("000012.log");
  std::string record;
  AppendLogRecord(std::string(1000, 'x'), &record);
  EXPECT_TRUE(Append(log.get(), record).ok());
  disk_->LeaveBytes(100);
  EXPECT_TRUE(Append(log.get(), record).ok());
  EXPECT_TRUE(log->Flush(rocksdb::IOOptions(), nullptr).IsBusy());
  EXPECT_TRUE(log->Close(rocksdb::IOOptions(), nullptr).ok());
  EXPECT_EQ(std::filesystem::file_size(folder_ / "000012.log"), record.size());
}

}  // namespace
}  // namespace dynolith
