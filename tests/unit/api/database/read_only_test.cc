// Somebody looks at a folder that a server has open: what is shown must be right, and the looking
// must leave no trace, or it would be the end of the server's data.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/store/messages.h"
#include "tests/unit/api/database/songs.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith::testing {
namespace {

namespace fs = std::filesystem;

void MakeSongs(Database* database) {
  if (!CreateSongs(database).ok() || !PutSongs(database, 10).ok()) std::abort();
}

constexpr char kFolderVariable[] = "DYNOLITH_WRITER_FOLDER";
constexpr int kReadyDescriptor = 3;

// Another process with the folder open for writing: first ten songs, then one after the other until
// it is killed. It is this program anew, since a process with threads cannot go on after a fork.
class Writer {
 public:
  explicit Writer(const std::string& folder) {
    int ready[2];
    if (pipe(ready) != 0) std::abort();
    setenv(kFolderVariable, folder.c_str(), 1);
    child_ = fork();
    if (child_ == 0) {
      dup2(ready[1], kReadyDescriptor);
      const char* const arguments[] = {"writer", "--gtest_filter=WriterProcess.DISABLED_Writes",
                                       "--gtest_also_run_disabled_tests", nullptr};
      execv("/proc/self/exe", const_cast<char**>(arguments));
      _exit(1);
    }
    char byte = 0;
    close(ready[1]);
    is_ready_ = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
  }
  ~Writer() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  bool is_ready() const { return is_ready_; }
  bool is_alive() const { return waitpid(child_, nullptr, WNOHANG) == 0; }

 private:
  pid_t child_ = 0;
  bool is_ready_ = false;
};

// What Writer runs; by itself it has nothing to do.
TEST(WriterProcess, DISABLED_Writes) {
  const char* folder = std::getenv(kFolderVariable);
  if (folder == nullptr) GTEST_SKIP() << "run by Writer only";
  const auto database = Database::Open({.path = folder});
  ASSERT_TRUE(database.ok()) << database.status();
  MakeSongs(database->get());
  ASSERT_EQ(write(kReadyDescriptor, "r", 1), 1);
  for (int i = 10; PutSong(database->get(), i).ok(); ++i) usleep(100);
}

std::map<std::string, std::string> ReadFolder(const std::string& folder) {
  std::map<std::string, std::string> content;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    content[entry.path().filename()] = std::string(std::istreambuf_iterator<char>(in), {});
  }
  return content;
}

class ReadOnlyTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<Database>> Look(Clock* clock = nullptr) {
    return Database::Open({.path = data_, .clock = clock, .read_only = true});
  }

  ScratchFolder folder_;
  const std::string data_ = folder_ / "data";
};

TEST_F(ReadOnlyTest, LooksAtAFolderThatAnotherProcessWritesTo) {
  const Writer writer(data_);
  ASSERT_TRUE(writer.is_ready());
  EXPECT_EQ(Database::Open({.path = data_}).status().code(), absl::StatusCode::kUnavailable);
  int64_t seen = 10;
  for (int i = 0; i < 20; ++i) {
    const auto database = Look();
    ASSERT_TRUE(database.ok()) << database.status();
    int next = 0;
    auto songs = (*database)->QueryAll(SongsOfRay());
    for (const Item& song : songs) ASSERT_EQ(song.Get<int>("number").value(), next++) << "a gap";
    ASSERT_TRUE(songs.status().ok()) << songs.status();
    EXPECT_GE(songs.count(), seen) << "as it was when it was opened, and not before";
    seen = songs.count();
  }
  EXPECT_GT(seen, 10);
  EXPECT_TRUE(writer.is_alive());
}

TEST_F(ReadOnlyTest, StaysAsItWasOpenedWhileTheWriterFlushesAndDeletes) {
  const auto served = *Database::Open({.path = data_, .write_buffer_bytes = 1 << 16});
  MakeSongs(served.get());
  const auto database = Look();
  ASSERT_TRUE(database.ok()) << database.status();
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(PutSong(served.get(), i).ok());
    if (round % 5 == 0) {
      ASSERT_TRUE(served->Checkpoint(folder_ / std::to_string(round)).ok());
    }
  }
  ASSERT_TRUE(served->DeleteTable({.table_name = "songs"}).ok());
  auto songs = (*database)->QueryAll(SongsOfRay());
  for (const Item& song : songs) EXPECT_LT(song.Get<int>("number").value(), 10);
  EXPECT_EQ(songs.count(), 10);
  EXPECT_TRUE(songs.status().ok()) << songs.status();
}

TEST_F(ReadOnlyTest, WriterMayComeLater) {
  MakeSongs(Database::Open({.path = data_})->get());
  const auto looking = Look();
  ASSERT_TRUE(looking.ok()) << looking.status();
  const auto served = Database::Open({.path = data_});
  ASSERT_TRUE(served.ok()) << served.status();
  EXPECT_TRUE(PutSong(served->get(), 10).ok());
  auto songs = (*looking)->QueryAll(SongsOfRay());
  for (const Item& song : songs) static_cast<void>(song);
  EXPECT_EQ(songs.count(), 10);
}

