// An index that is filled from sorted files ends up as if it had always been there, whatever was
// written while they were made, and whoever was interrupted.
#include <gmock/gmock.h>

#include <functional>
#include <random>

#include "engine/catalog/index_layouts.h"
#include "index/backfill.h"
#include "index/check.h"
#include "tests/unit/index/indexed_table.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NotedBackfillTest : public testing::IndexedTable {
 protected:
  explicit NotedBackfillTest(const std::string& path = "") : IndexedTable(path) { CreateTable({}); }

  void AddYoung() {
    IndexSchema index = MakeIndex("young", IndexKind::kGlobal, ProjectionType::kInclude);
    index.notes.emplace();
    AddIndex(index);
  }
  const IndexSchema& young() const { return meta()->schema.indexes[0]; }
  size_t CountRowsIn(StorageId id) { return CountRows(Family::kGlobalIndexes, id); }

  // `meanwhile`: when the items have been read, and before their entries are there.
  absl::StatusOr<bool> Step(const std::function<absl::Status()>& meanwhile = nullptr) {
    return BackfillStep(store_.get(), &locks_, catalog_.get(), table_.get(), "young",
                        {.rows_max = 3, .may_go_on = meanwhile});
  }
  void Finish() {
    for (;;) {
      const auto done = Step();
      ASSERT_TRUE(done.ok()) << done.status();
      if (*done) return;
    }
  }
  absl::Status SetShardsOfYoung(int shards) {
    const auto set = [shards](TableMeta* meta) {
      SetShards(shards, &meta->schema.indexes[0], &meta->index_states[0]);
      return absl::OkStatus();
    };
    return catalog_->Modify(table_.get(), set).status();
  }

  // Every kind of change of 40 items, of which it leaves 35.
  void PutMany() {
    for (int i = 0; i < 40; ++i) Put(MakeItem("p", i));
  }
  void WriteMany() {
    for (int i = 0; i < 40; i += 4) Delete(MakeItem("p", i));
    for (int i = 0; i < 40; i += 8) Put(MakeItem("p", i));  // back again
    for (int i = 1; i < 40; i += 4) {
      Item item = MakeItem("p", i);
      item.Set("g", Value::S("elsewhere"));
      Put(item);
      item.Set("g", Value::S("and on"));
      Put(item);
    }
    for (int i = 2; i < 40; i += 4) {
      Item item = MakeItem("p", i);
      item.Set("a", Value::S("changed"));
      Put(item);
    }
    Item sparse = MakeItem("p", 3);
    sparse.Remove("n");
    Put(sparse);
    Item young = MakeItem("new", 1);
    Put(young);
    Item short_lived = MakeItem("new", 2);
    Put(short_lived);
    Delete(short_lived);
  }
};

TEST_F(NotedBackfillTest, FillsAndActivates) {
  PutMany();
  AddYoung();
  ASSERT_TRUE(young().notes);
  const StorageId notes = young().notes->id;
  EXPECT_TRUE(HasId(meta()->schema, notes));
  EXPECT_FALSE(*Step()) << "there may be notes";
  EXPECT_EQ(CountRowsIn(young().id), 40u);
  EXPECT_FALSE(young().notes->is_open);
  EXPECT_TRUE(*Step());
  EXPECT_EQ(meta()->index_states[0].status, IndexStatus::kActive);
  EXPECT_FALSE(young().notes);
  EXPECT_FALSE(HasId(meta()->schema, notes));
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_TRUE(*Step()) << "done stays done";
}

