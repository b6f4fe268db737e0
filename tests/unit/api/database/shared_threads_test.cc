// A process may have thousands of databases: they share threads for what is done in the background,
// all of it is done, and none waits for the end of another's.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "api/database/database_impl.h"
#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/process/background_work.h"
#include "engine/process/thread_start.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

constexpr absl::Duration kShort = absl::Milliseconds(1);

size_t CountThreads() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return static_cast<size_t>(std::distance(begin(threads), end(threads)));
}

// A table "music" of so many items, each with the attribute that AddIndex wants.
void FillTable(int items, Database* database) {
  ASSERT_TRUE(database
                  ->CreateTable({.table_name = "music",
                                 .attribute_definitions = {{{"pk"}}},
                                 .key_schema = {{{"pk"}}},
                                 .billing_mode = BillingMode::kPayPerRequest})
                  .ok());
  for (int i = 0; i < items; ++i) {
    ASSERT_TRUE(database
                    ->PutItem({.table_name = "music",
                               .item = {{"pk", Value::S(std::to_string(i))}, {"a", Value::S("x")}}})
                    .ok());
  }
}

absl::Status AddIndex(Database* database) {
  UpdateTableRequest request{.table_name = "music"};
  request.attribute_definitions = {{"a"}};
  SecondaryIndex index{.index_name = "by-a", .key_schema = {{{"a"}}}};
  index.projection.projection_type = ProjectionType::kAll;
  request.global_secondary_index_updates = {{.create = index}};
  return database->UpdateTable(request).status();
}

