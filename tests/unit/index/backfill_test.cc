// A new index ends up as if it had always been there: from a quiet table, from one that is written
// to meanwhile, and across stops in the middle.
#include "index/backfill.h"

#include <gmock/gmock.h>

#include "index/check.h"
#include "tests/unit/index/indexed_table.h"

namespace dynolith {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BackfillTest : public testing::IndexedTable {
 protected:
  BackfillTest() { CreateTable({}); }

  void AddYoung() { AddIndex(MakeIndex("young", IndexKind::kGlobal, ProjectionType::kInclude)); }

  absl::StatusOr<bool> Step(size_t rows_max) {
    return BackfillStep(store_.get(), &locks_, catalog_.get(), table_.get(), "young",
                        {.rows_max = rows_max});
  }
  // Steps until it is done; the number of steps.
  int Fill(size_t rows_max) {
    for (int steps = 1;; ++steps) {
      const auto done = Step(rows_max);
      EXPECT_TRUE(done.ok()) << done.status();
      if (!done.ok() || *done) return steps;
    }
  }
  size_t YoungRows() { return CountRows(Family::kGlobalIndexes, meta()->schema.indexes[0].id); }
};

TEST_F(BackfillTest, FillsAndActivates) {
  for (int i = 0; i < 100; ++i) Put(MakeItem("p" + std::to_string(i % 7), i));
  AddYoung();
  EXPECT_EQ(Fill(30), 4);
  EXPECT_EQ(YoungRows(), 100u);
  EXPECT_EQ(meta()->index_states[0].status, IndexStatus::kActive);
  EXPECT_FALSE(meta()->index_states[0].backfilling);
  EXPECT_EQ(meta()->index_states[0].backfill_position, "");
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_TRUE(*Step(30)) << "done stays done";
}

TEST_F(BackfillTest, EmptyTableIsDoneAtOnce) {
  AddYoung();
  EXPECT_EQ(Fill(1), 1);
  EXPECT_EQ(meta()->index_states[0].status, IndexStatus::kActive);
}

TEST_F(BackfillTest, ExactMultipleOfTheStepEnds) {
  for (int i = 0; i < 10; ++i) Put(MakeItem("p", i));
  AddYoung();
  EXPECT_EQ(Fill(5), 3);
  EXPECT_EQ(YoungRows(), 10u);
}

TEST_F(BackfillTest, LeavesOutItemsWithoutAFitKey) {
  const auto put = [this](int sk, std::string_view name, const Value& value) {
    Item item = MakeItem("p", sk);
    item.Set(name, value);
    Put(item);
  };
  put(1, "g", Value::N(1));
  put(2, "g", Value::S(""));
  put(3, "g", Value::S(std::string(2049, 'x')));
  put(4, "n", Value::S("number"));
  put(5, "g", Value::S(std::string(2048, 'x')));
  Item sparse = MakeItem("p", 6);
  sparse.Remove("n");
  Put(sparse);
  AddYoung();
  Fill(2);
  EXPECT_EQ(YoungRows(), 1u);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(BackfillTest, ResumesWhereItStopped) {
  for (int i = 0; i < 20; ++i) Put(MakeItem("p", i));
  AddYoung();
  EXPECT_FALSE(*Step(8));
  EXPECT_EQ(YoungRows(), 8u);
  Reopen();
  EXPECT_NE(meta()->index_states[0].backfill_position, "");
  EXPECT_EQ(Fill(8), 2);
  EXPECT_EQ(YoungRows(), 20u);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(BackfillTest, SeesWritesBetweenItsSteps) {
  for (int i = 0; i < 20; ++i) Put(MakeItem("p", i));
  AddYoung();
  EXPECT_FALSE(*Step(8));
  for (int i = 0; i < 20; i += 3) Delete(MakeItem("p", i));
  for (int i = 1; i < 20; i += 3) {
    Item item = MakeItem("p", i);
    item.Set("g", Value::S("moved"));
    Put(item);
  }
  for (int i = 20; i < 25; ++i) Put(MakeItem("p", i));
  Fill(8);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(BackfillTest, EndsWhenTheIndexOrTheTableGoes) {
  for (int i = 0; i < 20; ++i) Put(MakeItem("p", i));
  AddYoung();
  EXPECT_FALSE(*Step(8));
  ASSERT_TRUE(catalog_
                  ->Modify(table_.get(),
                           [](TableMeta* meta) {
                             meta->schema.indexes.clear();
                             meta->index_states.clear();
                             return absl::OkStatus();
                           })
                  .ok());
  EXPECT_TRUE(*Step(8));
  AddYoung();
  EXPECT_FALSE(*Step(8));
  ASSERT_TRUE(catalog_->Drop("t").ok());
  EXPECT_EQ(Step(8).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(BackfillTest, NamesADamagedRow) {
  const Item item = MakeItem("p", 1);
  Put(item);
  WriteBatch batch;
  batch.Put(Family::kTables, RowKey(item.view()), "rubbish");
  ASSERT_TRUE(store_->Commit(batch).ok());
  AddYoung();
  const auto step = Step(8);
  EXPECT_EQ(step.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(step.status().message()), HasSubstr("table t"));
}

// Why: the entry that backfill writes and the difference that a writer writes must not cross.
TEST_F(BackfillTest, RunsBesideWriters) {
  constexpr int kKeys = 200;
  for (int i = 0; i < kKeys; ++i) Put(MakeItem("p", i));
  {
    const ChangesOfKeys writers(this, kKeys);
    AddYoung();
    Fill(7);
  }
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(YoungRows(), CountRows(Family::kTables, meta()->schema.id));
}

}  // namespace
}  // namespace dynolith
