// Filling, finding and clearing expiry rows, on a store without operations above it.
#include "engine/ttl/expiry_index.h"

#include "engine/base/strings.h"
#include "engine/key/key_codec.h"
#include "engine/store/local_store.h"
#include "engine/store/meta_keys.h"
#include "engine/ttl/expiry.h"
#include "engine/value/item.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ExpiryIndexTest : public ::testing::Test {
 protected:
  // In a folder: one in memory drops the rows of tables that are gone by itself.
  ExpiryIndexTest()
      : store_(LocalStore::Open({.path = folder_ / "data"}).value()),
        catalog_(Catalog::Load(store_.get()).value()) {
    Reload();
  }

  void Reload() { index_.emplace(store_.get(), catalog_.get(), &locks_); }

  std::shared_ptr<Table> Create(const std::string& name) {
    TableMeta meta;
    meta.schema.name = name;
    meta.schema.key.hash = {{"pk", Type::kString}};
    return catalog_->Create(meta).value();
  }
  // A row as a write before time to live was switched on has left it.
  std::string Put(const Table& table, const std::string& pk, int64_t expiry) {
    const Item item{{"pk", Value::S(pk)}, {"ttl", Value::N(expiry)}};
    const auto meta = table.meta();
    std::string key;
    AppendRowKey(meta->schema.id, meta->schema.key, item.view(), &key);
    WriteBatch batch;
    batch.Put(Family::kTables, key, item.bytes());
    EXPECT_TRUE(store_->Commit(batch).ok());
    return key;
  }
  void Switch(Table* table, bool on, const std::string& attribute = "ttl") {
    WriteBatch batch;
    const StorageId id = table->meta()->schema.id;
    on ? ExpiryIndex::BeginFilling(id, &batch) : ExpiryIndex::StopFilling(id, &batch);
    const auto change = [&](TableMeta* meta) {
      meta->time_to_live = {on, attribute, std::nullopt};
      return absl::OkStatus();
    };
    ASSERT_TRUE(catalog_->Modify(table, change, &batch).ok());
  }
  int FillAll(size_t rows_at_once) {
    for (int steps = 1;; ++steps) {
      const auto done = index_->FillStep(rows_at_once);
      EXPECT_TRUE(done.ok()) << done.status();
      if (!done.ok() || *done) return steps;
    }
  }
  std::vector<int64_t> Rows() {
    std::vector<int64_t> seconds;
    const auto due = index_->FindDue(0, 1'000'000, nullptr, 1000);
    for (const ExpiryIndex::DueRow& row : *due) seconds.push_back(row.seconds);
    return seconds;
  }

  const testing::ScratchFolder folder_;
  std::unique_ptr<LocalStore> store_;
  std::unique_ptr<Catalog> catalog_;
  RowLocks locks_;
  std::optional<ExpiryIndex> index_;
};

TEST_F(ExpiryIndexTest, FillsRowsThatWereThereBeforeAndGoesOnAfterARestart) {
  const auto table = Create("t");
  for (int i = 0; i < 10; ++i) Put(*table, "k" + std::to_string(i), 100 + i);
  EXPECT_THAT(Rows(), IsEmpty());
  Switch(table.get(), true);
  ASSERT_EQ(index_->FillStep(3).value(), false);
  EXPECT_THAT(Rows(), SizeIs(3));
  catalog_ = Catalog::Load(store_.get()).value();
  Reload();
  FillAll(3);
  EXPECT_THAT(Rows(), ElementsAre(100, 101, 102, 103, 104, 105, 106, 107, 108, 109));
  EXPECT_EQ(FillAll(3), 1) << "nothing is left to do";
}

TEST_F(ExpiryIndexTest, FillingEndsWhenItIsSwitchedOffOrTheTableIsGone) {
  const auto off = Create("off");
  const auto gone = Create("gone");
  for (int i = 0; i < 4; ++i) {
    Put(*off, std::to_string(i), 100);
    Put(*gone, std::to_string(i), 200);
  }
  Switch(off.get(), true);
  Switch(gone.get(), true);
  Switch(off.get(), false);
  ASSERT_TRUE(catalog_->Drop("gone").ok());
  FillAll(2);
  EXPECT_THAT(Rows(), IsEmpty());
}