TEST(MemoryThreads, ManyDatabasesShareAFew) {
  constexpr int kDatabases = 100;
  constexpr size_t kThreadsMax = 4;
  const size_t before = CountThreads();
  std::vector<std::unique_ptr<Database>> databases;
  for (int i = 0; i < kDatabases; ++i) {
    databases.push_back(*Database::Open({.in_memory = true,
                                         .ttl_sweep_period = kShort,
                                         .vector_search = VectorSearch::kApproximate}));
  }
  EXPECT_LE(CountThreads(), before + kThreadsMax);
  // The last one's index is filled beside the sweeps of all.
  Database* const last = databases.back().get();
  FillTable(1'000, last);
  ASSERT_TRUE(AddIndex(last).ok());
  EXPECT_TRUE(last->WaitForBackfills().ok());
  EXPECT_EQ(last->Scan({.table_name = "music", .index_name = "by-a"})->count, 1'000);
  EXPECT_LE(CountThreads(), before + kThreadsMax);
  // All go with the last database. The system counts one for a moment longer.
  databases.clear();
  while (CountThreads() > before) absl::SleepFor(kShort);
}

TEST(MemoryThreads, WithoutRoomForTheFirstNoDatabaseIsOpened) {
  {
    const NoRoomForThreads no_room;
    EXPECT_EQ(KindOf(Database::Open({.in_memory = true}).status()), ErrorKind::kServiceUnavailable);
  }
  const auto database = Database::Open({.in_memory = true});
  ASSERT_TRUE(database.ok());
  // Another one needs no other thread.
  const NoRoomForThreads no_room;
  EXPECT_TRUE(Database::Open({.in_memory = true}).ok());
}

TEST(MemoryThreads, AllDatabasesAreSwept) {
  std::vector<std::unique_ptr<Database>> databases;
  for (int i = 0; i < 3; ++i) {
    databases.push_back(
        *Database::Open({.in_memory = true, .ttl_sweep_period = absl::Milliseconds(5)}));
    Database* const database = databases.back().get();
    ASSERT_TRUE(database
                    ->CreateTable({.table_name = "music",
                                   .attribute_definitions = {{{"pk"}}},
                                   .key_schema = {{{"pk"}}},
                                   .billing_mode = BillingMode::kPayPerRequest})
                    .ok());
    ASSERT_TRUE(
        database->UpdateTimeToLive({"music", {.enabled = true, .attribute_name = "until"}}).ok());
    ASSERT_TRUE(
        database
            ->PutItem({.table_name = "music",
                       .item = {{"pk", Value::S("a")},
                                {"until", Value::N(absl::ToUnixSeconds(absl::Now()) - 60)}}})
            .ok());
  }
  for (const auto& database : databases) {
    while (database->Scan({.table_name = "music"})->count > 0) absl::SleepFor(kShort);
    EXPECT_TRUE(database->TakeBackgroundFailure().ok());
  }
}

TEST(FolderThreads, ManyDatabasesShareAFew) {
  constexpr int kDatabases = 20;
  // Sweeps and the like, fills, and those of RocksDB: its timer, one for flushes, one for
  // compactions, and a spare one.
  constexpr size_t kThreadsMax = 4 + 4 + 4;
  const size_t before = CountThreads();
  const testing::ScratchFolder folder;
  std::vector<std::unique_ptr<Database>> databases;
  for (int i = 0; i < kDatabases; ++i) {
    databases.push_back(Database::Open({.path = folder / std::to_string(i),
                                        .ttl_sweep_period = kShort,
                                        .vector_search = VectorSearch::kApproximate})
                            .value());
  }
  EXPECT_LE(CountThreads(), before + kThreadsMax);
  // All that can be done in the background of each.
  for (const std::unique_ptr<Database>& database : databases) {
    FillTable(10, database.get());
    ASSERT_TRUE(AddIndex(database.get()).ok());
  }
  for (const std::unique_ptr<Database>& database : databases) {
    EXPECT_TRUE(database->WaitForBackfills().ok());
    EXPECT_EQ(database->Scan({.table_name = "music", .index_name = "by-a"})->count, 10);
    ASSERT_TRUE(database->DeleteTable({.table_name = "music"}).ok());
    LocalStore* const store = static_cast<DatabaseImpl*>(database.get())->local_store();
    EXPECT_TRUE(store->Flush().ok());
    EXPECT_TRUE(database->TakeBackgroundFailure().ok());
  }
  EXPECT_LE(CountThreads(), before + kThreadsMax);
}

// Whoever occupies all threads.
class LongWork {
 public:
  explicit LongWork(BackgroundThreads::Kind kind) {
    constexpr int kThreads = 4;
    for (int i = 0; i < kThreads; ++i) {
      works_.emplace_back(BackgroundThreads::Shared(kind), [this] {
        ++begun_;
        may_end_.WaitForNotification();
        return absl::InfiniteDuration();
      });
      works_.back().Wake();
      while (begun_ <= i) absl::SleepFor(kShort);
    }
  }
  ~LongWork() { may_end_.Notify(); }

 private:
  std::atomic<int> begun_ = 0;
  absl::Notification may_end_;
  std::list<BackgroundWork> works_;
};

TEST(FolderThreads, NobodyWaitsForTheLongWorkOfAnother) {
  const testing::ScratchFolder folder;
  const DatabaseOptions options = {.path = folder / "data", .ttl_sweep_period = kShort};
  {
    const LongWork in_folder(BackgroundThreads::Kind::kInFolder);
    const LongWork fill(BackgroundThreads::Kind::kFill);
    const auto database = Database::Open(options).value();
    FillTable(10, database.get());
    ASSERT_TRUE(AddIndex(database.get()).ok());
    ASSERT_TRUE(database
                    ->CreateTable({.table_name = "other",
                                   .attribute_definitions = {{{"pk"}}},
                                   .key_schema = {{{"pk"}}},
                                   .billing_mode = BillingMode::kPayPerRequest})
                    .ok());
    ASSERT_TRUE(database->DeleteTable({.table_name = "other"}).ok());
    // Waits for what the deletion has left to do.
    EXPECT_TRUE(static_cast<DatabaseImpl*>(database.get())->local_store()->Flush().ok());
  }
  const auto database = Database::Open(options).value();
  EXPECT_TRUE(database->WaitForBackfills().ok());
  EXPECT_EQ(database->Scan({.table_name = "music", .index_name = "by-a"})->count, 10);
}

}  // namespace
}  // namespace dynolith
