// What is gathered from the shards of an index is what the same index has in one range: from every
// start, in both directions, at one moment.
#include "index/sharded.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/catalog/index_layouts.h"
#include "index/backfill.h"
#include "index/read.h"
#include "tests/unit/index/indexed_table.h"

namespace dynolith {
namespace {

// "all" stays in one range, "some" is in shards; both have the same keys.
class ShardedTest : public testing::IndexedTable {
 protected:
  ShardedTest() { CreateTable(EveryKindOfIndex()); }

  void MoveSomeTo(int shards) {
    ASSERT_TRUE(catalog_
                    ->Modify(table_.get(),
                             [&](TableMeta* meta) {
                               SetShards(shards, &meta->schema.indexes[2], &meta->index_states[2]);
                               return absl::OkStatus();
                             })
                    .ok());
    while (!*BackfillStep(store_.get(), &locks_, catalog_.get(), table_.get(), "some",
                          {.rows_max = 100})) {
    }
  }
  RowSource Source(int index) const {
    return RowSource(meta()->schema, &meta()->schema.indexes[index]);
  }
  static Item HotItem(int sk) {
    Item item = MakeItem("p" + std::to_string(sk % 3), sk);
    item.Set("g", Value::S("hot"));
    item.Set("n", Value::N(sk / 5));
    return item;
  }
  static KeyRange HotRange(const RowSource& source, int from) {
    const Value hot = Value::S("hot");
    const Value low = Value::N(from);
    return source.RangeFor({.hash_equals = {hot.view()},
                            .range_operator = RangeOperator::kGreaterEqual,
                            .low = low.view()});
  }
  // The base keys of the rows behind `start`, or of all.
  template <typename Rows>
  static std::vector<std::string> Walk(Rows cursor, const std::optional<std::string>& start) {
    start ? cursor.SeekAfter(*start) : cursor.SeekToStart();
    std::vector<std::string> keys;
    for (; cursor.Valid(); cursor.Next()) {
      keys.emplace_back(cursor.key().substr(kRowPrefixBytes));
      const ItemView entry = ItemView::Unchecked(cursor.value());
      EXPECT_EQ(entry.Find("g")->payload(), "hot");
    }
    EXPECT_TRUE(cursor.status().ok());
    return keys;
  }
  std::vector<std::string> Plain(int from, Direction direction, const Item* start) {
    const RowSource source = Source(0);
    const KeyRange range = HotRange(source, from);
    const auto at = start ? std::optional(source.PositionFor(start->view())) : std::nullopt;
    return Walk(store_->Scan(source.family(), range.begin, range.end, direction), at);
  }
  std::vector<std::string> Gathered(int from, Direction direction, const Item* start,
                                    const Snapshot& moment) {
    const RowSource source = Source(2);
    const auto at = start ? std::optional(source.PositionFor(start->view())) : std::nullopt;
    return Walk(
        ShardedCursor(moment, source.family(), HotRange(source, from), source.shards(), direction),
        at);
  }
};

TEST_F(ShardedTest, GathersWhatOneRangeHas) {
  constexpr int kItems = 60;
  for (int i = 0; i < kItems; ++i) Put(HotItem(i));
  for (int i = 0; i < 20; ++i) Put(MakeItem("cold", i));
  for (const int shards : {2, 7, 200}) {
    MoveSomeTo(shards);
    const auto moment = store_->TakeSnapshot();
    for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
      for (const int from : {-5, 0, 3, 11, 12, 100}) {
        ASSERT_EQ(Gathered(from, direction, nullptr, *moment), Plain(from, direction, nullptr))
            << shards << " from " << from;
        for (int i = 0; i < kItems; i += 7) {
          const Item start = HotItem(i);
          ASSERT_EQ(Gathered(from, direction, &start, *moment), Plain(from, direction, &start))
              << shards << " from " << from << " behind " << i;
        }
      }
    }
  }
  EXPECT_EQ(Plain(0, Direction::kForward, nullptr).size(), 60u);
}

TEST_F(ShardedTest, IsOfOneMoment) {
  for (int i = 0; i < 40; ++i) Put(HotItem(i));
  MoveSomeTo(5);
  const std::vector<std::string> then = Plain(0, Direction::kForward, nullptr);
  const auto moment = store_->TakeSnapshot();
  for (int i = 0; i < 40; i += 2) Delete(HotItem(i));
  for (int i = 40; i < 50; ++i) Put(HotItem(i));
  EXPECT_EQ(Gathered(0, Direction::kForward, nullptr, *moment), then);
  EXPECT_NE(Plain(0, Direction::kForward, nullptr), then);
}

}  // namespace
}  // namespace dynolith
