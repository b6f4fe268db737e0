// A store that lacks rows, or has some too many, as files that were lost leave it: it opens again,
// every item is in a table, and what is not as it was is said. Each kind of loss is made through
// the store.
#include "index/mend_store.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "engine/base/strings.h"
#include "engine/replica/replica_rows.h"
#include "engine/store/meta_keys.h"
#include "engine/store/row_id.h"
#include "index/check_all.h"
#include "index/entry.h"
#include "tests/unit/index/indexed_table.h"

namespace dynolith {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MendStoreTest : public testing::IndexedTable {
 protected:
  static constexpr int kItems = 20;
  std::shared_ptr<const TableMeta> before_;

  MendStoreTest() {
    CreateTable(EveryKindOfIndex());
    before_ = meta();
    for (int i = 0; i < kItems; ++i) Put(MakeItem("p" + std::to_string(i), i));
  }

  void Commit(const WriteBatch& batch) { ASSERT_TRUE(store_->Commit(batch).ok()); }
  void Lose(std::string_view key) {
    WriteBatch batch;
    batch.Delete(Family::kMeta, key);
    Commit(batch);
  }
  std::vector<std::string> Mend(bool may_lack_tables = true) {
    std::vector<std::string> lines;
    const absl::Status mended = MendStore(store_.get(), {may_lack_tables, absl::UnixEpoch()},
                                          [&](const std::string& line) { lines.push_back(line); });
    EXPECT_TRUE(mended.ok()) << mended;
    auto catalog = Catalog::Load(store_.get());
    EXPECT_TRUE(catalog.ok()) << catalog.status();
    if (catalog.ok()) catalog_ = *std::move(catalog);
    return lines;
  }
  // A table that is there, with its key.
  KeySchema FindKey(std::string_view table) {
    const std::shared_ptr<Table> found = catalog_->Find(table);
    EXPECT_NE(found, nullptr) << table;
    return found == nullptr ? KeySchema() : found->meta()->schema.key;
  }
};

TEST_F(MendStoreTest, ASoundStoreStaysAsItIs) {
  const auto before = meta();
  EXPECT_THAT(Mend(), IsEmpty());
  EXPECT_EQ(EncodeTableMeta(*catalog_->Find("t")->meta()), EncodeTableMeta(*before));
}

TEST_F(MendStoreTest, ItemsWithoutATableGetOne) {
  const std::string name = "recovered-" + std::to_string(meta()->schema.id);
  Lose(std::string(kTableKeys.begin) + "t");
  EXPECT_THAT(Mend(), ElementsAre(HasSubstr("a table of 20 items, which is now called " + name +
                                            "; its key is pk, sk")));
  EXPECT_EQ(FindKey(name), before_->schema.key);
}

TEST_F(MendStoreTest, WhatADeletedTableHasLeftStaysDead) {
  ASSERT_TRUE(catalog_->Drop("t").ok());
  EXPECT_THAT(Mend(/*may_lack_tables=*/false), IsEmpty());
  EXPECT_EQ(catalog_->size(), 0u);
}

// All files may be whole, and an entry none that makes sense.
TEST_F(MendStoreTest, ItemsOfAnEntryThatMakesNoSenseGetATable) {
  const std::string name = "recovered-" + std::to_string(meta()->schema.id);
  WriteBatch batch;
  batch.Put(Family::kMeta, std::string(kTableKeys.begin) + "t", "x");
  Commit(batch);
  EXPECT_THAT(Mend(/*may_lack_tables=*/false),
              ElementsAre(HasSubstr("table/t"),
                          HasSubstr("a table of 20 items, which is now called " + name)));
  EXPECT_EQ(FindKey(name), before_->schema.key);
}

// The second one has an index with the first one's id, and items of its own.
TEST_F(MendStoreTest, ItemsOfAnEntryWithAnothersIdsGetATable) {
  TableMeta other;
  other.schema.name = "u";
  other.schema.key = before_->schema.key;
  const auto table = catalog_->Create(std::move(other));
  ASSERT_TRUE(table.ok()) << table.status();
  TableMeta changed = *(*table)->meta();
  const StorageId id = changed.schema.id;
  const Item item = MakeItem("p", 1);
  std::string row_key;
  AppendRowKey(id, changed.schema.key, item.view(), &row_key);
  changed.schema.indexes = before_->schema.indexes;
  changed.index_states = before_->index_states;
  WriteBatch batch;
  batch.Put(Family::kTables, row_key, item.bytes());
  batch.Put(Family::kMeta, std::string(kTableKeys.begin) + "u", EncodeTableMeta(changed));
  Commit(batch);
  const std::string name = "recovered-" + std::to_string(id);
  EXPECT_THAT(Mend(/*may_lack_tables=*/false),
              ElementsAre(HasSubstr("table/u"), HasSubstr("a table of 1 item,")));
  EXPECT_NE(catalog_->Find(name), nullptr);
  EXPECT_NE(catalog_->Find("t"), nullptr);
}

TEST_F(MendStoreTest, ItemsOfABackupThatMakesNoSenseGetATable) {
  constexpr StorageId kId = 50;
  const Item item = MakeItem("p", 1);
  std::string row_key;
  AppendRowKey(kId, before_->schema.key, item.view(), &row_key);
  WriteBatch batch;
  batch.Put(Family::kTables, row_key, item.bytes());
  batch.Put(Family::kMeta, std::string(kBackupKeys.begin) + "t/bad", "x");
  Commit(batch);
  EXPECT_THAT(Mend(/*may_lack_tables=*/false),
              ElementsAre(HasSubstr("backup/t/bad"), HasSubstr("now called recovered-50")));
}

TEST_F(MendStoreTest, AKeyIsOneThatAllItemsHave) {
  // In the first item two attributes could be the sort key.
  TableMeta other;
  other.schema.name = "other";
  other.schema.key = {{{"z", Type::kBinary}}, {{"s", Type::kString}}};
  const auto table = catalog_->Create(std::move(other));
  ASSERT_TRUE(table.ok()) << table.status();
  const TableSchema schema = (*table)->meta()->schema;
  WriteBatch batch;
  for (int i = 0; i < 3; ++i) {
    const Item item = {{"z", Value::B("key")},
                       {"s", Value::S(std::to_string(i))},
                       {"a", Value::S(i == 0 ? "0" : "x")}};
    std::string row_key;
    AppendRowKey(schema.id, schema.key, item.view(), &row_key);
    batch.Put(Family::kTables, row_key, item.bytes());
  }
  Commit(batch);
  Lose(std::string(kTableKeys.begin) + "other");
  EXPECT_THAT(Mend(), ElementsAre(HasSubstr("its key is z, s")));
}

TEST_F(MendStoreTest, ItemsThatNoKeyFitsAreCounted) {
  WriteBatch batch;
  batch.Put(Family::kTables, RowIdPrefix(meta()->schema.id) + "12345678nobody's",
            MakeItem("x", 1).bytes());
  Commit(batch);
  Lose(std::string(kTableKeys.begin) + "t");
  EXPECT_THAT(Mend(), ElementsAre(HasSubstr("no key fits all of them")));
}

TEST_F(MendStoreTest, EntriesThatMakeNoSenseAreLeftOut) {
  WriteBatch batch;
  batch.Put(Family::kMeta, std::string(kTableKeys.begin) + "bad", "x");
  // Another one's ids.
  batch.Put(Family::kMeta, std::string(kTableKeys.begin) + "u", EncodeTableMeta(*meta()));
  batch.Put(Family::kMeta, std::string(kBackupKeys.begin) + "t/bad", "x");
  batch.Put(Family::kMeta, std::string(kThroughputKeys.begin) + "99", "x");
  Commit(batch);
  EXPECT_THAT(Mend(), ElementsAre(HasSubstr("table/bad"), HasSubstr("table/u"),
                                  HasSubstr("backup/t/bad"), HasSubstr("throughput/99")));
  EXPECT_EQ(catalog_->size(), 1u);
}

TEST_F(MendStoreTest, IdsAreCountedAnew) {
  Lose(kNextIdKey);
  EXPECT_THAT(Mend(), IsEmpty());
  TableMeta other;
  other.schema.name = "other";
  other.schema.key = meta()->schema.key;
  const auto table = catalog_->Create(std::move(other));
  ASSERT_TRUE(table.ok()) << table.status();
  for (const IndexSchema& index : before_->schema.indexes) {
    EXPECT_GT((*table)->meta()->schema.id, index.id);
  }
}

TEST_F(MendStoreTest, IndexesAreFilledAnew) {
  WriteBatch batch;
  const auto meta_of_now = meta();
  const IndexSchema& index = meta_of_now->schema.indexes[1];
  const Item item = MakeItem("p2", 2);
  batch.Delete(Family::kGlobalIndexes,
               MakeIndexEntry(index, index.layout(), meta()->schema.key, item.view())->row_key);
  Commit(batch);
  EXPECT_THAT(Mend(), ElementsAre(HasSubstr("indexes of t")));
  CheckSummary summary;
  EXPECT_THAT(Check(&summary), IsEmpty());
  EXPECT_EQ(summary.index_rows, 4u * kItems);
}

TEST_F(MendStoreTest, StreamsExpiryAndHistoryThatMakeNoSenseGo) {
  WriteBatch batch;
  batch.Put(Family::kLog, "Rx", "x");
  batch.Put(Family::kLog, "N", "x");
  batch.Put(Family::kLog, "Ux", "x");
  batch.Put(Family::kExpiry, "x", "x");
  Commit(batch);
  EXPECT_THAT(Mend(), ElementsAre(HasSubstr("1 rows of streams"), HasSubstr("when items expire"),
                                  HasSubstr("1 records of what items were")));
}

TEST_F(MendStoreTest, ReplicasAreFilledAnew) {
  const auto add = [](TableMeta* meta) {
    meta->replicas.push_back({.region = "eu-west-1", .is_filled = true});
    return absl::OkStatus();
  };
  ASSERT_TRUE(catalog_->Modify(catalog_->Find("t").get(), add).ok());
  const StorageId id = meta()->schema.id;
  const std::string kept = VersionKey(Concat(RowIdPrefix(id), "kept"));
  const std::string damaged = VersionKey(Concat(RowIdPrefix(id), "damaged"));
  WriteBatch batch;
  batch.Put(Family::kLog, kept, EncodeVersion({7, "us-east-1"}));
  Commit(batch);
  EXPECT_THAT(Mend(), IsEmpty());
  batch.Put(Family::kLog, damaged, "x");
  batch.Put(Family::kLog, ChangeKey(Concat(RowIdPrefix(id), "kept"), "eu-west-1", 7), "x");
  Commit(batch);
  EXPECT_THAT(Mend(), ElementsAre(HasSubstr("table t: 1 changes on their way to other regions and "
                                            "1 versions")));
  EXPECT_FALSE(catalog_->Find("t")->meta()->replicas.front().is_filled);
  Row row;
  EXPECT_TRUE(*store_->Get(Family::kLog, kept, &row));
  EXPECT_FALSE(*store_->Get(Family::kLog, damaged, &row));
}

}  // namespace
}  // namespace dynolith
