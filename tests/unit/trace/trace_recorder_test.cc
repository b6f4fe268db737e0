// What requests leave in a trace: all of them while there is room, and how many there were beyond;
// never more files than were asked for; and no end of the server when the disk is full.
#include "tools/server/trace/trace_recorder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "engine/base/big_endian.h"
#include "engine/base/strings.h"
#include "engine/key/key_codec.h"
#include "engine/value/item.h"
#include "engine/value/typed_value.h"
#include "tools/server/trace/trace_reader.h"

namespace dynolith::trace {
namespace {

absl::StatusOr<std::string> ReadFile(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream.is_open()) return absl::NotFoundError(file);
  return std::string{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

class TraceRecorderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              Concat("trace_", ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    schema_.name = "songs";
    schema_.id = 17;
    schema_.key = {.hash = {{"artist", Type::kString}}, .range = {{"title", Type::kString}}};
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string File() const { return (folder_ / "t").string(); }

  std::unique_ptr<TraceRecorder> Start(RecorderOptions options = {}) {
    options.files.file = File();
    absl::StatusOr<std::unique_ptr<TraceRecorder>> recorder = TraceRecorder::Start(options);
    EXPECT_TRUE(recorder.ok()) << recorder.status();
    return recorder.ok() ? *std::move(recorder) : nullptr;
  }

  // An item that is written, for one unit.
  void Note(TraceRecorder* recorder, const std::string& artist, const std::string& title) {
    const Item key = {{"artist", Value::S(artist)}, {"title", Value::S(title)}};
    std::string row_key;
    AppendRowKey(schema_.id, schema_.key, key.view(), &row_key);
    ThroughputUse use;
    use.id = schema_.id;
    use.kind = AccessKind::kWrite;
    use.tokens = kTokensPerUnit;
    use.item_size = 100;
    use.named_key = std::string_view(row_key).substr(sizeof(StorageId));
    use.partition_key_bytes =
        CollectionBytes(schema_.key, /*is_table_key=*/true, row_key) - sizeof(StorageId);
    use.item_bytes = use.named_key.size();
    const ObservedAccess access = {.use = &use, .table = &schema_, .units = {10, 20}};
    recorder->NoteAccesses({&access, 1});
  }

  struct Read {
    TraceContents contents;
    std::vector<Request> requests;
    std::vector<std::string> keys;
  };
  Read ReadAll() {
    Read all;
    absl::StatusOr<TraceContents> contents = ReadTrace(File(), ReadFile, [&](const Request& each) {
      all.requests.push_back(each);
      for (Use& use : all.requests.back().uses) {
        all.keys.emplace_back(use.partition_key);
        use.partition_key = use.sort_key = {};
      }
    });
    EXPECT_TRUE(contents.ok()) << contents.status();
    if (contents.ok()) all.contents = *std::move(contents);
    return all;
  }

  std::filesystem::path folder_;
  TableSchema schema_;
};

TEST_F(TraceRecorderTest, ARequestIsWhatItsThreadNotesMeanwhile) {
  {
    const auto recorder = Start({.files = {.plain_keys = true}});
    {
      ObservedCall call(recorder.get(), "BatchWriteItem");
      Note(recorder.get(), "Ray", "Blues");
      Note(recorder.get(), "Ella", "Scat");
    }
    {
      ObservedCall call(recorder.get(), "Query");
      Note(recorder.get(), "Ray", "Blues");
      call.GiveUp();
    }
    { ObservedCall call(recorder.get(), "GetItem"); }
    Note(recorder.get(), "Ray", "Blues");
  }
  const Read all = ReadAll();
  ASSERT_EQ(all.requests.size(), 2u);
  EXPECT_EQ(all.requests[0].operation, Operation::kBatchWriteItem);
  ASSERT_EQ(all.requests[0].uses.size(), 2u);
  const Use& use = all.requests[0].uses[0];
  EXPECT_EQ(use.kind, AccessKind::kWrite);
  EXPECT_TRUE(use.begins);
  EXPECT_EQ(use.half_units, 2);
  EXPECT_EQ(use.bytes, 100);
  EXPECT_TRUE(use.has_key);
  EXPECT_TRUE(use.has_sort);
  EXPECT_EQ(all.requests[1].operation, Operation::kOther);
  EXPECT_EQ(all.requests[1].uses[0].hash, use.hash);
  EXPECT_EQ(all.requests[1].uses[0].sort_hash, use.sort_hash);
  EXPECT_NE(all.requests[0].uses[1].hash, use.hash);
  ASSERT_EQ(all.contents.resources.size(), 1u);
  const Resource& songs = all.contents.resources[0];
  EXPECT_EQ(songs.table, "songs");
  EXPECT_EQ(songs.units.write, 20);
  EXPECT_EQ(songs.key, schema_.key);
  EXPECT_TRUE(all.contents.warnings.empty());
  Use plain = use;
  plain.partition_key = all.keys[0];
  EXPECT_EQ(PartitionKeyText(songs, plain), "Ray");
}

TEST_F(TraceRecorderTest, ManyThreadsLoseNothing) {
  constexpr int kThreads = 8;
  constexpr int kEach = 2'000;
  {
    const auto recorder = Start();
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        for (int j = 0; j < kEach; ++j) {
          ObservedCall call(recorder.get(), "PutItem");
          Note(recorder.get(), Concat("artist ", i), Concat("title ", j));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(recorder->dropped(), 0u);
  }
  EXPECT_EQ(ReadAll().requests.size(), size_t{kThreads * kEach});
}

TEST_F(TraceRecorderTest, WhatHasNoRoomIsCounted) {
  constexpr int kAll = 1'000;
  uint64_t dropped = 0;
  {
    // Less than one of them.
    const auto recorder = Start({.buffer_bytes_max = 64});
    for (int i = 0; i < kAll; ++i) Note(recorder.get(), "Ray", "Blues");
    dropped = recorder->dropped();
  }
  EXPECT_EQ(dropped, uint64_t{kAll});
  EXPECT_EQ(ReadAll().contents.dropped, dropped);
}

TEST_F(TraceRecorderTest, FilesAreBounded) {
  constexpr int64_t kBytes = 16 << 10;
  constexpr int kFiles = 3;
  std::vector<size_t> sizes;
  for (int round = 0; round < 2; ++round) {
    const auto recorder = Start({.files = {.bytes_max = kBytes, .files_max = kFiles}});
    // Blocks are cut by numbers of requests; their hashes do not compress.
    for (int i = 0; i < 30'000; ++i) {
      Note(recorder.get(), Concat("artist ", i), Concat("title ", i));
    }
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    ++files;
    // One block may be larger than a file should be.
    EXPECT_LE(entry.file_size(), static_cast<uintmax_t>(256 << 10)) << entry.path();
    struct stat status {};
    ASSERT_EQ(stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u) << "what users asked for is nobody else's business";
  }
  EXPECT_EQ(files, kFiles);
  const Read all = ReadAll();
  EXPECT_EQ(all.contents.files, size_t{kFiles});
  EXPECT_LT(all.requests.size(), 30'000u);
  EXPECT_GT(all.requests.size(), 0u);
}

TEST_F(TraceRecorderTest, OnlyFilesOfOneRunAreReadTogether) {
  for (int round = 0; round < 2; ++round) {
    const auto recorder = Start();
    Note(recorder.get(), Concat("artist of ", round), "Blues");
  }
  EXPECT_TRUE(std::filesystem::exists(File() + ".1"));
  // Who only tries to start leaves them.
  for (int round = 0; round < 5; ++round) Start();
  EXPECT_EQ(ReadAll().contents.files, 1u);
  EXPECT_TRUE(ReadAll().requests.empty());
  EXPECT_TRUE(std::filesystem::exists(File() + ".2"));
  EXPECT_FALSE(std::filesystem::exists(File() + ".3"));
  std::filesystem::rename(File() + ".1", File());
  const Read all = ReadAll();
  EXPECT_EQ(all.contents.files, 1u);
  EXPECT_EQ(all.requests.size(), 1u);
}

TEST_F(TraceRecorderTest, WhatIsNoTraceIsNotReplaced) {
  std::ofstream(File() + ".1") << "a letter to a friend";
  const auto refused = TraceRecorder::Start({.files = {.file = File()}});
  EXPECT_EQ(refused.status().message(),
            absl::string_view(
                Concat(File(), ".1 is there and is no trace, so --trace does not replace it")));
  EXPECT_EQ(*ReadFile(File() + ".1"), "a letter to a friend");
  EXPECT_FALSE(TraceRecorder::Start({.files = {.file = "/nowhere/t"}}).ok());
}

TEST_F(TraceRecorderTest, ATornEndIsReadUpToIt) {
  {
    const auto recorder = Start();
    Note(recorder.get(), "Ray", "Blues");
  }
  const std::string whole = *ReadFile(File());
  for (size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(File(), std::ios::binary | std::ios::trunc).write(whole.data(), length);
    std::vector<std::string> warnings;
    const auto contents = ReadTrace(File(), ReadFile, [](const Request&) { ADD_FAILURE(); });
    if (length < kHeaderBytes) {
      EXPECT_FALSE(contents.ok()) << length;
      continue;
    }
    ASSERT_TRUE(contents.ok()) << contents.status();
    EXPECT_EQ(contents->warnings.size(), length == kHeaderBytes ? 0u : 1u) << length;
  }
  std::ofstream(File(), std::ios::binary | std::ios::trunc) << whole << "more";
  const Read all = ReadAll();
  EXPECT_EQ(all.requests.size(), 1u);
  ASSERT_EQ(all.contents.warnings.size(), 1u);
  EXPECT_EQ(all.contents.warnings[0], Concat(File(), " is cut off or damaged: only ", whole.size(),
                                             " of its ", whole.size() + 4, " bytes were read"));
}

// In a process of its own, since files may have no more bytes then. Exits with 0 if the trace has
// ended once, and nothing else.
[[noreturn]] void TraceOntoFullDisk(const std::string& file,
                                    const std::function<void(TraceRecorder*)>& note) {
  std::atomic<int> failures = 0;
  absl::Notification failed;
  {
    const auto recorder =
        TraceRecorder::Start({.files = {.file = file}, .fail = [&](const absl::Status& why) {
                                if (absl::IsResourceExhausted(why)) ++failures;
                                failed.Notify();
                              }});
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {kHeaderBytes + 1, kHeaderBytes + 1};
    setrlimit(RLIMIT_FSIZE, &limit);
    note(recorder->get());
    failed.WaitForNotificationWithTimeout(absl::Seconds(60));
    note(recorder->get());
  }
  _exit(failures == 1 ? 0 : 1);
}

TEST_F(TraceRecorderTest, AFullDiskEndsTheTraceOnce) {
  const auto note = [this](TraceRecorder* recorder) { Note(recorder, "Ray", "Blues"); };
  EXPECT_EXIT(TraceOntoFullDisk(File(), note), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace dynolith::trace
