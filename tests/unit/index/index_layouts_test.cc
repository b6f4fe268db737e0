// An index that moves ends up as if it had always been where it comes to: beside writers, across
// stops, and whatever is wished of it meanwhile.
#include "engine/catalog/index_layouts.h"

#include <gmock/gmock.h>

#include "index/backfill.h"
#include "index/entry.h"
#include "tests/unit/index/indexed_table.h"

namespace dynolith {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class IndexLayoutsTest : public testing::IndexedTable {
 protected:
  IndexLayoutsTest() { CreateTable(EveryKindOfIndex()); }

  const IndexSchema& index() const { return meta()->schema.indexes[2]; }
  void MoveTo(int shards) {
    const auto moved = catalog_->Modify(table_.get(), [&](TableMeta* meta) {
      SetShards(shards, &meta->schema.indexes[2], &meta->index_states[2]);
      return absl::OkStatus();
    });
    ASSERT_TRUE(moved.ok()) << moved.status();
    // In steps; from sorted files: noted_backfill_test.
    ASSERT_TRUE(BackfillAnew(catalog_.get(), table_.get(), "some").ok());
  }
  bool Step(size_t rows_max) {
    const auto before_reshard = [this](std::string_view table, std::string_view index) {
      EXPECT_EQ(table, "t");
      EXPECT_EQ(index, "some");
      ++moves_;
    };
    const auto done = BackfillStep(store_.get(), &locks_, catalog_.get(), table_.get(), "some",
                                   {.rows_max = rows_max, .before_reshard = before_reshard});
    EXPECT_TRUE(done.ok()) << done.status();
    return !done.ok() || *done;
  }
  void Finish(size_t rows_max) {
    while (!Step(rows_max)) {
    }
  }
  void PutMany(int items) {
    for (int i = 0; i < items; ++i) Put(MakeItem("p", i));
  }
  size_t CountRowsIn(StorageId id) { return CountRows(Family::kGlobalIndexes, id); }

