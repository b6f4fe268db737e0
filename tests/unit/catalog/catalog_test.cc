// Tables come, change and go, survive a reopened store, and never get an id twice.
#include "engine/catalog/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "engine/catalog/families.h"
#include "engine/store/local_store.h"
#include "engine/store/row_id.h"
#include "tests/unit/catalog/table_metas.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::PlainMeta;
using testing::ScratchFolder;

class CatalogTest : public ::testing::Test {
 protected:
  CatalogTest() { Open(); }

  void Open() {
    catalog_.reset();
    store_.reset();
    StoreOptions options;
    options.path = folder_ / "data";
    auto store = LocalStore::Open(options);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    auto catalog = Catalog::Load(store_.get());
    ASSERT_TRUE(catalog.ok()) << catalog.status();
    catalog_ = *std::move(catalog);
  }

  std::shared_ptr<Table> Create(const std::string& name, int indexes = 0) {
    auto table = catalog_->Create(PlainMeta(name, indexes));
    EXPECT_TRUE(table.ok()) << table.status();
    return *table;
  }

  void PutMeta(std::string_view key, std::string_view value) {
    WriteBatch batch;
    batch.Put(Family::kMeta, key, value);
    ASSERT_TRUE(store_->Commit(batch).ok());
  }

  ScratchFolder folder_;
  std::unique_ptr<LocalStore> store_;
  std::unique_ptr<Catalog> catalog_;
};

TEST_F(CatalogTest, StartsEmpty) {
  EXPECT_EQ(catalog_->size(), 0u);
  EXPECT_EQ(catalog_->Find("music"), nullptr);
  EXPECT_THAT(catalog_->Names("", 10), IsEmpty());
}

