// A table that is made with its items is the same as one into which they were put, and is whole or
// not there at all.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "api/request/operation_context.h"
#include "dynolith/database.h"
#include "dynolith/table_load.h"
#include "engine/base/errors.h"
#include "index/check.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

CreateTableRequest Songs(const std::string& name) {
  return {
      .table_name = name,
      .attribute_definitions = {{{"artist"}, {"number", Type::kNumber}, {"year", Type::kNumber}}},
      .key_schema = {{{"artist"}, {"number", KeyType::kRange}}},
      .local_secondary_indexes = {{{.index_name = "by-year",
                                    .key_schema = {{"artist"}, {"year", KeyType::kRange}},
                                    .projection = {ProjectionType::kAll}}}},
      .global_secondary_indexes = {{{.index_name = "of-year",
                                     .key_schema = {{"year"}},
                                     .projection = {ProjectionType::kKeysOnly}}}},
      .billing_mode = BillingMode::kPayPerRequest};
}

// Every seventh has no year, and each key comes twice.
std::vector<Item> SomeSongs() {
  std::vector<Item> songs;
  for (int i = 0; i < 1'000; ++i) {
    Item song{{"artist", Value::S("artist " + std::to_string(i % 20))},
              {"number", Value::N(i * 7 % 500)},
              {"take", Value::N(i)}};
    if (i % 7 != 0) song.Set("year", Value::N(1960 + i % 50));
    songs.push_back(std::move(song));
  }
  return songs;
}

// In the order of a scan, as they are stored.
std::vector<std::string> ReadRows(Database* database, const std::string& table,
                                  const std::string& index = "") {
  ScanRequest scan{.table_name = table};
  if (!index.empty()) scan.index_name = index;
  std::vector<std::string> rows;
  auto items = database->ScanAll(scan);
  for (const Item& item : items) rows.emplace_back(item.view().bytes());
  EXPECT_TRUE(items.status().ok()) << items.status();
  return rows;
}

bool IsThere(Database* database, const std::string& table) {
  return database->DescribeTable({.table_name = table}).ok();
}

void ExpectWhole(Database* database) {
  const OperationContext& context = ContextOf(*database);
  const auto report = [](const std::string& line) { ADD_FAILURE() << line; };
  CheckSummary summary;
  EXPECT_TRUE(CheckStore(context.store, *context.catalog, report, &summary).ok());
  EXPECT_GT(summary.base_rows, 0U);
}