TEST_F(NotedBackfillTest, WritesAreNotedWhileItIsFilled) {
  PutMany();
  AddYoung();
  const StorageId notes = young().notes->id;
  WriteMany();
  EXPECT_EQ(CountRowsIn(young().id), 0u);
  EXPECT_GT(CountRowsIn(notes), 30u);
  EXPECT_THAT(Check(), IsEmpty());
  Finish();
  EXPECT_EQ(CountRowsIn(young().id), 35u);
  EXPECT_EQ(CountRowsIn(notes), 0u);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(NotedBackfillTest, WhatWasReadBeforeAWriteIsMadeUpFor) {
  PutMany();
  AddYoung();
  bool has_written = false;
  EXPECT_FALSE(*Step([&] {
    if (!std::exchange(has_written, true)) WriteMany();
    return absl::OkStatus();
  }));
  EXPECT_TRUE(has_written);
  EXPECT_EQ(CountRowsIn(young().id), 40u) << "as they were";
  EXPECT_THAT(Check(), IsEmpty()) << "nobody reads them yet";
  EXPECT_FALSE(*Step());
  // Beside what is being made up for, writes are as ever.
  for (int i = 0; i < 40; i += 5) Delete(MakeItem("p", i));
  Put(MakeItem("p", 10));
  Finish();
  EXPECT_EQ(CountRowsIn(young().id), CountRows(Family::kTables, meta()->schema.id) - 1)
      << "a sparse one";
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(NotedBackfillTest, InterruptedItBeginsAnewInSteps) {
  PutMany();
  AddYoung();
  const StorageId begun = young().id, notes = young().notes->id;
  bool has_written = false;
  const auto interrupted = Step([&] {
    if (!std::exchange(has_written, true)) WriteMany();
    return absl::AbortedError("");
  });
  EXPECT_EQ(interrupted.status().code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(young().notes->is_open);
  Reopen();
  ASSERT_TRUE(young().notes);
  EXPECT_EQ(young().notes->id, notes);
  Delete(MakeItem("p", 17));
  ASSERT_TRUE(BackfillAnew(catalog_.get(), table_.get(), "young").ok());
  EXPECT_FALSE(young().notes);
  EXPECT_NE(young().id, begun);
  for (const StorageId id : {begun, notes}) EXPECT_FALSE(HasId(meta()->schema, id));
  EXPECT_FALSE(*Step());
  EXPECT_EQ(CountRowsIn(young().id), 3u);
  Finish();
  EXPECT_EQ(CountRowsIn(young().id), 34u);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(NotedBackfillTest, GoesOnWithClosedNotes) {
  PutMany();
  AddYoung();
  bool has_written = false;
  EXPECT_FALSE(*Step([&] {
    if (!std::exchange(has_written, true)) WriteMany();
    return absl::OkStatus();
  }));
  EXPECT_FALSE(*Step());
  const StorageId filled = young().id;
  Reopen();
  ASSERT_TRUE(BackfillAnew(catalog_.get(), table_.get(), "young").ok());
  EXPECT_EQ(young().id, filled) << "what is there stays";
  Finish();
  EXPECT_EQ(young().id, filled);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(NotedBackfillTest, RowsOfAnIndexThatGoesMeanwhileGoToo) {
  PutMany();
  AddYoung();
  const StorageId id = young().id;
  const auto remove = [this] {
    return catalog_
        ->Modify(table_.get(),
                 [](TableMeta* meta) {
                   meta->schema.indexes.clear();
                   meta->index_states.clear();
                   return absl::OkStatus();
                 })
        .status();
  };
  bool is_removed = false;
  EXPECT_FALSE(
      *Step([&] { return std::exchange(is_removed, true) ? absl::OkStatus() : remove(); }));
  EXPECT_TRUE(*Step());
  ASSERT_TRUE(store_->CompactAll().ok());
  EXPECT_EQ(CountRowsIn(id), 0u);

  AddYoung();
  EXPECT_EQ(Step([this] { return catalog_->Drop("t"); }).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(NotedBackfillTest, AnotherWishMeanwhileBeginsAnew) {
  PutMany();
  AddYoung();
  bool is_moved = false;
  EXPECT_FALSE(*Step(
      [&] { return std::exchange(is_moved, true) ? absl::OkStatus() : SetShardsOfYoung(5); }));
  ASSERT_TRUE(young().notes);
  EXPECT_TRUE(young().notes->is_open) << "these are other notes";
  WriteMany();
  Finish();
  EXPECT_EQ(young().shards, 5);
  EXPECT_THAT(Check(), IsEmpty());

  // The next time it is read while it moves.
  ASSERT_TRUE(SetShardsOfYoung(2).ok());
  PutMany();
  EXPECT_THAT(Check(), IsEmpty());
  Finish();
  EXPECT_EQ(young().shards, 2);
  EXPECT_FALSE(young().next);
  EXPECT_FALSE(young().notes);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(NotedBackfillTest, NamesADamagedRow) {
  const Item item = MakeItem("p", 1);
  Put(item);
  WriteBatch batch;
  batch.Put(Family::kTables, RowKey(item.view()), "rubbish");
  ASSERT_TRUE(store_->Commit(batch).ok());
  AddYoung();
  const auto done = Step();
  EXPECT_EQ(done.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(done.status().message()), HasSubstr("table t, row"));
}

// Why: the moment of each entry, of each note and of the end of the notes must not cross.
TEST_F(NotedBackfillTest, RunsBesideWriters) {
  constexpr int kKeys = 5'000;
  for (int i = 0; i < kKeys; ++i) Put(MakeItem("p", i));
  {
    const ChangesOfKeys writers(this, kKeys);
    AddYoung();
    Finish();
    for (const int shards : {4, 1, 9}) {
      ASSERT_TRUE(SetShardsOfYoung(shards).ok());
      Finish();
    }
  }
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(young().shards, 9);
  EXPECT_EQ(CountRowsIn(young().id), CountRows(Family::kTables, meta()->schema.id));
}

class PlaceOnDisk {
 protected:
  testing::ScratchFolder folder_;
};

// Entries of which so many go into files.
class NotedBackfillOnDiskTest : private PlaceOnDisk, public NotedBackfillTest {
 protected:
  NotedBackfillOnDiskTest() : NotedBackfillTest(folder_ / "data") {}
};

TEST_F(NotedBackfillOnDiskTest, RunsBesideWriters) {
  constexpr int kKeys = 3'000;
  const auto large = [](int i) {
    Item item = MakeItem("p" + std::to_string(i), i);
    item.Set("a", Value::S(std::string(1'000, 'a')));
    return item;
  };
  for (int i = 0; i < kKeys; ++i) Put(large(i));
  {
    const Writers writers([&](std::mt19937* random) {
      Item item = large(static_cast<int>((*random)() % kKeys));
      if ((*random)() % 4 == 0) return Delete(item);
      item.Set("g", Value::S(std::to_string((*random)() % 5)));
      Put(item);
    });
    AddYoung();
    Finish();
  }
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(CountRowsIn(young().id), CountRows(Family::kTables, meta()->schema.id));
}

}  // namespace
}  // namespace dynolith
