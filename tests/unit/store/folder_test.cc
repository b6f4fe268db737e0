// What a data folder can be: new, held, foreign, newer, damaged in any file. Nothing of it starts
// empty silently, and every error names what is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "engine/store/integrity_manifest.h"
#include "engine/store/local_store.h"
#include "tests/unit/store/process_limit.h"
#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/store_images.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ReadFile;
using testing::ScratchFolder;
using testing::WriteFile;

class FolderTest : public ::testing::Test {
 protected:
  static constexpr int kRows = 200;

  absl::StatusOr<std::unique_ptr<LocalStore>> Open(bool read_only = false) {
    StoreOptions options;
    options.path = data_;
    options.read_only = read_only;
    return LocalStore::Open(options);
  }

  static std::string Key(int i) { return "key" + std::to_string(1000 + i); }

  // A store whose first half of the rows is in a table file, the second in the log. `killed`: gets
  // what a process leaves that is killed at the end.
  void MakeStore(const std::string& killed = "") {
    auto store = *Open();
    for (int i = 0; i < kRows; ++i) {
      if (i == kRows / 2) {
        ASSERT_TRUE(store->Flush().ok());
      }
      WriteBatch batch;
      batch.Put(Family::kTables, Key(i), std::string(100, 'v'));
      ASSERT_TRUE(store->Commit(batch).ok());
    }
    if (!killed.empty()) testing::CopyStore(data_, killed, /*is_original=*/true);
  }

  static int CountRows(const Store& store) {
    int rows = 0;
    Cursor cursor = store.Scan(Family::kTables, "", "", Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      EXPECT_EQ(cursor.key(), Key(rows));
      ++rows;
    }
    EXPECT_TRUE(cursor.status().ok()) << cursor.status();
    return rows;
  }

  std::vector<std::string> Files(const std::string& prefix, const std::string& suffix) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(data_)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(prefix) && name.ends_with(suffix)) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  // The log that holds rows: the largest.
  std::string Log() {
    const auto logs = Files("", ".log");
    return *std::max_element(logs.begin(), logs.end(), [this](const auto& left, const auto& right) {
      return fs::file_size(data_ + "/" + left) < fs::file_size(data_ + "/" + right);
    });
  }

  std::string LastLog() {
    std::string last;
    for (const std::string& log : Files("", ".log")) {
      if (fs::file_size(data_ + "/" + log) > 0) last = log;
    }
    return last;
  }

  void ExpectRefused(absl::StatusCode code, const std::string& named) {
    for (const bool read_only : {false, true}) {
      const auto store = Open(read_only);
      ASSERT_FALSE(store.ok()) << "started although " << named << " is wrong";
      EXPECT_EQ(store.status().code(), code) << store.status();
      EXPECT_THAT(std::string(store.status().message()), HasSubstr(named));
    }
  }

  ScratchFolder folder_;
  std::string data_ = folder_ / "data";
};

TEST_F(FolderTest, IsMadeWithItsParents) {
  StoreOptions options;
  options.path = folder_ / "a/b/c";
  ASSERT_TRUE(LocalStore::Open(options).ok());
  EXPECT_TRUE(fs::exists(options.path + "/DYNOLITH"));
}

TEST_F(FolderTest, EmptyFolderAndFreshVolumeAreFine) {
  fs::create_directories(data_ + "/lost+found");
  EXPECT_TRUE(Open().ok());
  EXPECT_TRUE(Open().ok());
}

TEST_F(FolderTest, RowsComeBack) {
  MakeStore();
  EXPECT_EQ(CountRows(**Open()), kRows);
  EXPECT_EQ(CountRows(**Open(/*read_only=*/true)), kRows);
}

// RocksDB keeps a log that holds nothing until something is flushed.
TEST_F(FolderTest, StartsLeaveNoLogsBehind) {
  MakeStore();
  for (int start = 0; start < 5; ++start) {
    ASSERT_TRUE(Open().ok());
    EXPECT_EQ(Files("", ".log").size(), 1u) << start;
  }
  EXPECT_EQ(CountRows(**Open()), kRows);
}