  int moves_ = 0;
};

TEST_F(IndexLayoutsTest, MovesAndLetsGoOfTheOldRows) {
  PutMany(100);
  const StorageId old_id = index().id;
  MoveTo(4);
  ASSERT_TRUE(index().next);
  const StorageId new_id = index().next->id;
  EXPECT_NE(new_id, old_id);
  EXPECT_FALSE(Step(30));
  EXPECT_EQ(index().layout(), (IndexLayout{old_id, 1})) << "not yet";
  EXPECT_EQ(moves_, 0);
  Finish(30);
  EXPECT_EQ(moves_, 1);
  EXPECT_EQ(index().layout(), (IndexLayout{new_id, 4}));
  EXPECT_FALSE(index().next);
  EXPECT_EQ(meta()->index_states[2].backfill_position, "");
  EXPECT_EQ(CountRowsIn(new_id), 100u);
  EXPECT_FALSE(HasId(meta()->schema, old_id));
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(IndexLayoutsTest, WritesKeepBothLayouts) {
  PutMany(60);
  MoveTo(7);
  EXPECT_FALSE(Step(20));
  for (int i = 0; i < 60; i += 4) Delete(MakeItem("p", i));
  for (int i = 1; i < 60; i += 4) {
    Item item = MakeItem("p", i);
    item.Set("g", Value::S("elsewhere"));
    Put(item);
  }
  for (int i = 2; i < 60; i += 4) {
    Item item = MakeItem("p", i);
    item.Set("a", Value::S("changed"));
    Put(item);
  }
  for (int i = 60; i < 80; ++i) Put(MakeItem("p", i));
  EXPECT_THAT(Check(), IsEmpty()) << "in the middle, too";
  Finish(20);
  EXPECT_EQ(CountRowsIn(index().id), 65u);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(IndexLayoutsTest, ResumesWhereItStopped) {
  PutMany(50);
  MoveTo(3);
  EXPECT_FALSE(Step(20));
  const StorageId new_id = index().next->id;
  Reopen();
  ASSERT_TRUE(index().next);
  EXPECT_EQ(index().next->id, new_id);
  EXPECT_NE(meta()->index_states[2].backfill_position, "");
  EXPECT_EQ(CountRowsIn(new_id), 20u);
  Finish(20);
  EXPECT_EQ(CountRowsIn(new_id), 50u);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(IndexLayoutsTest, AnotherWishMeanwhileBeginsAnew) {
  PutMany(50);
  MoveTo(3);
  EXPECT_FALSE(Step(20));
  const StorageId given_up = index().next->id;
  MoveTo(5);
  EXPECT_NE(index().next->id, given_up);
  EXPECT_FALSE(HasId(meta()->schema, given_up));
  Finish(20);
  EXPECT_EQ(index().shards, 5);
  EXPECT_EQ(CountRowsIn(index().id), 50u);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(IndexLayoutsTest, TheOldWishMeanwhileEndsTheMove) {
  PutMany(50);
  const IndexLayout old_layout = index().layout();
  MoveTo(3);
  EXPECT_FALSE(Step(20));
  MoveTo(1);
  EXPECT_FALSE(index().next);
  EXPECT_TRUE(Step(20)) << "nothing is left to fill";
  EXPECT_EQ(index().layout(), old_layout);
  EXPECT_EQ(moves_, 0);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(IndexLayoutsTest, AnIndexThatNobodyReadsYetBeginsAnew) {
  PutMany(50);
  AddIndex(MakeIndex("young", IndexKind::kGlobal, ProjectionType::kAll));
  const auto step = [this] {
    return *BackfillStep(store_.get(), &locks_, catalog_.get(), table_.get(), "young",
                         {.rows_max = 20});
  };
  EXPECT_FALSE(step());
  const StorageId begun = meta()->schema.indexes[4].id;
  ASSERT_TRUE(catalog_
                  ->Modify(table_.get(),
                           [](TableMeta* meta) {
                             SetShards(6, &meta->schema.indexes[4], &meta->index_states[4]);
                             return absl::OkStatus();
                           })
                  .ok());
  EXPECT_FALSE(meta()->schema.indexes[4].next);
  EXPECT_FALSE(HasId(meta()->schema, begun));
  while (!step()) {
  }
  EXPECT_EQ(meta()->schema.indexes[4].shards, 6);
  EXPECT_EQ(meta()->index_states[4].status, IndexStatus::kActive);
  EXPECT_EQ(CountRowsIn(meta()->schema.indexes[4].id), 50u);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(IndexLayoutsTest, CheckKnowsShards) {
  PutMany(10);
  MoveTo(4);
  Finish(20);
  // An entry in the shard of another item.
  const Item item = MakeItem("p", 3);
  const IndexEntry entry =
      *MakeIndexEntry(index(), index().layout(), meta()->schema.key, item.view());
  std::string wrong = entry.row_key;
  MoveToShard(1, 4, &wrong);
  WriteBatch batch;
  batch.Put(Family::kGlobalIndexes, wrong, entry.value);
  batch.Delete(Family::kGlobalIndexes, entry.row_key);
  ASSERT_TRUE(store_->Commit(batch).ok());
  EXPECT_THAT(Check(), ::testing::UnorderedElementsAre(HasSubstr("is missing"),
                                                       HasSubstr("the key cannot be understood")));
}

TEST_F(IndexLayoutsTest, CheckSeesWhatIsWrongInALayoutToCome) {
  PutMany(10);
  MoveTo(4);
  EXPECT_FALSE(Step(5));
  const Item item = MakeItem("nobody", 3);
  const IndexEntry entry = *MakeIndexEntry(index(), *index().next, meta()->schema.key, item.view());
  WriteBatch batch;
  batch.Put(Family::kGlobalIndexes, entry.row_key, entry.value);
  ASSERT_TRUE(store_->Commit(batch).ok());
  EXPECT_THAT(Check(), ::testing::ElementsAre(HasSubstr("there is no item")));
}

TEST_F(IndexLayoutsTest, ACopyOfASchemaThatMovesIsWhereItWantedToBe) {
  MoveTo(4);
  TableSchema copy = meta()->schema;
  const IdLease lease = *catalog_->LeaseNewIds(&copy);
  EXPECT_EQ(copy.indexes[2].shards, 4);
  EXPECT_FALSE(copy.indexes[2].next);
  for (const IndexSchema& of_copy : copy.indexes) EXPECT_FALSE(HasId(meta()->schema, of_copy.id));
}

// Why: what a move writes and the difference that a writer writes must not cross.
TEST_F(IndexLayoutsTest, MovesBesideWriters) {
  constexpr int kKeys = 200;
  PutMany(kKeys);
  {
    const ChangesOfKeys writers(this, kKeys);
    for (const int shards : {4, 1, 9}) {
      MoveTo(shards);
      Finish(7);
    }
  }
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(index().shards, 9);
  EXPECT_EQ(CountRowsIn(index().id), CountRows(Family::kTables, meta()->schema.id));
}

}  // namespace
}  // namespace dynolith