TEST_F(ExpiryIndexTest, FindsWhatIsDueInPages) {
  const auto table = Create("t");
  Switch(table.get(), true);
  int item = 0;
  for (const int64_t seconds : {10, 20, 20, 30, 40}) {
    Put(*table, "k" + std::to_string(item++), seconds);
  }
  FillAll(100);
  const auto first = index_->FindDue(15, 30, nullptr, 2);
  ASSERT_THAT(*first, SizeIs(2));
  EXPECT_EQ((*first)[1].seconds, 20);
  const auto second = index_->FindDue(15, 30, &first->back(), 2);
  ASSERT_THAT(*second, SizeIs(1));
  EXPECT_EQ((*second)[0].seconds, 30);
  EXPECT_THAT(*index_->FindDue(31, 30, nullptr, 9), IsEmpty());
}

TEST_F(ExpiryIndexTest, ASweepBeginsWhereTheLastEndedOrWhereSomethingWasAdded) {
  index_->BeginSweep();
  index_->EndSweep(100);
  EXPECT_EQ(index_->BeginSweep(), 100);
  index_->EndSweep(200);
  index_->NoteCommitted(500);
  EXPECT_EQ(index_->BeginSweep(), 200);
  index_->EndSweep(200);
  index_->NoteCommitted(50);
  EXPECT_EQ(index_->BeginSweep(), 50);
  // Added while the sweep is under way.
  index_->NoteCommitted(60);
  index_->EndSweep(300);
  EXPECT_EQ(index_->BeginSweep(), 60);
}

TEST_F(ExpiryIndexTest, StaleRowsAreDroppedAndCurrentOnesAreNot) {
  const auto table = Create("t");
  Switch(table.get(), true);
  const std::string key = Put(*table, "a", 10);
  FillAll(10);
  ASSERT_TRUE(index_->DropIfStale(*table->meta(), {10, key}).ok());
  EXPECT_THAT(Rows(), ElementsAre(10));
  Put(*table, "a", 20);  // behind the index's back
  ASSERT_TRUE(index_->DropIfStale(*table->meta(), {10, key}).ok());
  EXPECT_THAT(Rows(), IsEmpty());
}

TEST_F(ExpiryIndexTest, ClearsRowsOfTablesThatAreGoneOrSwitchedOff) {
  const auto on = Create("on");
  const auto off = Create("off");
  const auto gone = Create("gone");
  int64_t seconds = 1;
  for (const auto& table : {on, off, gone}) {
    Switch(table.get(), true);
    for (int i = 0; i < 5; ++i) Put(*table, std::to_string(i), seconds++);
  }
  FillAll(100);
  EXPECT_THAT(Rows(), SizeIs(15));
  Switch(off.get(), false);
  ASSERT_TRUE(catalog_->Drop("gone").ok());
  std::string position;
  int steps = 0;
  for (bool done = false; !done; ++steps) done = index_->ClearStep(4, &position).value();
  EXPECT_EQ(steps, 4);
  EXPECT_THAT(Rows(), ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(ExpiryIndexTest, ADamagedRowOfWhatIsToBeFilled) {
  for (const std::string_view id : {"", "abc", "abcde"}) {
    WriteBatch batch;
    const std::string key = Concat(kExpiryFillKeys.begin, id);
    batch.Put(Family::kMeta, key, "");
    ASSERT_TRUE(store_->Commit(batch).ok());
    EXPECT_TRUE(absl::IsDataLoss(index_->FillStep(1).status())) << id;
    batch.Clear();
    batch.Delete(Family::kMeta, key);
    ASSERT_TRUE(store_->Commit(batch).ok());
  }
  EXPECT_TRUE(index_->FillStep(1).value());
}

}  // namespace
}  // namespace dynolith