TEST_F(FolderTest, ReadOnlyNeitherMakesNorWrites) {
  EXPECT_EQ(Open(true).status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(fs::exists(data_));
  MakeStore();
  std::vector<std::string> before = Files("", "");
  {
    auto store = *Open(true);
    WriteBatch batch;
    batch.Put(Family::kTables, "x", "y");
    EXPECT_EQ(store->Commit(batch).code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_TRUE(store->VerifyChecksums().ok());
  }
  EXPECT_EQ(Files("", ""), before);
}

TEST_F(FolderTest, ThatCannotBeMadeIsNamed) {
  WriteFile(folder_ / "file", "x");
  StoreOptions options;
  for (const std::string& path : {folder_ / "file", folder_ / "file/data", std::string()}) {
    options.path = path;
    const auto store = LocalStore::Open(options);
    EXPECT_EQ(store.status().code(), absl::StatusCode::kNotFound) << store.status();
    EXPECT_THAT(std::string(store.status().message()), HasSubstr(path));
  }
}

TEST_F(FolderTest, IsHeldByOneProcess) {
  const auto first = Open();
  ASSERT_TRUE(first.ok());
  ExpectRefused(absl::StatusCode::kUnavailable, "this process holds the data folder " + data_);
  // Another process is refused as well.
  const pid_t child = fork();
  if (child == 0) {
    StoreOptions options;
    options.path = data_;
    const absl::Status status = LocalStore::Open(options).status();
    const std::string text(status.message());
    const bool is_named = text.starts_with("another process holds the data folder " + data_);
    _exit(absl::IsUnavailable(status) && is_named ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// Why: who hears of another process looks for one, and who hears of damage repairs the store.
TEST_F(FolderTest, WhatTheSystemRefusesIsNeitherHeldNorDamaged) {
  MakeStore();
  bool opens = false;
  for (rlim_t files = 3; files < 100 && !opens; ++files) {
    const testing::ProcessLimit few_files(RLIMIT_NOFILE, files);
    const absl::Status status = Open().status();
    opens = status.ok();
    if (opens) break;
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << files << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("Too many open files")) << files;
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("take a folder"))) << files;
  }
  EXPECT_TRUE(opens);
}

TEST_F(FolderTest, AFolderInThePlaceOfAFile) {
  MakeStore();
  for (const std::string name : {"LOCK", "CURRENT"}) {
    const std::string file = data_ + "/" + name;
    fs::rename(file, folder_ / "kept");
    fs::create_directory(file);
    const absl::Status status = Open().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(file + ": Is a directory"));
    fs::remove(file);
    fs::rename(folder_ / "kept", file);
  }
  EXPECT_EQ(CountRows(**Open()), kRows);
}

TEST_F(FolderTest, ReadersShareItAndKeepWritersOut) {
  MakeStore();
  const auto first = Open(true);
  const auto second = Open(true);
  EXPECT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(Open().status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(FolderTest, NewerFormatIsRefused) {
  MakeStore();
  WriteFile(data_ + "/DYNOLITH", "dynolith store 3\n");
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "DYNOLITH");
  WriteFile(data_ + "/DYNOLITH", "dynolith store 99999999999 of tomorrow\n");
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "DYNOLITH");
}

// Why: a store that opened in an older state would delete the table files of what was committed
// since. The older DYNOLITH names a log that is gone by then, whether that held rows or not.
TEST_F(FolderTest, OlderManifestsThatWerePutBackAreRefused) {
  for (const bool has_empty_log : {false, true}) {
    SCOPED_TRACE(has_empty_log);
    fs::remove_all(data_);
    ASSERT_NO_FATAL_FAILURE(MakeStore());
    if (has_empty_log) {
      ASSERT_TRUE(Open().ok());
    }
    const std::string before = folder_ / "before";
    fs::remove_all(before);
    fs::copy(data_, before);
    WriteBatch batch;
    batch.Put(Family::kTables, "later", "value");
    ASSERT_TRUE((*Open())->Commit(batch).ok());
    ASSERT_TRUE(Open().ok());
    const std::vector<std::string> tables = Files("", ".sst");
    for (const auto& entry : fs::directory_iterator(before)) {
      const std::string name = entry.path().filename().string();
      const bool says_what_is_there =
          name == "DYNOLITH" || name == "CURRENT" || name.starts_with("MANIFEST-");
      if (!says_what_is_there) continue;
      fs::copy_file(entry.path(), data_ + "/" + name, fs::copy_options::overwrite_existing);
    }
    ExpectRefused(absl::StatusCode::kDataLoss, ".log is missing");
    EXPECT_EQ(Files("", ".sst"), tables);
  }
}

TEST_F(FolderTest, UnreadableFormatIsDamage) {
  MakeStore();
  const std::string good = ReadFile(data_ + "/DYNOLITH");
  for (size_t size = 0; size < good.size(); ++size) {
    WriteFile(data_ + "/DYNOLITH", good.substr(0, size));
    ExpectRefused(absl::StatusCode::kDataLoss, "DYNOLITH");
  }
  WriteFile(data_ + "/DYNOLITH", "dynolith store 1 sideways\n");
  ExpectRefused(absl::StatusCode::kDataLoss, "DYNOLITH");
  WriteFile(data_ + "/DYNOLITH", good);
  EXPECT_TRUE(Open().ok());
}

TEST_F(FolderTest, ForeignFilesAreRefusedAndKept) {
  fs::create_directories(data_);
  for (const std::string name : {"thesis.txt", "server.log", "a.sst"}) {
    WriteFile(data_ + "/" + name, "years of work");
    const absl::Status status = Open().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(name));
    const absl::Status looked = Open(/*read_only=*/true).status();
    EXPECT_EQ(looked.code(), absl::StatusCode::kFailedPrecondition) << looked;
    EXPECT_EQ(looked.message(), data_ + " is no dynolith store: there is no DYNOLITH in it");
    EXPECT_EQ(Files("", ""), std::vector<std::string>{name});
    fs::remove(data_ + "/" + name);
  }
  EXPECT_EQ(Open(/*read_only=*/true).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(FolderTest, MissingFilesAreNamed) {
  MakeStore();
  const std::string saved = folder_ / "saved";
  std::vector<std::string> files = {"DYNOLITH", "CURRENT"};
  for (const auto& name : Files("MANIFEST-", "")) files.push_back(name);
  for (const auto& name : Files("", ".sst")) files.push_back(name);
  ASSERT_GE(files.size(), 4u);
  for (const std::string& file : files) {
    fs::rename(data_ + "/" + file, saved);
    ExpectRefused(absl::StatusCode::kDataLoss, file);
    fs::rename(saved, data_ + "/" + file);
  }
  for (const std::string& log : Files("", ".log")) fs::remove(data_ + "/" + log);
  ExpectRefused(absl::StatusCode::kDataLoss, ".log");
}

TEST_F(FolderTest, TruncatedFilesAreNamed) {
  MakeStore();
  std::vector<std::string> files = Files("", ".sst");
  files.push_back("CURRENT");
  for (const std::string& file : files) {
    const std::string path = data_ + "/" + file;
    const std::string good = ReadFile(path);
    for (const size_t size : {size_t{0}, good.size() / 2, good.size() - 1}) {
      WriteFile(path, good.substr(0, size));
      ExpectRefused(absl::StatusCode::kDataLoss, file);
    }
    WriteFile(path, good);
  }
  EXPECT_EQ(CountRows(**Open()), kRows);
}

// Why: kill -9 can cut the log anywhere behind the last acknowledged write. Everything before the
// cut must be there, in order, and the store must open.
TEST_F(FolderTest, LogCutAtItsEndLosesOnlyItsEnd) {
  const std::string killed = folder_ / "killed";
  MakeStore(killed);
  const std::string name = Log();
  const std::string good = ReadFile(killed + "/" + name);
  int last = kRows + 1;
  for (size_t cut = 1; cut < good.size(); cut += 617) {
    fs::remove_all(data_);
    testing::CopyStore(killed, data_, /*is_original=*/true);
    WriteFile(data_ + "/" + name, good.substr(0, good.size() - cut));
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << cut << ": " << store.status();
    const int rows = CountRows(**store);
    EXPECT_GE(rows, kRows / 2);
    EXPECT_LE(rows, last);
    last = rows;
  }
  EXPECT_LT(last, kRows);
}

// Why: what was closed in order ends where it ended; nothing can have been cut off while writing.
TEST_F(FolderTest, LogCutAfterClosingIsNamed) {
  MakeStore();
  const std::string name = Log();
  const std::string good = ReadFile(data_ + "/" + name);
  for (size_t cut = 1; cut < good.size(); cut += 1617) {
    WriteFile(data_ + "/" + name, good.substr(0, good.size() - cut));
    ExpectRefused(absl::StatusCode::kDataLoss, name);
  }
}

// Why: a store of the format before has no integrity manifest. It opens as it did, and has one from
// then on.
TEST_F(FolderTest, StoreOfTheFirstFormatIsOpenedAndWitnessed) {
  for (const std::string state : {"", " copied"}) {
    fs::remove_all(data_);
    MakeStore();
    WriteFile(data_ + "/DYNOLITH", "dynolith store 1" + state + "\n");
    EXPECT_EQ(CountRows(**Open(/*read_only=*/true)), kRows);
    EXPECT_EQ(CountRows(**Open()), kRows);
    EXPECT_THAT(ReadFile(data_ + "/DYNOLITH"), ::testing::StartsWith("dynolith store 2 closed\n"));
    EXPECT_EQ(CountRows(**Open()), kRows);
  }
}

// Why: recovery up to the damage would drop acknowledged writes behind it without a word.
TEST_F(FolderTest, LogDamagedInTheMiddleIsNamed) {
  MakeStore();
  const std::string name = Log();
  const std::string path = data_ + "/" + name;
  const std::string good = ReadFile(path);
  for (const size_t at : {good.size() / 4, good.size() / 2, good.size() - 300}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    WriteFile(path, bad);
    ExpectRefused(absl::StatusCode::kDataLoss, name);
  }
  WriteFile(path, good);
  EXPECT_EQ(CountRows(**Open()), kRows);
}

TEST_F(FolderTest, DamagedRowsAreNamedWhenRead) {
  MakeStore();
  const std::string name = Files("", ".sst")[0];
  const std::string path = data_ + "/" + name;
  std::string bytes = ReadFile(path);
  bytes[50] = static_cast<char>(bytes[50] ^ 1);
  WriteFile(path, bytes);
  auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  Row row;
  const absl::Status get = (*store)->Get(Family::kTables, Key(1), &row).status();
  Cursor cursor = (*store)->Scan(Family::kTables, "", "", Direction::kForward);
  cursor.SeekToStart();
  EXPECT_FALSE(cursor.Valid());
  for (const absl::Status& status : {get, cursor.status(), (*store)->VerifyChecksums()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(name));
  }
}

TEST_F(FolderTest, InterruptedCreationStartsAgain) {
  {
    const auto store = Open();
    ASSERT_TRUE(store.ok());
  }
  // What a crash leaves between the format file and RocksDB's own files.
  for (const auto& entry : fs::directory_iterator(data_)) {
    if (entry.path().filename() != "DYNOLITH") fs::remove_all(entry.path());
  }
  WriteFile(data_ + "/DYNOLITH", "dynolith store 1 creating\n");
  EXPECT_EQ(Open(true).status().code(), absl::StatusCode::kNotFound);
  const auto store = Open();
  EXPECT_TRUE(store.ok()) << store.status();
  EXPECT_THAT(ReadFile(data_ + "/DYNOLITH"), ::testing::StartsWith("dynolith store 2 running\n"));
}

// Why: the next process goes on in another log behind a record that was torn, and may be killed
// itself, or close the store, before the torn one is of no interest any more.
TEST_F(FolderTest, KilledAgainAndAgainHoldsEverything) {
  std::string place = folder_ / "killed0";
  MakeStore(place);
  int rows = kRows;
  for (int life = 1; life <= 4; ++life) {
    data_ = place;
    if (life % 2 == 1) {
      std::ofstream(data_ + "/" + LastLog(), std::ios::binary | std::ios::app) << "\1\2\3\4\5";
    }
    auto store = Open();
    ASSERT_TRUE(store.ok()) << life << ": " << store.status();
    EXPECT_EQ(CountRows(**store), rows);
    WriteBatch batch;
    for (int i = 0; i < 10; ++i) batch.Put(Family::kTables, Key(rows++), "v");
    ASSERT_TRUE((*store)->Commit(batch).ok());
    place = folder_ / ("killed" + std::to_string(life));
    testing::CopyStore(data_, place, /*is_original=*/true);
  }
  data_ = place;
  EXPECT_EQ(CountRows(**Open(true)), rows);
  auto store = Open();
  EXPECT_EQ(CountRows(**store), rows);
  store->reset();
  EXPECT_EQ(CountRows(**Open()), rows);
}

// Why: opening after a crash takes as long as the logs are. A family that is written now and then
// must not keep all logs since.
TEST_F(FolderTest, LogsAreBounded) {
  auto store = *Open();
  uint64_t most = 0;
  for (int i = 0; i < 600; ++i) {
    WriteBatch batch;
    if (i % 200 == 0) batch.Put(Family::kMeta, Key(i), "rarely");
    for (int j = 0; j < 10; ++j) {
      batch.Put(Family::kTables, Key(10 * i + j), std::string(10'000, static_cast<char>('a' + j)));
    }
    ASSERT_TRUE(store->Commit(batch).ok());
    if (i % 20 == 0) most = std::max(most, store->TakeStatistics().log_bytes);
  }
  // 60 MB were written. Those of the flushes that are going on are needed, too.
  EXPECT_GT(most, uint64_t{4} << 20);
  EXPECT_LT(most, uint64_t{40} << 20);
}

// Why: in memory nobody wants to keep what was overwritten.
TEST(MemoryTest, OverwrittenRowsGo) {
  auto store = *LocalStore::Open({.in_memory = true});
  constexpr int kKeys = 20'000;
  constexpr uint64_t kRowBytes = 230;
  std::string value(200, 'v');
  uint64_t memtable_bytes_most = 0;
  for (int i = 0; i < 10 * kKeys; ++i) {
    WriteBatch batch;
    value.replace(0, 6, std::to_string(100'000 + i));
    batch.Put(Family::kTables, "a key of 30 bytes, number" + std::to_string(10'000 + i % kKeys),
              value);
    ASSERT_TRUE(store->Commit(batch).ok());
    if (i % 500 == 0) {
      memtable_bytes_most = std::max(memtable_bytes_most, store->TakeStatistics().memtable_bytes);
    }
  }
  // Two write buffers, of which one is being flushed, and the filter of each.
  EXPECT_LT(memtable_bytes_most, uint64_t{8} << 20);
  // Compactions go on for a moment.
  uint64_t bytes = 0;
  for (int attempt = 0; attempt < 12'000; ++attempt) {
    const StoreStatistics statistics = store->TakeStatistics();
    bytes = statistics.memtable_bytes + statistics.table_file_bytes;
    if (bytes < 3 * kKeys * kRowBytes) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_LT(bytes, 3 * kKeys * kRowBytes) << "of ten times as much";
}

// Why: RocksDB finds the families instead of making them, and must go on without what it would keep
// of their options.
TEST_F(FolderTest, StoreHasAllFamiliesAndNoOptions) {
  for (int life = 0; life < 3; ++life) {
    auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_THAT(Files("OPTIONS-", ""), ::testing::IsEmpty());
    if (life == 0) {
      EXPECT_THAT(Files("MANIFEST-", ""), ::testing::SizeIs(1));
    }
    for (int family = 0; family < static_cast<int>(kFamilies); ++family) {
      Row row;
      EXPECT_EQ(*(*store)->Get(static_cast<Family>(family), "life", &row), life > 0) << family;
      if (life > 0) {
        EXPECT_EQ(row.value(), std::to_string(family + 10 * life));
      }
      WriteBatch batch;
      batch.Put(static_cast<Family>(family), "life", std::to_string(family + 10 * (life + 1)));
      ASSERT_TRUE((*store)->Commit(batch).ok());
    }
    if (life == 1) {
      EXPECT_TRUE((*store)->Flush().ok());
    }
    store->reset();
    EXPECT_EQ(fs::file_size(data_ + "/LOG"), 0u) << ReadFile(data_ + "/LOG");
  }
}

// Why: files that a loss of power has taken the contents of must not keep a store from being made,
// but a log that holds something is nobody's to overwrite.
TEST_F(FolderTest, InterruptedCreationTakesThePlaceOfWhatIsLeft) {
  {
    const auto store = Open();
    ASSERT_TRUE(store.ok());
  }
  const std::string closed = ReadFile(data_ + "/DYNOLITH");
  IntegrityManifest creating;
  WriteFile(data_ + "/DYNOLITH", IntegrityManifestText(creating));
  WriteFile(data_ + "/CURRENT", "MANIFEST-0000");
  WriteFile(data_ + "/MANIFEST-000001", "");
  WriteFile(data_ + "/IDENTITY", "");
  EXPECT_TRUE(Open().ok());
  EXPECT_NE(ReadFile(data_ + "/DYNOLITH"), closed);

  MakeStore();
  WriteFile(data_ + "/DYNOLITH", IntegrityManifestText(creating));
  EXPECT_EQ(CountRows(**Open()), kRows);
}

TEST_F(FolderTest, CheckpointIsAStoreOfItsOwn) {
  MakeStore();
  const std::string copy = folder_ / "copy";
  {
    auto store = *Open();
    ASSERT_TRUE(store->Checkpoint(copy).ok());
    EXPECT_FALSE(store->Checkpoint(copy).ok()) << "exists";
    WriteBatch batch;
    for (int i = 0; i < kRows; ++i) batch.Delete(Family::kTables, Key(i));
    ASSERT_TRUE(store->Commit(batch).ok());
  }
  StoreOptions options;
  options.path = copy;
  options.read_only = true;
  EXPECT_EQ(CountRows(**LocalStore::Open(options)), kRows);
  options.read_only = false;
  EXPECT_EQ(CountRows(**LocalStore::Open(options)), kRows);
  EXPECT_EQ(CountRows(**Open()), 0);
}

// Why: an acknowledged write survives the end of the process, however it ends.
TEST_F(FolderTest, AcknowledgedWritesSurviveKill) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer ends a forked process that starts threads";
#endif
  int acknowledged[2];
  ASSERT_EQ(pipe(acknowledged), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto store = Open();
    for (int i = 0;; ++i) {
      WriteBatch batch;
      batch.Put(Family::kTables, Key(i), std::string(100, 'v'));
      if (!store.ok() || !(*store)->Commit(batch).ok()) _exit(1);
      if (write(acknowledged[1], &i, sizeof i) != sizeof i) _exit(1);
    }
  }
  close(acknowledged[1]);
  int last = -1;
  while (last < 500 && read(acknowledged[0], &last, sizeof last) == sizeof last) {
  }
  kill(child, SIGKILL);
  while (read(acknowledged[0], &last, sizeof last) == sizeof last) {
  }
  close(acknowledged[0]);
  waitpid(child, nullptr, 0);
  EXPECT_GE(last, 500);
  EXPECT_GT(CountRows(**Open()), last);
}

}  // namespace
}  // namespace dynolith
