// ItemCount and TableSizeBytes are of now, and are found without reading rows again when nothing
// was written (api/table/README.md, "Counts").
#include "api/write/put_item.h"
#include "engine/store/work_counters.h"
#include "tests/unit/api/update_requests.h"

namespace dynolith {
namespace {

class TableCountsTest : public UpdateRequests {
 protected:
  void Put(std::string_view pk, std::string_view a) {
    PutItemRequest request;
    request.table_name = "music";
    request.item = {{"pk", Value::S(pk)}, {"a", Value::S(a)}};
    const auto output = PutItem(context_, request);
    ASSERT_TRUE(output.ok()) << output.status();
  }
};

TEST_F(TableCountsTest, AreExact) {
  Create(OnDemand());
  EXPECT_EQ(Describe().item_count, 0);
  Put("1", "x");
  Put("2", "xy");
  EXPECT_EQ(Describe().item_count, 2);
  EXPECT_EQ(Describe().table_size_bytes, 5 + 6);
  Put("2", "x");
  EXPECT_EQ(Describe().item_count, 2);
  EXPECT_EQ(Describe().table_size_bytes, 5 + 5);
}

TEST_F(TableCountsTest, AreRememberedUntilTheNextWrite) {
  Create(OnDemand());
  for (int i = 0; i < 10; ++i) Put(std::to_string(i), "x");
  const WorkCounters before = ThreadWork();
  Describe();
  EXPECT_EQ((ThreadWork() - before).rows_read, 10u);
  const WorkCounters counted = ThreadWork();
  EXPECT_EQ(Describe().item_count, 10);
  EXPECT_EQ((ThreadWork() - counted).rows_read, 0u);
  Put("new", "x");
  EXPECT_EQ(Describe().item_count, 11);
}

TEST_F(TableCountsTest, OfIndexes) {
  Create(OnDemand());
  Put("1", "x");
  Put("2", "y");
  const ShownTable creating = Update(NewIndex("by-a", "a"));
  EXPECT_EQ(creating.item_count, 2);
  EXPECT_EQ(creating.index_sizes[0].item_count, 0);
  ASSERT_TRUE(runner_->WaitUntilIdle().ok());
  const ShownTable active = Describe();
  EXPECT_EQ(active.index_sizes[0].item_count, 2);
  EXPECT_EQ(active.index_sizes[0].size_bytes, 2 * (5 + 100));
}

TEST_F(TableCountsTest, OfATableWithAnOldName) {
  Create(OnDemand());
  Put("1", "x");
  EXPECT_EQ(Describe().item_count, 1);
  ASSERT_TRUE(catalog_->Drop("music").ok());
  Create(OnDemand());
  EXPECT_EQ(Describe().item_count, 0);
}

}  // namespace
}  // namespace dynolith
