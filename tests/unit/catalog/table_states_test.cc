// Delayed states are entered by changes of a table and left by looks at it; how operations show
// them is in tests/unit/api/table.
#include "engine/catalog/table_states.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/store/local_store.h"
#include "tests/unit/catalog/table_metas.h"

namespace dynolith {
namespace {

using testing::PlainMeta;

constexpr absl::Duration kDelay = absl::Seconds(10);

class TableStatesTest : public ::testing::Test {
 protected:
  TableStatesTest() {
    store_ = *LocalStore::Open({.in_memory = true});
    catalog_ = *Catalog::Load(store_.get());
  }

  std::shared_ptr<Table> Look(std::string_view name) {
    auto found = FindSettled(catalog_.get(), name, clock_, [this](std::string_view deleted) {
      deleted_.emplace_back(deleted);
      return catalog_->Drop(deleted);
    });
    EXPECT_TRUE(found.ok()) << found.status();
    return *found;
  }

  ManualClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  std::unique_ptr<LocalStore> store_;
  std::unique_ptr<Catalog> catalog_;
  std::vector<std::string> deleted_;
};

TEST_F(TableStatesTest, CreationEndsAtItsTimeWithTheIndexes) {
  TableMeta meta = PlainMeta("music", 2);
  DelayCreation(clock_.Now(), kDelay, &meta);
  ASSERT_TRUE(catalog_->Create(meta).ok());
  clock_.Advance(kDelay - absl::Milliseconds(1));
  EXPECT_EQ(Look("music")->meta()->status, TableStatus::kCreating);
  clock_.Advance(absl::Milliseconds(1));
  const auto settled = Look("music")->meta();
  EXPECT_EQ(settled->status, TableStatus::kActive);
  for (const IndexState& state : settled->index_states)
    EXPECT_EQ(state.status, IndexStatus::kActive);
}

TEST_F(TableStatesTest, DeletionIsFinishedOnceByTheFirstLook) {
  const std::shared_ptr<Table> table = *catalog_->Create(PlainMeta("music", 2));
  const auto mark = [this](TableMeta* meta) {
    DelayDeletion(clock_.Now(), kDelay, meta);
    return absl::OkStatus();
  };
  ASSERT_TRUE(ChangeTable(catalog_.get(), table.get(), mark, absl::NotFoundError("")).ok());
  EXPECT_EQ(Look("music")->meta()->status, TableStatus::kDeleting);
  EXPECT_TRUE(deleted_.empty());
  clock_.Advance(kDelay);
  EXPECT_EQ(Look("music"), nullptr);
  EXPECT_EQ(Look("music"), nullptr);
  EXPECT_EQ(deleted_, std::vector<std::string>{"music"});
}

TEST_F(TableStatesTest, ChangingATableThatIsGoneSaysWhatTheCallerSays) {
  const std::shared_ptr<Table> table = *catalog_->Create(PlainMeta("music", 2));
  ASSERT_TRUE(catalog_->Drop("music").ok());
  const auto change = [](TableMeta*) { return absl::OkStatus(); };
  EXPECT_TRUE(absl::IsAborted(
      ChangeTable(catalog_.get(), table.get(), change, absl::AbortedError("gone")).status()));
  EXPECT_TRUE(ChangeTable(catalog_.get(), table.get(), change, absl::OkStatus()).ok());
}

}  // namespace
}  // namespace dynolith
