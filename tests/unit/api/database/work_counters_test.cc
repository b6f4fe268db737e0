// What operations cost in counted work, whatever the machine: these numbers are promises
// (api/write, api/read), and a change that adds a read, a seek or a copy to a hot path fails here
// before a benchmark can show it.
#include "engine/store/work_counters.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "dynolith/database.h"
#include "tests/unit/allocation_counter.h"

namespace dynolith {
namespace {

using KeyType = KeyType;

class WorkCountersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Database::Open({.in_memory = true, .ttl_sweep_period = absl::ZeroDuration()});
    ASSERT_TRUE(opened.ok()) << opened.status();
    database_ = *std::move(opened);
  }

  // A table "plain" without indexes, or "indexed" with `global_indexes` of them.
  void CreateTable(const std::string& name, int global_indexes) {
    CreateTableRequest request{.table_name = name};
    request.billing_mode = BillingMode::kPayPerRequest;
    request.key_schema = {{{"pk", KeyType::kHash}, {"sk", KeyType::kRange}}};
    request.attribute_definitions = {{{"pk", Type::kString}, {"sk", Type::kNumber}}};
    for (int i = 0; i < global_indexes; ++i) {
      const std::string attribute = "g" + std::to_string(i);
      request.attribute_definitions->push_back({attribute, Type::kString});
      if (!request.global_secondary_indexes) request.global_secondary_indexes.emplace();
      request.global_secondary_indexes->push_back({.index_name = "index" + std::to_string(i),
                                                   .key_schema = {{attribute, KeyType::kHash}},
                                                   .projection = {ProjectionType::kAll}});
    }
    const auto created = database_->CreateTable(request);
    ASSERT_TRUE(created.ok()) << created.status();
    ASSERT_TRUE(database_->WaitForBackfills().ok());
  }

  void Put(const std::string& table, int i, const std::string& note = "") {
    const auto put = database_->PutItem({.table_name = table,
                                         .item = {{"pk", Value::S("a")},
                                                  {"sk", Value::N(i)},
                                                  {"g0", Value::S("x")},
                                                  {"g1", Value::S("y")},
                                                  {"note", Value::S(note)}}});
    ASSERT_TRUE(put.ok()) << put.status();
  }

  template <typename Operation>
  WorkCounters CountWork(Operation&& operation) {
    const WorkCounters before = ThreadWork();
    operation();
    return ThreadWork() - before;
  }

  std::unique_ptr<Database> database_;
};

TEST_F(WorkCountersTest, UnconditionalPutWithoutIndexesReadsNothing) {
  CreateTable("plain", 0);
  for (int round = 0; round < 2; ++round) {  // new, then overwritten
    const WorkCounters work = CountWork([&] { Put("plain", 1, "round " + std::to_string(round)); });
    EXPECT_EQ(work.gets, 0u);
    EXPECT_EQ(work.seeks, 0u);
    EXPECT_EQ(work.batches, 1u);
    EXPECT_EQ(work.rows_written, 1u);
  }
}

TEST_F(WorkCountersTest, UnconditionalDeleteWithoutIndexesReadsNothing) {
  CreateTable("plain", 0);
  Put("plain", 1);
  const WorkCounters work = CountWork([&] {
    ASSERT_TRUE(database_
                    ->DeleteItem({.table_name = "plain",
                                  .key = {{"pk", Value::S("a")}, {"sk", Value::N(1)}}})
                    .ok());
  });
  EXPECT_EQ(work.gets, 0u);
  EXPECT_EQ(work.seeks, 0u);
  EXPECT_EQ(work.batches, 1u);
}

TEST_F(WorkCountersTest, PutIntoIndexedTableReadsOnceAndCommitsOnce) {
  CreateTable("indexed", 2);
  WorkCounters work = CountWork([&] { Put("indexed", 1); });
  EXPECT_EQ(work.gets, 1u);
  EXPECT_EQ(work.batches, 1u);
  EXPECT_EQ(work.rows_written, 3u);
  // The same item again: nothing to write at all.
  work = CountWork([&] { Put("indexed", 1); });
  EXPECT_EQ(work.gets, 1u);
  EXPECT_EQ(work.batches, 0u);
  // Another note: one put per index that projects it, no deletes.
  work = CountWork([&] { Put("indexed", 1, "changed"); });
  EXPECT_EQ(work.rows_written, 3u);
}

