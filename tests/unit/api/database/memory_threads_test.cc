// A process may have thousands of databases in memory: they share threads for what is done in the
// background, and all of it is done.
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/base/thread_start.h"

namespace dynolith {
namespace {

constexpr absl::Duration kShort = absl::Milliseconds(1);

size_t CountThreads() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return static_cast<size_t>(std::distance(begin(threads), end(threads)));
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
  ASSERT_TRUE(last->CreateTable({.table_name = "music",
                                 .attribute_definitions = {{{"pk"}}},
                                 .key_schema = {{{"pk"}}},
                                 .billing_mode = BillingMode::kPayPerRequest})
                  .ok());
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_TRUE(last->PutItem({.table_name = "music",
                               .item = {{"pk", Value::S(std::to_string(i))}, {"a", Value::S("x")}}})
                    .ok());
  }
  UpdateTableRequest request{.table_name = "music"};
  request.attribute_definitions = {{"a"}};
  SecondaryIndex index{.index_name = "by-a", .key_schema = {{{"a"}}}};
  index.projection.projection_type = ProjectionType::kAll;
  request.global_secondary_index_updates = {{.create = index}};
  ASSERT_TRUE(last->UpdateTable(request).ok());
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

}  // namespace
}  // namespace dynolith
