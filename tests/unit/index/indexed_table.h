// A table with four indexes over a store in memory, written the way the engine writes: row lock,
// read, one commit.
#ifndef DYNOLITH_TESTS_UNIT_INDEX_INDEXED_TABLE_H_
#define DYNOLITH_TESTS_UNIT_INDEX_INDEXED_TABLE_H_

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/catalog/catalog.h"
#include "engine/key/key_codec.h"
#include "engine/store/local_store.h"
#include "engine/store/row_locks.h"
#include "index/check.h"
#include "index/maintain.h"

namespace dynolith::testing {

class IndexedTable : public ::testing::Test {
 protected:
  // In memory if there is no path.
  explicit IndexedTable(const std::string& path = "") {
    StoreOptions options;
    options.path = path;
    options.in_memory = path.empty();
    auto store = LocalStore::Open(options);
    EXPECT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    auto catalog = Catalog::Load(store_.get());
    EXPECT_TRUE(catalog.ok()) << catalog.status();
    catalog_ = *std::move(catalog);
  }

  static IndexSchema MakeIndex(const std::string& name, IndexKind kind, ProjectionType projection) {
    IndexSchema index;
    index.name = name;
    index.kind = kind;
    index.key.hash = {{kind == IndexKind::kLocal ? "pk" : "g", Type::kString}};
    index.key.range = {{"n", Type::kNumber}};
    index.projection = projection;
    if (projection == ProjectionType::kInclude) index.non_key_attributes = {"a"};
    return index;
  }

  void CreateTable(const std::vector<IndexSchema>& indexes) {
    TableMeta meta;
    meta.schema.name = "t";
    meta.schema.key = {{{"pk", Type::kString}}, {{"sk", Type::kNumber}}};
    meta.schema.indexes = indexes;
    auto table = catalog_->Create(std::move(meta));
    ASSERT_TRUE(table.ok()) << table.status();
    table_ = *table;
  }

  static std::vector<IndexSchema> EveryKindOfIndex() {
    return {MakeIndex("all", IndexKind::kGlobal, ProjectionType::kAll),
            MakeIndex("keys", IndexKind::kGlobal, ProjectionType::kKeysOnly),
            MakeIndex("some", IndexKind::kGlobal, ProjectionType::kInclude),
            MakeIndex("local", IndexKind::kLocal, ProjectionType::kAll)};
  }

  // Adds an index that is to be filled.
  void AddIndex(const IndexSchema& index) {
    const auto changed = catalog_->Modify(table_.get(), [&](TableMeta* meta) {
      meta->schema.indexes.push_back(index);
      meta->index_states.push_back({.status = IndexStatus::kCreating, .backfilling = true});
      return absl::OkStatus();
    });
    ASSERT_TRUE(changed.ok()) << changed.status();
  }

  std::shared_ptr<const TableMeta> meta() const { return table_->meta(); }

  static Item MakeItem(const std::string& pk, int sk) {
    return {{"pk", Value::S(pk)},      {"sk", Value::N(sk)},
            {"g", Value::S("g" + pk)}, {"n", Value::N(int64_t{sk} * 3)},
            {"a", Value::S("a" + pk)}, {"b", Value::Bool(true)}};
  }

  std::string RowKey(ItemView item) const {
    std::string row_key;
    AppendRowKey(meta()->schema.id, meta()->schema.key, item, &row_key);
    return row_key;
  }

  // Replaces the row of `key` by `after` (nullptr: deletes it) with all its index rows.
  void Write(const Item& key, const Item* after) {
    const SpreadMutex::ReadScope gate(&table_->gate);
    const auto meta = table_->meta();
    const std::string row_key = RowKey(key.view());
    const RowLocks::Guard guard = locks_.Lock(row_key);
    Row row;
    const auto found = store_->Get(Family::kTables, row_key, &row);
    ASSERT_TRUE(found.ok()) << found.status();
    const ItemView before = *found ? ItemView::Unchecked(row.value()) : ItemView();
    const ItemView now = after ? after->view() : ItemView();
    WriteBatch batch;
    std::vector<IndexWork> work;
    if (after != nullptr) {
      batch.Put(Family::kTables, row_key, now.bytes());
    } else {
      batch.Delete(Family::kTables, row_key);
    }
    MaintainIndexes(meta->schema, *found ? &before : nullptr, after ? &now : nullptr, &batch,
                    &work);
    ASSERT_TRUE(store_->Commit(batch).ok());
  }
  void Put(const Item& item) { Write(item, &item); }
  void Delete(const Item& key) { Write(key, nullptr); }

  // The lines of a check.
  std::vector<std::string> Check(CheckSummary* summary = nullptr) {
    std::vector<std::string> lines;
    CheckSummary own;
    CheckSummary* const into = summary ? summary : &own;
    const absl::Status status = CheckStore(
        store_.get(), *catalog_, [&](const std::string& line) { lines.push_back(line); }, into);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(into->disagreements, lines.size());
    return lines;
  }

  // A new process: everything but the store is gone.
  void Reopen() {
    auto catalog = Catalog::Load(store_.get());
    ASSERT_TRUE(catalog.ok()) << catalog.status();
    table_.reset();
    catalog_ = *std::move(catalog);
    table_ = catalog_->Find("t");
  }

  // Two threads that write as long as it lives.
  class Writers {
   public:
    explicit Writers(const std::function<void(std::mt19937* random)>& write) {
      for (uint32_t seed = 1; seed <= 2; ++seed) {
        threads_.emplace_back([this, seed, write] {
          for (std::mt19937 random(seed); !is_over_;) write(&random);
        });
      }
    }
    ~Writers() {
      is_over_ = true;
      for (std::thread& thread : threads_) thread.join();
    }

   private:
    std::atomic<bool> is_over_ = false;
    std::vector<std::thread> threads_;
  };
  // These items "p" come, move, change and go.
  class ChangesOfKeys : Writers {
   public:
    ChangesOfKeys(IndexedTable* test, int keys)
        : Writers([test, keys](std::mt19937* random) {
            Item item = MakeItem("p", static_cast<int>((*random)() % keys));
            if ((*random)() % 4 == 0) return test->Delete(item);
            item.Set("g", Value::S(std::to_string((*random)() % 5)));
            item.Set("a", Value::N(static_cast<int64_t>((*random)() % 3)));
            test->Put(item);
          }) {}
  };

  size_t CountRows(Family family, StorageId id) {
    const KeyRange range = RangeOfId(id);
    Cursor cursor = store_->Scan(family, range.begin, range.end, Direction::kForward);
    size_t rows = 0;
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) ++rows;
    return rows;
  }

  std::unique_ptr<LocalStore> store_;
  std::unique_ptr<Catalog> catalog_;
  RowLocks locks_;
  std::shared_ptr<Table> table_;
};

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_INDEX_INDEXED_TABLE_H_