TEST_F(WorkCountersTest, PutWithPointInTimeRecoveryReadsOnceAndCommitsOnce) {
  // One that stands still: the limit of all times to come is raised once a second.
  ManualClock clock(absl::FromUnixSeconds(1'800'000'000));
  database_ = *Database::Open({.in_memory = true, .clock = &clock});
  CreateTable("recovered", 0);
  ASSERT_TRUE(
      database_
          ->UpdateContinuousBackups(
              {.table_name = "recovered",
               .point_in_time_recovery_specification = {.point_in_time_recovery_enabled = true}})
          .ok());
  Put("recovered", 1);
  for (const char* note : {"changed", "changed again"}) {
    const WorkCounters work = CountWork([&] { Put("recovered", 1, note); });
    EXPECT_EQ(work.gets, 1u);
    EXPECT_EQ(work.seeks, 0u);
    EXPECT_EQ(work.batches, 1u);
    EXPECT_EQ(work.rows_written, 2u);
  }
  // The same item again: nothing has become of it.
  const WorkCounters work = CountWork([&] { Put("recovered", 1, "changed again"); });
  EXPECT_EQ(work.batches, 0u);
  database_.reset();
}

TEST_F(WorkCountersTest, GetIsOneReadAndNoCopy) {
  CreateTable("plain", 0);
  Put("plain", 1);
  const WorkCounters work = CountWork([&] {
    bool seen = false;
    const auto got = database_->GetItem(
        {.table_name = "plain", .key = {{"pk", Value::S("a")}, {"sk", Value::N(1)}}},
        [&seen](ItemView) { seen = true; });
    ASSERT_TRUE(got.ok() && seen);
  });
  EXPECT_EQ(work.gets, 1u);
  EXPECT_EQ(work.seeks, 0u);
  EXPECT_EQ(work.item_copies, 0u);
}

TEST_F(WorkCountersTest, QueryIsOneSeekAndNoCopy) {
  CreateTable("indexed", 1);
  for (int i = 0; i < 20; ++i) Put("indexed", i);
  for (const bool on_index : {false, true}) {
    QueryRequest request{.table_name = "indexed", .limit = 10};
    request.key_condition_expression = on_index ? "g0 = :v" : "pk = :v";
    request.expression_attribute_values = Item{{":v", Value::S(on_index ? "x" : "a")}};
    if (on_index) request.index_name = "index0";
    const WorkCounters work = CountWork([&] {
      int seen = 0;
      const auto page = database_->Query(request, [&seen](ItemView) { ++seen; });
      ASSERT_TRUE(page.ok()) << page.status();
      ASSERT_EQ(seen, 10);
    });
    EXPECT_EQ(work.seeks, 1u);
    EXPECT_EQ(work.gets, 0u);
    EXPECT_EQ(work.item_copies, 0u);
    EXPECT_EQ(work.rows_read, 10u);
  }
}

// A page costs some allocations, and a row none: so ten rows cost as many as a hundred.
TEST_F(WorkCountersTest, QueryWithProjectionAllocatesNothingPerRow) {
  CreateTable("plain", 0);
  const std::string note = "a text that is longer than any short string's buffer";
  for (int i = 0; i < 101; ++i) Put("plain", i, note);
  const auto allocations_of = [&](int limit, const char* projection) {
    QueryRequest request{.table_name = "plain", .limit = limit};
    request.key_condition_expression = "pk = :v";
    request.expression_attribute_values = Item{{":v", Value::S("a")}};
    request.projection_expression = projection;
    int seen = 0;
    size_t note_bytes = 0;
    const int before = thread_allocations;
    const auto page = database_->Query(request, [&](ItemView item) {
      ++seen;
      note_bytes += item.Find("note")->string().size();
    });
    const int allocations = thread_allocations - before;
    EXPECT_TRUE(page.ok()) << page.status();
    EXPECT_EQ(seen, limit);
    EXPECT_EQ(note_bytes, limit * note.size());
    return allocations;
  };
  for (const char* projection : {"pk, note", "note, g0.absent", "sk, note, g1"}) {
    allocations_of(10, projection);
    EXPECT_EQ(allocations_of(10, projection), allocations_of(100, projection)) << projection;
  }
  EXPECT_GT(allocations_of(10, "note"), 0) << "the counter does not count";
}

TEST_F(WorkCountersTest, ItemsThatLeaveWithoutASinkAreCopiedOnce) {
  CreateTable("plain", 0);
  for (int i = 0; i < 5; ++i) Put("plain", i);
  const WorkCounters work = CountWork([&] {
    const auto page = database_->Scan({.table_name = "plain"});
    ASSERT_TRUE(page.ok());
    ASSERT_EQ(page->items.size(), 5u);
  });
  EXPECT_EQ(work.seeks, 1u);
  EXPECT_EQ(work.item_copies, 5u);
}

// Why: what one large transaction needed stayed with each thread of a server that had run one. The
// rows themselves are in the memtable, which is a small one and so takes what they take.
TEST(HeldMemoryTest, ALargeTransactionLeavesNothingWithItsThread) {
  constexpr int kItems = 90;
  constexpr int kItemBytes = 40'000;
  const auto database = *Database::Open({.in_memory = true,
                                         .write_buffer_bytes = 64 << 10,
                                         .ttl_sweep_period = absl::ZeroDuration()});
  CreateTableRequest create{.table_name = "plain"};
  create.attribute_definitions = {{"pk", Type::kString}};
  create.key_schema = {{"pk", KeyType::kHash}};
  create.billing_mode = BillingMode::kPayPerRequest;
  ASSERT_TRUE(database->CreateTable(create).ok());
  const auto put = [&](size_t items, size_t bytes) {
    TransactWriteItemsRequest request;
    for (size_t i = 0; i < items; ++i) {
      TransactWriteItem& item = request.transact_items.emplace_back();
      item.put.emplace();
      item.put->table_name = "plain";
      item.put->item = {{"pk", Value::S(std::to_string(i))},
                        {"text", Value::S(std::string(bytes, 'x'))}};
    }
    const auto written = database->TransactWriteItems(request);
    ASSERT_TRUE(written.ok()) << written.status();
  };
  put(1, 1);
  const int64_t before = thread_held_bytes;
  put(kItems, kItemBytes);
  EXPECT_LT(thread_held_bytes - before, kItems * kItemBytes * 3 / 2);
}

}  // namespace
}  // namespace dynolith
