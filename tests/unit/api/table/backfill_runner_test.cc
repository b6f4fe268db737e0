// New indexes are filled in the background, survive a stop in the middle, and may go away
// meanwhile.
#include "index/backfill_runner.h"

#include "api/control/delete_table.h"
#include "api/write/put_item.h"
#include "tests/unit/api/update_requests.h"

namespace dynolith {
namespace {

class BackfillRunnerTest : public UpdateRequests {
 protected:
  void PutMany(int count) {
    for (int i = 0; i < count; ++i) {
      PutItemRequest request;
      request.table_name = "music";
      request.item = {{"pk", Value::S(std::to_string(i))}, {"a", Value::S("x")}};
      ASSERT_TRUE(PutItem(context_, request).ok());
    }
  }
  IndexState State(std::string_view index) {
    const TableMeta meta = Describe().meta;
    for (size_t i = 0; i < meta.schema.indexes.size(); ++i) {
      if (meta.schema.indexes[i].name == index) return meta.index_states[i];
    }
    ADD_FAILURE() << "no index " << index;
    return {};
  }
  void Restart() {
    runner_ = BackfillRunner::Make(store_.get(), &locks_, catalog_.get(),
                                   BackgroundThreads::Shared(BackgroundThreads::Kind::kInMemory))
                  .value();
    context_.backfills = runner_.get();
  }
};

TEST_F(BackfillRunnerTest, FillsWhatWasThereBefore) {
  Create(OnDemand());
  PutMany(1000);  // several steps
  Update(NewIndex("by-a", "a"));
  ASSERT_TRUE(runner_->WaitUntilIdle().ok());
  EXPECT_EQ(State("by-a").status, IndexStatus::kActive);
  EXPECT_FALSE(State("by-a").backfilling);
  EXPECT_EQ(Describe().index_sizes[0].item_count, 1000);
}

TEST_F(BackfillRunnerTest, ResumesAfterAStop) {
  Create(OnDemand());
  PutMany(600);
  runner_->Stop();
  Update(NewIndex("by-a", "a"));
  EXPECT_EQ(State("by-a").status, IndexStatus::kCreating);
  EXPECT_TRUE(State("by-a").backfilling);
  Restart();
  ASSERT_TRUE(runner_->WaitUntilIdle().ok());
  EXPECT_EQ(State("by-a").status, IndexStatus::kActive);
  EXPECT_EQ(Describe().index_sizes[0].item_count, 600);
}

TEST_F(BackfillRunnerTest, AStoppedRunnerIsIdle) {
  Create(OnDemand());
  runner_->Stop();
  Update(NewIndex("by-a", "a"));
  EXPECT_TRUE(runner_->WaitUntilIdle().ok());
}

TEST_F(BackfillRunnerTest, ForgetsAnIndexThatWasDeletedMeanwhile) {
  Create(OnDemand());
  PutMany(10);
  runner_->Stop();
  Update(NewIndex("by-a", "a"));
  UpdateTableRequest deletion = Named();
  deletion.global_secondary_index_updates = {{.delete_index_name = "by-a"}};
  Update(deletion);
  Restart();
  EXPECT_TRUE(runner_->WaitUntilIdle().ok());
  EXPECT_TRUE(Describe().meta.schema.indexes.empty());
}

TEST_F(BackfillRunnerTest, AJobOfAnOldTableDoesNotTouchTheNewOne) {
  Create(OnDemand());
  const std::shared_ptr<Table> old_table = catalog_->Find("music");
  ASSERT_TRUE(DeleteTable(context_, {.table_name = "music"}).ok());
  Create(OnDemand());
  runner_->Add(*old_table, 4711);
  EXPECT_TRUE(runner_->WaitUntilIdle().ok());
  EXPECT_EQ(Describe().meta.status, TableStatus::kActive);
}

}  // namespace
}  // namespace dynolith