// Every operation that writes, and what it answers.
std::map<std::string, absl::Status> Writes(Database* database) {
  const std::string arn = "arn:aws:dynamodb:us-east-1:000000000000:table/songs";
  CreateTableRequest create{.table_name = "other",
                            .attribute_definitions = {{{"pk"}}},
                            .key_schema = {{{"pk"}}},
                            .billing_mode = BillingMode::kPayPerRequest};
  TransactWriteItemsRequest transaction;
  transaction.transact_items.emplace_back();
  transaction.transact_items[0].put.emplace();
  transaction.transact_items[0].put->table_name = "songs";
  transaction.transact_items[0].put->item = SongKey(1);
  return {
      {"PutItem", PutSong(database, 3)},
      {"UpdateItem",
       database
           ->UpdateItem(
               {.table_name = "songs", .key = SongKey(3), .update_expression = "REMOVE nothing"})
           .status()},
      {"DeleteItem", database->DeleteItem({.table_name = "songs", .key = SongKey(77)}).status()},
      {"BatchWriteItem",
       database->BatchWriteItem({.request_items = {{"songs", {{.put = SongKey(1)}}}}}).status()},
      {"TransactWriteItems", database->TransactWriteItems(transaction).status()},
      {"ExecuteStatement",
       database
           ->ExecuteStatement(
               {.statement = "INSERT INTO songs VALUE {'artist': 'Ella', 'number': 1}"})
           .status()},
      {"CreateTable", database->CreateTable(create).status()},
      {"DeleteTable", database->DeleteTable({.table_name = "songs"}).status()},
      {"UpdateTable",
       database->UpdateTable({.table_name = "songs", .deletion_protection_enabled = true})
           .status()},
      {"UpdateTimeToLive",
       database
           ->UpdateTimeToLive(
               {.table_name = "songs",
                .time_to_live_specification = {.enabled = true, .attribute_name = "expires"}})
           .status()},
      {"CreateBackup",
       database->CreateBackup({.table_name = "songs", .backup_name = "copy"}).status()},
      {"TagResource", database->TagResource({.resource_arn = arn, .tags = {{{"a", "b"}}}})},
      {"SweepExpiredItems", database->SweepExpiredItems().status()},
  };
}

TEST_F(ReadOnlyTest, EveryWriteFailsAndNothingInTheFolderChanges) {
  MakeSongs(Database::Open({.path = data_})->get());
  const auto before = ReadFolder(data_);
  ManualClock clock(absl::Now() + absl::Hours(1));
  for (Clock* const used : {static_cast<Clock*>(nullptr), static_cast<Clock*>(&clock)}) {
    const auto database = Look(used);
    ASSERT_TRUE(database.ok()) << database.status();
    for (const auto& [operation, status] : Writes(database->get())) {
      EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << operation << status;
      EXPECT_EQ(MessageOf(status), messages::StoreReadOnly(data_)) << operation;
    }
    EXPECT_EQ((*database)->Checkpoint(folder_ / "copy").code(),
              absl::StatusCode::kFailedPrecondition);
    clock.Advance(absl::Hours(24 * 40));  // sweeps, trims and rolls elsewhere
    auto songs = (*database)->QueryAll(SongsOfRay());
    for (const Item& song : songs) static_cast<void>(song);
    EXPECT_EQ(songs.count(), 10);
    EXPECT_TRUE((*database)->DescribeTable({.table_name = "songs"}).ok());
    EXPECT_TRUE((*database)->ListStreams({}).ok());
    EXPECT_TRUE((*database)->WaitForBackfills().ok());
    EXPECT_TRUE((*database)->TakeBackgroundFailure().ok());
  }
  EXPECT_EQ(ReadFolder(data_), before);
}

// States of tables are finished by whoever writes; until then they stand.
TEST_F(ReadOnlyTest, UnfinishedTableStaysUnfinished) {
  ManualClock clock(absl::Now());
  {
    const auto database = *Database::Open(
        {.path = data_, .clock = &clock, .table_delays = {.create = absl::Minutes(1)}});
    ASSERT_TRUE(CreateSongs(database.get()).ok());
  }
  const auto before = ReadFolder(data_);
  clock.Advance(absl::Hours(1));
  const auto database = Look(&clock);
  ASSERT_TRUE(database.ok()) << database.status();
  const auto described = (*database)->DescribeTable({.table_name = "songs"});
  ASSERT_TRUE(described.ok()) << described.status();
  EXPECT_EQ(described->table_status, TableStatus::kCreating);
  EXPECT_EQ(ReadFolder(data_), before);
}

TEST_F(ReadOnlyTest, NeedsAFolderWithAStore) {
  EXPECT_EQ(Look().status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(fs::exists(data_));
  EXPECT_EQ(Database::Open({.in_memory = true, .read_only = true}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace dynolith::testing
