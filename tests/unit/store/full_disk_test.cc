// A disk that is full, everywhere: commits are refused, and nothing of a refused one is ever there;
// reads go on; with room, writes go on in the same store; what was acknowledged is there when the
// store is opened again.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "engine/store/info_log.h"
#include "engine/store/local_store.h"
#include "engine/store/log_file_system.h"
#include "engine/store/log_reader.h"
#include "engine/store/row_id.h"
#include "engine/store/store_on_file_system.h"
#include "tests/unit/store/pair_writer.h"
#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/small_disk.h"
#include "tests/unit/store/store_images.h"
#include "tests/unit/store/test_key.h"

namespace dynolith {
namespace {

using testing::PairWriter;
using testing::ScratchFolder;
using testing::SmallDisk;
using testing::WriteFile;

class FullDiskTest : public ::testing::TestWithParam<bool> {
 protected:
  StoreOptions Options(size_t write_buffer_bytes = 16 << 20) const {
    StoreOptions options;
    options.path = folder_ / "data";
    options.encryption_key = testing::TestKey();
    options.sync_commits = GetParam();
    options.write_buffer_bytes = write_buffer_bytes;
    return options;
  }
  // Until a commit succeeds: RocksDB looks for room every five seconds.
  static bool GoesOn(PairWriter* writer, Store* store) {
    for (int attempt = 0; attempt < 2400; ++attempt) {
      if (writer->Commit(store, 100).ok()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  ScratchFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(SyncedAndNot, FullDiskTest, ::testing::Bool());

// Every length of a record against every rest of the disk around a block's end.
TEST_P(FullDiskTest, LogGoesOnWhereItWasFull) {
  for (const size_t bytes : {1, 10, 100, 130, 5'000, 40'000, 70'000, 2'500'000}) {
    std::filesystem::remove_all(Options().path);
    const auto disk = std::make_shared<SmallDisk>();
    PairWriter writer;
    {
      // Nothing is flushed, so nothing but the log is written.
      auto store = OpenStoreOn(Options(256 << 20), disk).value();
      for (const int64_t left : {0, 1, 6, 7, 50, 3'000, 32'700, 66'000, 1'100'000, 2'499'000}) {
        if (left > 400 * static_cast<int64_t>(bytes)) break;
        disk->LeaveBytes(left);
        absl::Status status;
        while (status.ok()) status = writer.Commit(store.get(), bytes);
        EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
        EXPECT_FALSE(writer.Commit(store.get(), bytes + 40'000).ok());
        disk->MakeRoom();
        for (int i = 0; i < 3; ++i) {
          status = writer.Commit(store.get(), bytes);
          EXPECT_TRUE(status.ok()) << status;
        }
      }
      writer.Check(*store, PairWriter::Refused::kAreGone);
    }
    EXPECT_GT(disk->refusals(), 0);
    const auto store = LocalStore::Open(Options());
    ASSERT_TRUE(store.ok()) << bytes << ": " << store.status();
    writer.Check(**store, PairWriter::Refused::kAreGone);
  }
}

TEST_P(FullDiskTest, FlushesGoOnWhenThereIsRoom) {
  const auto disk = std::make_shared<SmallDisk>();
  PairWriter writer;
  {
    auto store = OpenStoreOn(Options(64 << 10), disk).value();
    while (writer.acknowledgements() < 100) ASSERT_TRUE(writer.Commit(store.get(), 3000).ok());
    // Room for logs, none for the files that they are flushed into.
    disk->LeaveBytes(500'000);
    absl::Status refused;
    for (int i = 0; i < 500; ++i) {
      const absl::Status status = writer.Commit(store.get(), 3000);
      // A flush that ends late gives room back for some more.
      if (!status.ok()) refused = status;
    }
    EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted) << refused;
    EXPECT_NE(refused.message().find("no space is left"), absl::string_view::npos) << refused;
    writer.Check(*store, PairWriter::Refused::kAreGone);
    disk->MakeRoom();
    EXPECT_TRUE(GoesOn(&writer, store.get()));
    writer.Check(*store, PairWriter::Refused::kAreGone);
  }
  const auto store = LocalStore::Open(Options());
  ASSERT_TRUE(store.ok()) << store.status();
  writer.Check(**store, PairWriter::Refused::kAreGone);
}

// Puts leave room for what makes room: deletions, and whatever is no item's.
TEST_P(FullDiskTest, PutsLeaveRoomForDeletions) {
  const auto disk = std::make_shared<SmallDisk>();
  auto store = OpenStoreOn(Options(64 << 10), disk, /*reserved_bytes=*/600'000).value();
  disk->LeaveBytes(1'500'000);
  PairWriter writer;
  absl::Status status;
  const auto put_until_refused = [&] {
    do {
      status = writer.Commit(store.get(), 3000);
    } while (status.ok());
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_NE(status.message().find("of its disk are free, where puts need 589 KB"),
              absl::string_view::npos)
        << status;
  };
  put_until_refused();
  writer.Check(*store, PairWriter::Refused::kAreGone);
  for (int i = 0; i < 100; ++i) {
    WriteBatch batch;
    batch.Delete(Family::kTables, "key" + std::to_string(i));
    batch.Put(Family::kLog, "record" + std::to_string(i), "deleted");
    batch.Put(Family::kMeta, "meta", std::to_string(i));
    status = store->Commit(batch);
    ASSERT_TRUE(status.ok()) << i << ": " << status;
  }
  // Compactions may have given some room back meanwhile.
  put_until_refused();
  disk->LeaveBytes(2'500'000);
  EXPECT_TRUE(GoesOn(&writer, store.get()));
  writer.Check(*store, PairWriter::Refused::kAreGone);
}

// Why: an index was filled by batches of 256 items of any size, as long as puts had any room.
TEST_P(FullDiskTest, LargeBatchLeavesRoomForDeletions) {
  const auto disk = std::make_shared<SmallDisk>();
  auto store = OpenStoreOn(Options(), disk, /*reserved_bytes=*/600'000).value();
  disk->LeaveBytes(1'500'000);
  PairWriter writer;
  ASSERT_TRUE(writer.Commit(store.get(), 3000).ok());
  absl::Status status = writer.Commit(store.get(), 1'000'000);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_NE(status.message().find("are free, where puts need 3.3 MB"), absl::string_view::npos)
      << status;
  EXPECT_TRUE(writer.Commit(store.get(), 3000).ok());
  // It is written to the log, and flushed while that is still there.
  status = writer.Commit(store.get(), 500'000);
  while (status.ok()) status = writer.Commit(store.get(), 3000);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  status = store->Flush();
  EXPECT_TRUE(status.ok()) << status;
  writer.Check(*store, PairWriter::Refused::kAreGone);
}

// Why: RocksDB's own recovery waits for as much room as all of its compactions would take, and so
// for good where the store itself has filled the disk.
TEST_P(FullDiskTest, GoesOnWithLessRoomThanCompactionsTake) {
  const auto disk = std::make_shared<SmallDisk>();
  auto store = OpenStoreOn(Options(64 << 10), disk).value();
  disk->LeaveBytes(3'000'000);
  PairWriter writer;
  const auto fill = [&] {
    for (int refused = 0; refused < 30;) refused += writer.Commit(store.get(), 3000).ok() ? 0 : 1;
  };
  fill();
  // Each time it fills what it gets, be it with compactions.
  for (int i = 0; i < 2; ++i) {
    disk->AddBytes(400'000);
    ASSERT_TRUE(GoesOn(&writer, store.get())) << i;
    fill();
  }
  writer.Check(*store, PairWriter::Refused::kAreGone);
  disk->MakeRoom();
  ASSERT_TRUE(GoesOn(&writer, store.get()));
}

// Why: once a full disk has stopped it, RocksDB asserts when it is to take in files, also later.
TEST_P(FullDiskTest, SortedRowsAreRefusedWhileNothingCanBeFlushed) {
  const auto disk = std::make_shared<SmallDisk>();
  StoreOptions options = Options(64 << 10);
  auto store = OpenStoreOn(options, disk).value();
  PairWriter writer;
  for (int round = 0; round < 2; ++round) {
    disk->LeaveBytes(1'500'000 + round * 337'000);
    auto rows = store->NewSortedRows();
    for (int i = 0; i < 400; ++i) {
      const std::string key = "sorted" + std::to_string(10'000 * (round + 1) + i);
      if (!rows->Put(Family::kTables, key, std::string(3000, 'x')).ok()) break;
    }
    for (int refused = 0; refused < 20;) refused += writer.Commit(store.get(), 3000).ok() ? 0 : 1;
    const absl::Status taken = rows->Commit([&] { return absl::CancelledError(); });
    EXPECT_FALSE(taken.ok());
    rows.reset();
    rows = store->NewSortedRows();
    for (int i = 0; i < 400; ++i) {
      const std::string key = "again" + std::to_string(10'000 * (round + 1) + i);
      ASSERT_TRUE(rows->Put(Family::kTables, key, std::string(3000, 'x')).ok());
    }
    std::thread room([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      disk->MakeRoom();
    });
    const absl::Status later = rows->Commit();
    room.join();
    EXPECT_TRUE(later.ok() || absl::IsResourceExhausted(later)) << later;
    ASSERT_TRUE(GoesOn(&writer, store.get()));
  }
  writer.Check(*store, PairWriter::Refused::kAreGone);
}

// Why: RocksDB 7.8 asserted when it resumed, if DeleteFilesInRanges or SetOptions had found no room
// for the manifest since it was stopped.
TEST_P(FullDiskTest, ResumesAfterADeletionOfFilesThatFoundNoRoom) {
  const auto disk = std::make_shared<SmallDisk>();
  auto store = OpenStoreOn(Options(), disk).value();
  WriteBatch batch;
  for (int i = 0; i < 100; ++i) {
    batch.Put(Family::kTables, RowIdPrefix(7) + std::to_string(i), std::string(1000, 'v'));
  }
  ASSERT_TRUE(store->Commit(batch).ok());
  ASSERT_TRUE(store->CompactAll().ok());
  PairWriter writer;
  ASSERT_TRUE(writer.Commit(store.get(), 3000).ok());
  // RocksDB deletes the compacted files some time later; then the manifest would have room.
  disk->LeaveNothing();
  absl::Status status = store->Flush();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_FALSE(writer.Commit(store.get(), 3000).ok());
  store->ReclaimId(Family::kTables, 7);
  status = store->Flush();
  EXPECT_TRUE(absl::StrContains(status.message(), "MANIFEST")) << status;
  disk->MakeRoom();
  ASSERT_TRUE(GoesOn(&writer, store.get()));
  store->ReclaimId(Family::kTables, 7);
  EXPECT_TRUE(store->Flush().ok());
  writer.Check(*store, PairWriter::Refused::kAreGone);
}

// What RocksDB says while its disk fails is worth less than the process.
TEST(InfoLogTest, LosesLinesRatherThanFailing) {
  const ScratchFolder folder;
  const auto say = [](rocksdb::Logger* log, int lines) {
    for (int i = 0; i < lines; ++i) {
      rocksdb::Log(rocksdb::InfoLogLevel::WARN_LEVEL, log, "line %d", i);
    }
  };
  {
    InfoLog log(folder.path(), /*file_bytes_max=*/1000);
    say(&log, 100);
  }
  EXPECT_LE(std::filesystem::file_size(folder / "LOG"), 1000U);
  EXPECT_GT(std::filesystem::file_size(folder / "LOG.old"), 900U);
  InfoLog nowhere(folder / "missing");
  say(&nowhere, 10);
}

// Who only reads needs no room at all; who writes is told before anything is changed, or can begin.
TEST_P(FullDiskTest, OpensForReading) {
  PairWriter writer;
  {
    auto store = LocalStore::Open(Options()).value();
    while (writer.acknowledgements() < 10) ASSERT_TRUE(writer.Commit(store.get(), 3000).ok());
  }
  const auto disk = std::make_shared<SmallDisk>();
  for (const int64_t left : {0, 100, 20'000, 60'000, 200'000}) {
    disk->LeaveBytes(left);
    StoreOptions reading = Options();
    reading.read_only = true;
    {
      const auto store = OpenStoreOn(reading, disk);
      ASSERT_TRUE(store.ok()) << store.status();
      writer.Check(**store, PairWriter::Refused::kAreGone);
    }
    const auto store = OpenStoreOn(Options(), disk);
    if (store.ok()) {
      writer.Check(**store, PairWriter::Refused::kAreGone);
    } else {
      EXPECT_EQ(store.status().code(), absl::StatusCode::kResourceExhausted) << store.status();
    }
  }
  const auto store = LocalStore::Open(Options());
  ASSERT_TRUE(store.ok()) << store.status();
  writer.Check(**store, PairWriter::Refused::kAreGone);
}

TEST(VoidRecordTest, TakesThePlaceOfAnyRecord) {
  const ScratchFolder folder;
  for (const uint64_t before : {0, 1, 32'740, 32'755, 32'761, 32'762, 32'767, 98'304}) {
    for (size_t bytes = 14; bytes < 200'000; bytes += bytes < 300 ? 1 : 31'337) {
      std::string batch(bytes, 'x');
      std::string log(before, '\0');
      AppendLogRecord(batch, &log);
      const std::string record = log.substr(before);
      const std::string instead = VoidRecord(before, record);
      ASSERT_EQ(instead.size(), record.size()) << before << " " << bytes;
      WriteFile(folder / "log", log.substr(0, before) + instead);
      auto reader = LogReader::Open(folder / "log", before);
      ASSERT_EQ(*reader->Next(), LogReader::Outcome::kRecord) << before << " " << bytes;
      ASSERT_EQ(reader->record().size(), bytes);
      ASSERT_EQ(BatchSequence(reader->record()), BatchSequence(batch));
      ASSERT_EQ(BatchCount(reader->record()), 0u);
      ASSERT_EQ(*reader->Next(), LogReader::Outcome::kEnd) << before << " " << bytes;
      if (before != 0) continue;
      for (size_t cut = 0; cut < record.size(); cut += 1 + cut) {
        RecordEnds cuts;
        cuts.Feed(std::string_view(record).substr(0, cut));
        ASSERT_EQ(cuts.is_at_end(), cut == 0) << cut;
        cuts.Feed(std::string_view(record).substr(cut));
        ASSERT_TRUE(cuts.is_at_end());
      }
    }
  }
}

}  // namespace
}  // namespace dynolith
