// Graphs of vectors whose building or following finds no memory go, and the next search asks for
// another one: no thread ends the process, and no write is missed.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "index/graph/vector_graphs.h"
#include "index/nearest.h"
#include "tests/unit/allocation_counter.h"
#include "tests/unit/index/indexed_table.h"

namespace dynolith {
namespace {

constexpr int kGraphItems = 12;
constexpr size_t kNearest = 4;
const std::vector<float> kSearched = {1, 2, 3};

class GraphsWithoutMemory : public testing::IndexedTable {
 protected:
  GraphsWithoutMemory() {
    IndexSchema index;
    index.name = "vix";
    index.kind = IndexKind::kVector;
    index.projection = ProjectionType::kKeysOnly;
    index.vector =
        VectorSchema{.attribute = "v", .dimensions = 3, .distance = DistanceFunction::kEuclidean};
    CreateTable({index});
    for (int i = 0; i < kGraphItems; ++i) Put(MakeVectorItem(i));
    graphs_ = MakeGraphs();
  }

  std::unique_ptr<VectorGraphs> MakeGraphs() {
    return std::make_unique<VectorGraphs>(
        store_.get(), [](StorageId) { return true; },
        BackgroundThreads::Shared(BackgroundThreads::Kind::kInMemory),
        VectorGraphOptions{.bytes_max = 1 << 30, .entries_min = 4});
  }

  const IndexSchema& index() { return meta()->schema.indexes[0]; }

  static Item MakeVectorItem(int number) {
    Item item = MakeItem("p" + std::to_string(number), number);
    const std::vector<float> vector = {static_cast<float>(number), 2, 3};
    std::string packed(vector.size() * sizeof(float), '\0');
    std::memcpy(packed.data(), vector.data(), packed.size());
    ItemBuilder builder;
    UnpackVector(packed, &builder);
    item.Set("v", builder.FinishValue());
    return item;
  }

  WriteBatch CountRowsIn(const Item& item) {
    std::string row_key;
    AppendIndexRowKey(index().layout(), index().key, meta()->schema.key, item.view(), &row_key);
    WriteBatch batch;
    batch.Delete(Family::kGlobalIndexes, row_key);
    return batch;
  }

  std::vector<std::string> Nearest() {
    const VectorScorer scorer(index().vector->distance, kSearched);
    const auto found = graphs_->FindNearest(index(), RangeOfId(index().id), scorer, kSearched,
                                            kNearest, [](ItemView) { return true; });
    EXPECT_TRUE(found.ok()) << found.status();
    std::vector<std::string> keys;
    for (const Neighbour& neighbour : found->neighbours) {
      keys.emplace_back(neighbour.entry.view().Find("pk")->string());
    }
    return keys;
  }

  std::unique_ptr<VectorGraphs> graphs_;
};

TEST_F(GraphsWithoutMemory, AGraphIsBuiltOnceThereIsSome) {
  const std::vector<std::string> nearest = Nearest();
  is_thread_spared = true;
  bool has_failed = true;
  for (int allocations = 0; has_failed; ++allocations) {
    graphs_ = MakeGraphs();
    shared_allocations_left = allocations;
    EXPECT_EQ(Nearest(), nearest);
    graphs_->WaitUntilIdle();
    shared_allocations_left = -1;
    has_failed = !graphs_->TakeFailure().ok();
    EXPECT_EQ(Nearest(), nearest);
    graphs_->WaitUntilIdle();
    const int64_t before = graphs_->searches();
    EXPECT_EQ(Nearest(), nearest) << allocations;
    EXPECT_EQ(graphs_->searches(), before + 1) << allocations;
    EXPECT_TRUE(graphs_->TakeFailure().ok());
    ASSERT_LT(allocations, 1'000);
  }
  is_thread_spared = false;
}

TEST_F(GraphsWithoutMemory, AWriteIsSeenWhetherOrNotItsGraphFollows) {
  Nearest();
  graphs_->WaitUntilIdle();
  is_thread_spared = true;
  const Item item = MakeVectorItem(1);
  const WriteBatch rows = CountRowsIn(item);
  bool has_failed = true;
  for (int allocations = 0; has_failed; ++allocations) {
    Delete(item);
    shared_allocations_left = allocations;
    thread_allocations_left = allocations;
    graphs_->Follow(rows);
    thread_allocations_left = -1;
    EXPECT_EQ(Nearest().front(), "p0") << allocations;
    graphs_->WaitUntilIdle();
    shared_allocations_left = -1;
    has_failed = !graphs_->TakeFailure().ok();
    Put(item);
    graphs_->Follow(rows);
    EXPECT_EQ(Nearest().front(), "p1") << allocations;
    graphs_->WaitUntilIdle();
    EXPECT_EQ(Nearest().front(), "p1") << allocations;
    EXPECT_TRUE(graphs_->TakeFailure().ok());
    ASSERT_LT(allocations, 1'000);
  }
  is_thread_spared = false;
}

}  // namespace
}  // namespace dynolith