TEST(LoadTable, MakesTheSameAsPuts) {
  const testing::ScratchFolder folder;
  for (const bool in_memory : {false, true}) {
    const auto database = Database::Open({.path = folder.path(), .in_memory = in_memory}).value();
    ASSERT_TRUE(database->CreateTable(Songs("put")).ok());
    auto load = database->LoadTable(Songs("loaded")).value();
    for (const Item& song : SomeSongs()) {
      ASSERT_TRUE(database->PutItem({.table_name = "put", .item = song}).ok());
      ASSERT_TRUE(load->Put(song.view()).ok());
    }
    EXPECT_EQ(load->items(), 1'000);
    EXPECT_FALSE(IsThere(database.get(), "loaded"));
    const auto made = load->Finish();
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ(made->table_name, "loaded");
    EXPECT_EQ(database->DescribeTable({.table_name = "loaded"})->table_status,
              TableStatus::kActive);
    for (const char* const index : {"", "by-year", "of-year"}) {
      EXPECT_EQ(ReadRows(database.get(), "loaded", index), ReadRows(database.get(), "put", index))
          << index;
    }
    EXPECT_EQ(ReadRows(database.get(), "loaded").size(), 500U);
    EXPECT_EQ(database->ListImports({})->import_summary_list.size(), 0U);
    ExpectWhole(database.get());
    // And it is a table like all others.
    EXPECT_TRUE(database->PutItem({.table_name = "loaded", .item = SomeSongs().front()}).ok());
  }
}

// As PutItem does, and the others are there.
TEST(LoadTable, RefusesWhatTheTableMayNotHave) {
  const auto database = Database::Open({.in_memory = true}).value();
  ASSERT_TRUE(database->CreateTable(Songs("put")).ok());
  auto load = database->LoadTable(Songs("loaded")).value();
  const Item good = SomeSongs().front();
  Item too_large = good;
  too_large.Set("text", Value::S(std::string(500'000, 'x')));
  Item bad_index_key = good;
  bad_index_key.Set("year", Value::S("1960"));
  for (const Item& bad : {Item{{"artist", Value::S("a")}}, too_large, bad_index_key}) {
    const absl::Status put = database->PutItem({.table_name = "put", .item = bad}).status();
    const absl::Status loaded = load->Put(bad.view());
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(KindOf(loaded), ErrorKind::kValidation);
    EXPECT_EQ(MessageOf(loaded), MessageOf(put));
  }
  ASSERT_TRUE(load->Put(good.view()).ok());
  ASSERT_TRUE(load->Finish().ok());
  EXPECT_EQ(ReadRows(database.get(), "loaded").size(), 1U);
}

TEST(LoadTable, RefusesWhatCreateTableRefuses) {
  const auto database = Database::Open({.in_memory = true}).value();
  CreateTableRequest without_key = Songs("loaded");
  without_key.key_schema.reset();
  CreateTableRequest of_nothing = Songs("loaded");
  of_nothing.key_schema = {{{"title"}}};
  ASSERT_TRUE(database->CreateTable(Songs("there")).ok());
  for (const CreateTableRequest& request : {without_key, of_nothing, Songs("there")}) {
    const absl::Status created = database->CreateTable(request).status();
    const absl::Status loaded = database->LoadTable(request).status();
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(KindOf(loaded), KindOf(created));
    EXPECT_EQ(MessageOf(loaded), MessageOf(created));
  }
}

TEST(LoadTable, NothingIsThereWithoutItsEnd) {
  const testing::ScratchFolder folder;
  {
    const auto database = Database::Open({.path = folder.path()}).value();
    for (const bool is_cancelled : {false, true}) {
      auto load = database->LoadTable(Songs("loaded")).value();
      for (const Item& song : SomeSongs()) ASSERT_TRUE(load->Put(song.view()).ok());
      if (is_cancelled) {
        EXPECT_TRUE(
            absl::IsCancelled(load->Finish([] { return absl::CancelledError(); }).status()));
      }
    }
    EXPECT_FALSE(IsThere(database.get(), "loaded"));
  }
  const auto database = Database::Open({.path = folder.path()}).value();
  EXPECT_FALSE(IsThere(database.get(), "loaded"));
  // Nor is any of it in a table that is made later, under the same name and the next id.
  ASSERT_TRUE(database->CreateTable(Songs("loaded")).ok());
  EXPECT_TRUE(ReadRows(database.get(), "loaded").empty());
  EXPECT_TRUE(ReadRows(database.get(), "loaded", "of-year").empty());
}

TEST(LoadTable, ANameThatIsTakenMeanwhile) {
  const auto database = Database::Open({.in_memory = true}).value();
  auto load = database->LoadTable(Songs("loaded")).value();
  ASSERT_TRUE(load->Put(SomeSongs().front().view()).ok());
  ASSERT_TRUE(database->CreateTable(Songs("loaded")).ok());
  EXPECT_EQ(KindOf(load->Finish().status()), ErrorKind::kResourceInUse);
  EXPECT_TRUE(ReadRows(database.get(), "loaded").empty());
}

TEST(LoadTable, AReadOnlyFolder) {
  const testing::ScratchFolder folder;
  ASSERT_TRUE(Database::Open({.path = folder.path()}).ok());
  const auto database = Database::Open({.path = folder.path(), .read_only = true}).value();
  EXPECT_TRUE(absl::IsFailedPrecondition(database->LoadTable(Songs("loaded")).status()));
}

TEST(LoadTable, StreamAndExpiryFollow) {
  ManualClock clock(absl::FromUnixSeconds(1'700'000'000));
  const auto database = Database::Open({.in_memory = true, .clock = &clock}).value();
  CreateTableRequest request = Songs("loaded");
  request.stream_specification.emplace();
  request.stream_specification->stream_enabled = true;
  request.stream_specification->stream_view_type = StreamViewType::kKeysOnly;
  auto load = database->LoadTable(request).value();
  Item song = SomeSongs().front();
  song.Set("until", Value::N(1'700'000'060));
  ASSERT_TRUE(load->Put(song.view()).ok());
  const auto made = load->Finish();
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(made->latest_stream_arn);
  ASSERT_TRUE(database
                  ->UpdateTimeToLive(
                      {.table_name = "loaded",
                       .time_to_live_specification = {.enabled = true, .attribute_name = "until"}})
                  .ok());
  EXPECT_EQ(*database->SweepExpiredItems(), 0);
  clock.Advance(absl::Hours(1));
  EXPECT_TRUE(ReadRows(database.get(), "loaded").empty());
}

}  // namespace
}  // namespace dynolith