TEST_F(CatalogTest, FindsAndListsWhatWasCreated) {
  Create("b");
  Create("a");
  Create("c");
  EXPECT_EQ(catalog_->Find("b")->meta()->schema.name, "b");
  EXPECT_THAT(catalog_->Names("", 10), ElementsAre("a", "b", "c"));
  EXPECT_THAT(catalog_->Names("a", 1), ElementsAre("b"));
  EXPECT_THAT(catalog_->Names("b", 10), ElementsAre("c"));
  EXPECT_THAT(catalog_->Names("bb", 10), ElementsAre("c"));
  EXPECT_EQ(catalog_->All().size(), 3u);
  EXPECT_EQ(catalog_->All()[0]->meta()->schema.name, "a");
  EXPECT_EQ(catalog_->Create(PlainMeta("b", 0)).status().code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(CatalogTest, SurvivesReopening) {
  const StorageId id = Create("music", 2)->meta()->schema.id;
  const TableMeta before = *catalog_->Find("music")->meta();
  Open();
  ASSERT_NE(catalog_->Find("music"), nullptr);
  const TableMeta after = *catalog_->Find("music")->meta();
  EXPECT_EQ(after.schema.id, id);
  EXPECT_EQ(EncodeTableMeta(after), EncodeTableMeta(before));
}

// Why: rows of a dropped table stay on disk for a while; an id that came back would show them.
TEST_F(CatalogTest, NeverGivesAnIdTwice) {
  std::set<StorageId> ids;
  for (int round = 0; round < 20; ++round) {
    const auto table = Create("t", 3);
    EXPECT_TRUE(ids.insert(table->meta()->schema.id).second);
    for (const IndexSchema& index : table->meta()->schema.indexes) {
      EXPECT_TRUE(ids.insert(index.id).second);
    }
    ASSERT_TRUE(catalog_->Drop("t").ok());
    EXPECT_EQ(catalog_->Find("t"), nullptr);
    if (round % 5 == 0) Open();
  }
  EXPECT_EQ(catalog_->Drop("t").code(), absl::StatusCode::kNotFound);
}

TEST_F(CatalogTest, DroppedRowsAreReclaimed) {
  const auto table = Create("t", 1);
  const auto kept = Create("kept", 0);
  const StorageId id = table->meta()->schema.id;
  const StorageId index = table->meta()->schema.indexes[0].id;
  const StorageId other = kept->meta()->schema.id;
  WriteBatch batch;
  for (int i = 0; i < 2000; ++i) {
    const std::string tail = std::to_string(i) + std::string(200, 'x');
    batch.Put(Family::kTables, RowIdPrefix(id) + tail, tail);
    batch.Put(Family::kGlobalIndexes, RowIdPrefix(index) + tail, tail);
    batch.Put(Family::kTables, RowIdPrefix(other) + tail, tail);
  }
  ASSERT_TRUE(store_->Commit(batch).ok());
  ASSERT_TRUE(catalog_->Drop("t").ok());
  ASSERT_TRUE(store_->CompactAll().ok());
  const auto bytes = [this](Family family, StorageId of) {
    return store_->ApproximateBytes(family, RowIdPrefix(of), RowIdPrefix(of + 1));
  };
  EXPECT_LT(bytes(Family::kTables, id), 2000u);
  EXPECT_LT(bytes(Family::kGlobalIndexes, index), 2000u);
  Cursor cursor = store_->Scan(Family::kTables, RowIdPrefix(other), "", Direction::kForward);
  size_t rows = 0;
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) ++rows;
  EXPECT_EQ(rows, 2000u);
}

TEST_F(CatalogTest, ModifyPublishesPersistsAndGivesIds) {
  const auto table = Create("t", 1);
  const auto old = table->meta();
  const auto changed = catalog_->Modify(table.get(), [](TableMeta* meta) {
    meta->deletion_protection = true;
    IndexSchema index = meta->schema.indexes[0];
    index.name = "added";
    index.id = 0;
    meta->schema.indexes.push_back(index);
    meta->index_states.push_back({.status = IndexStatus::kCreating, .backfilling = true});
    return absl::OkStatus();
  });
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_FALSE(old->deletion_protection);
  EXPECT_EQ(old->schema.indexes.size(), 1u);
  EXPECT_TRUE(table->meta()->deletion_protection);
  EXPECT_EQ(table->meta()->schema.indexes[0].id, old->schema.indexes[0].id);
  EXPECT_GT(table->meta()->schema.indexes[1].id, old->schema.indexes[0].id);
  Open();
  const auto meta = catalog_->Find("t")->meta();
  EXPECT_TRUE(meta->deletion_protection);
  ASSERT_EQ(meta->schema.indexes.size(), 2u);
  EXPECT_EQ(meta->schema.indexes[1].name, "added");
  EXPECT_TRUE(meta->index_states[1].backfilling);
  EXPECT_EQ(meta->index_states[1].status, IndexStatus::kCreating);
}

TEST_F(CatalogTest, ModifyCommitsTheBatchWithTheChange) {
  const auto table = Create("t");
  WriteBatch batch;
  batch.Put(Family::kTables, "row", "value");
  ASSERT_TRUE(catalog_
                  ->Modify(
                      table.get(),
                      [](TableMeta* meta) {
                        meta->uuid = "new";
                        return absl::OkStatus();
                      },
                      &batch)
                  .ok());
  Row row;
  EXPECT_TRUE(*store_->Get(Family::kTables, "row", &row));
}

TEST_F(CatalogTest, FailedOrLateChangeChangesNothing) {
  const auto table = Create("t", 1);
  EXPECT_EQ(catalog_
                ->Modify(table.get(),
                         [](TableMeta* meta) {
                           meta->uuid = "broken";
                           return absl::InternalError("no");
                         })
                .status()
                .code(),
            absl::StatusCode::kInternal);
  EXPECT_EQ(table->meta()->uuid, PlainMeta("t", 1).uuid);

  const StorageId index = table->meta()->schema.indexes[0].id;
  ASSERT_TRUE(catalog_->Drop("t").ok());
  Create("t", 1);
  const auto keep = [](TableMeta*) { return absl::OkStatus(); };
  EXPECT_EQ(catalog_->Modify(table.get(), keep).status().code(), absl::StatusCode::kNotFound);
  WriteBatch batch;
  const SpreadMutex::ReadScope gate(&table->gate);
  EXPECT_EQ(catalog_->RecordBackfill(table.get(), index, "here", &batch, nullptr).code(),
            absl::StatusCode::kNotFound);
}

TEST_F(CatalogTest, RecordsBackfillWithItsRows) {
  const auto table = Create("t", 2);
  const StorageId index = table->meta()->schema.indexes[1].id;
  {
    const SpreadMutex::ReadScope gate(&table->gate);
    WriteBatch batch;
    batch.Put(Family::kGlobalIndexes, "row", "value");
    ASSERT_TRUE(
        catalog_->RecordBackfill(table.get(), index, std::string("\0\xff", 2), &batch, nullptr)
            .ok());
    EXPECT_EQ(table->meta()->index_states[1].backfill_position, std::string("\0\xff", 2));
    WriteBatch none;
    EXPECT_EQ(catalog_->RecordBackfill(table.get(), index + 1, "x", &none, nullptr).code(),
              absl::StatusCode::kNotFound);
  }
  Open();
  EXPECT_EQ(catalog_->Find("t")->meta()->index_states[1].backfill_position,
            std::string("\0\xff", 2));
  Row row;
  EXPECT_TRUE(*store_->Get(Family::kGlobalIndexes, "row", &row));
}

// Why: nothing starts empty or half-empty silently.
TEST_F(CatalogTest, DamagedEntriesAreNamed) {
  Create("music", 1);
  std::string entry;
  {
    Row row;
    ASSERT_TRUE(*store_->Get(Family::kMeta, "table/music", &row));
    entry = std::string(row.value());
  }
  const auto failure = [this] { return Catalog::Load(store_.get()).status(); };
  PutMeta("table/music", entry.substr(0, entry.size() / 2));
  EXPECT_EQ(failure().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(failure().message()), HasSubstr("music"));
  PutMeta("table/music", entry);
  PutMeta("table/other", entry);
  EXPECT_EQ(failure().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(failure().message()), HasSubstr("other"));
  PutMeta("table/other", EncodeTableMeta([&] {
            TableMeta meta = *DecodeTableMeta(entry);
            meta.schema.name = "other";
            return meta;
          }()));
  EXPECT_EQ(failure().code(), absl::StatusCode::kDataLoss);  // ids used twice
  WriteBatch batch;
  batch.Delete(Family::kMeta, "table/other");
  ASSERT_TRUE(store_->Commit(batch).ok());
  EXPECT_TRUE(failure().ok());
  PutMeta("next_id", "1");
  EXPECT_EQ(failure().code(), absl::StatusCode::kDataLoss);
  PutMeta("next_id", "x");
  EXPECT_EQ(failure().code(), absl::StatusCode::kDataLoss);
}

// Why: a catalog that has lost its newest entries would give their ids to others, with their rows.
TEST_F(CatalogTest, RowsOfIdsThatWereNeverGivenOutAreRefused) {
  const StorageId last = Create("music", 1)->meta()->schema.indexes.back().id;
  for (const Family family : {Family::kTables, Family::kGlobalIndexes, Family::kLocalIndexes}) {
    WriteBatch batch;
    batch.Put(family, RowIdPrefix(last) + "key", "value");
    ASSERT_TRUE(store_->Commit(batch).ok());
    EXPECT_TRUE(Catalog::Load(store_.get()).ok());
    batch.Clear();
    batch.Put(family, RowIdPrefix(last + 1) + "key", "value");
    ASSERT_TRUE(store_->Commit(batch).ok());
    const absl::Status status = Catalog::Load(store_.get()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("storage id " + std::to_string(last + 1)));
    batch.Clear();
    batch.Delete(family, RowIdPrefix(last + 1) + "key");
    ASSERT_TRUE(store_->Commit(batch).ok());
  }
  EXPECT_TRUE(Catalog::Load(store_.get()).ok());
}

// Why: readers take meta() without a lock; they must see each change whole, and changes must wait
// for writers that hold the gate.
TEST_F(CatalogTest, ManyThreadsReadWhileOneChanges) {
  const auto table = Create("t", 1);
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      int64_t last = 0;
      while (!stop) {
        const SpreadMutex::ReadScope gate(&table->gate);
        const auto meta = table->meta();
        ASSERT_EQ(meta->throughput.read_units, meta->throughput.write_units);
        ASSERT_GE(meta->throughput.read_units, last);
        last = meta->throughput.read_units;
        ASSERT_EQ(table->meta(), meta);
      }
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(catalog_->Create(PlainMeta("other", 1)).ok());
      ASSERT_NE(catalog_->Find("other"), nullptr);
      ASSERT_TRUE(catalog_->Drop("other").ok());
    }
  });
  for (int i = 1; i <= 100; ++i) {
    ASSERT_TRUE(catalog_
                    ->Modify(table.get(),
                             [i](TableMeta* meta) {
                               meta->throughput.read_units = i;
                               meta->throughput.write_units = i;
                               return absl::OkStatus();
                             })
                    .ok());
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(table->meta()->throughput.read_units, 100);
}

}  // namespace
}  // namespace dynolith
