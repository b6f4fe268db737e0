// The logs of a store, read while it writes: every byte once, also of logs that it has deleted.
#include "tools/ship/log_tail.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "engine/store/following/log_observer.h"
#include "engine/store/local_store.h"
#include "engine/store/store.h"
#include "tests/unit/store/scratch_folder.h"
#include "tools/ship/segment.h"

namespace dynolith::ship {
namespace {

class Keeping final : public LogObserver {
 public:
  explicit Keeping(const LogTail* tail) : tail_(tail) {}
  void OnLogDeletion(const std::string& file) override {
    ASSERT_TRUE(tail_->Keep(file).ok());
    ++kept;
  }
  void OnRowsBesideLog(std::string_view folder, bool is_done) override {
    beside += std::string(folder) + (is_done ? " done" : " begins ");
  }

  int kept = 0;
  std::string beside;

 private:
  const LogTail* const tail_;
};

class LogTailTest : public ::testing::Test {
 protected:
  void Open() {
    store_ = LocalStore::Open(
                 {.path = data_, .write_buffer_bytes = 64 << 10, .log_observer = &observer_})
                 .value();
  }
  void Put(int count, size_t bytes = 100) {
    for (int i = 0; i < count; ++i) {
      WriteBatch batch;
      batch.Put(Family::kTables, std::string("\0\0\0\1", 4) + std::to_string(puts_++),
                std::string(bytes, 'x'));
      ASSERT_TRUE(store_->Commit(batch).ok());
    }
  }
  // Reads all there is in small pieces.
  void ReadAll() {
    for (;;) {
      const auto read = tail_.Read(700, &position_);
      ASSERT_TRUE(read.ok()) << read.status();
      if (read->data.empty()) return;
      std::string_view rest = read->data;
      for (const SegmentPart& part : read->parts) {
        std::string& log = logs_[part.log];
        ASSERT_EQ(log.size(), part.offset);
        log += rest.substr(0, part.bytes);
        rest.remove_prefix(part.bytes);
        last_ = part;
        last_data_ = log.substr(part.offset);
      }
      ASSERT_TRUE(rest.empty());
    }
  }

  const testing::ScratchFolder folder_;
  const std::string data_ = folder_.path() + "/data";
  const LogTail tail_{data_};
  Keeping observer_{&tail_};
  std::unique_ptr<LocalStore> store_;
  int puts_ = 0;
  LogTail::Position position_;
  std::map<uint64_t, std::string> logs_;
  SegmentPart last_;
  std::string last_data_;
};

TEST_F(LogTailTest, HasEveryByteOnce) {
  Open();
  const auto begin = tail_.FindLogsOf(folder_.path(), *tail_.NewestWritten());
  ASSERT_TRUE(begin.ok()) << begin.status();
  position_ = begin->end;
  for (int round = 0; round < 20; ++round) {
    Put(100);
    if (round % 3 == 0) ReadAll();
    if (round % 5 != 4) continue;
    ASSERT_TRUE(store_->Flush().ok());
  }
  ReadAll();
  EXPECT_GT(observer_.kept, 2);
  EXPECT_GT(logs_.size(), 3U);
  EXPECT_EQ(*tail_.Backlog(position_), 0U);
  EXPECT_TRUE(*tail_.Continues(last_, last_data_));
  EXPECT_TRUE(observer_.beside.empty());
  // The bytes alone are the store.
  store_.reset();
  size_t changes = 0;
  for (const auto& [number, bytes] : logs_) changes += bytes.size();
  EXPECT_GT(changes, 2'000U * 100);
}

TEST_F(LogTailTest, GoesOnBehindAStart) {
  Open();
  position_ = tail_.FindLogsOf(folder_.path(), 0)->end;
  Put(50);
  ReadAll();
  Put(50);
  store_.reset();
  Open();
  Put(50);
  EXPECT_TRUE(*tail_.Continues(last_, last_data_));
  EXPECT_GT(*tail_.Backlog(position_), 0U);
  ReadAll();
  EXPECT_TRUE(*tail_.Continues(last_, last_data_));
}

TEST_F(LogTailTest, SeesThatALogWasMissed) {
  Open();
  position_ = tail_.FindLogsOf(folder_.path(), 0)->end;
  Put(50);
  ReadAll();
  const LogTail::Position before = position_;
  const SegmentPart part = last_;
  const std::string data = last_data_;
  // Without an observer, logs come and go.
  store_.reset();
  observer_.kept = 0;
  for (int i = 0; i < 3; ++i) {
    const auto other = LocalStore::Open({.path = data_}).value();
    WriteBatch batch;
    batch.Put(Family::kTables, std::string("\0\0\0\1x", 5), "y");
    ASSERT_TRUE(other->Commit(batch).ok());
    ASSERT_TRUE(other->Flush().ok());
  }
  Open();
  Put(1);
  const auto continues = tail_.Continues(part, data);
  ASSERT_TRUE(continues.ok()) << continues.status();
  EXPECT_FALSE(*continues);
  position_ = before;
  EXPECT_TRUE(absl::IsNotFound(tail_.Read(1'000, &position_).status()));
}

TEST_F(LogTailTest, SeesThatTheSameNumberIsAnotherLog) {
  Open();
  position_ = tail_.FindLogsOf(folder_.path(), 0)->end;
  Put(50);
  ReadAll();
  last_data_[last_data_.size() / 2] ^= 1;
  EXPECT_FALSE(*tail_.Continues(last_, last_data_));
  EXPECT_FALSE(*tail_.Continues({.log = last_.log + 1'000, .offset = 0, .bytes = 1}, "x"));
}

// As a listing that is older than the deletion of a log.
TEST_F(LogTailTest, PassesNoLogByThatIsGone) {
  std::filesystem::create_directory(data_);
  std::ofstream(data_ + "/000001.log") << "one";
  std::filesystem::create_symlink(data_ + "/nothing", data_ + "/000002.log");
  std::ofstream(data_ + "/000003.log") << "three";
  position_ = {.log = 1, .offset = 0};
  EXPECT_TRUE(absl::IsNotFound(tail_.Read(100, &position_).status()));
  std::ofstream(data_ + "/nothing") << "two";
  const auto read = tail_.Read(100, &position_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->data, "onetwothree");
}

TEST_F(LogTailTest, RowsBesideTheLogAreTold) {
  Open();
  const auto rows = store_->NewSortedRows();
  for (int i = 0; i < 2'000; ++i) {
    char key[16];
    std::snprintf(key, sizeof(key), "%06d", i);
    ASSERT_TRUE(
        rows->Put(Family::kTables, std::string("\0\0\0\2", 4) + key, std::string(1'000, 'x')).ok());
  }
  ASSERT_TRUE(rows->Commit().ok());
  EXPECT_EQ(observer_.beside, data_ + " begins " + data_ + " done");
}

TEST_F(LogTailTest, KeptLogsGoWhenTheyAreShipped) {
  Open();
  Put(1'000);
  ASSERT_TRUE(store_->Flush().ok());
  Put(1'000);
  ASSERT_TRUE(store_->Flush().ok());
  const auto kept = [&] {
    return std::distance(std::filesystem::directory_iterator(data_ + "/shipping"), {});
  };
  ASSERT_GT(kept(), 0);
  tail_.DropBefore(UINT64_MAX);
  EXPECT_EQ(kept(), 0);
}

}  // namespace
}  // namespace dynolith::ship
