// Entries of vector indexes: random writes keep them and the items together, the check finds
// damaged ones, and the search finds what a look at every item finds.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "index/backfill.h"
#include "index/entry.h"
#include "index/nearest.h"
#include "tests/unit/index/indexed_table.h"

namespace dynolith {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kDimensions = 3;

class VectorEntryTest : public testing::IndexedTable {
 protected:
  static IndexSchema MakeVectorIndex(const std::string& name, bool has_hash,
                                     ProjectionType projection) {
    IndexSchema index;
    index.name = name;
    index.kind = IndexKind::kVector;
    if (has_hash) index.key.hash = {{"g", Type::kString}};
    index.projection = projection;
    if (projection == ProjectionType::kInclude) index.non_key_attributes = {"a"};
    index.vector = VectorSchema{.attribute = "v",
                                .dimensions = kDimensions,
                                .distance = DistanceFunction::kEuclidean,
                                .inline_filters = {{"n", Type::kNumber}}};
    return index;
  }

  static std::vector<IndexSchema> EveryKindOfVectorIndex() {
    return {MakeVectorIndex("all", false, ProjectionType::kAll),
            MakeVectorIndex("keys", true, ProjectionType::kKeysOnly),
            MakeVectorIndex("some", true, ProjectionType::kInclude)};
  }

  static Value Vector(std::mt19937& random) {
    std::vector<Value> numbers;
    for (int64_t i = 0; i < kDimensions; ++i) {
      numbers.push_back(Value::N(static_cast<int64_t>(random() % 9) - 4));
    }
    return Value::L(numbers);
  }

  // An item that may lack any part of an entry, or have it wrongly.
  static Item RandomItem(std::mt19937& random) {
    Item item = MakeItem("p" + std::to_string(random() % 4), static_cast<int>(random() % 4));
    switch (random() % 6) {
      case 0:
        break;
      case 1:
        item.Set("v", Value::S("no vector"));
        break;
      case 2:
        item.Set("v", Value::L({Value::N(1)}));
        break;
      default:
        item.Set("v", Vector(random));
    }
    if (random() % 4 == 0) item.Remove("g");
    if (random() % 4 == 0) item.Remove("n");
    if (random() % 8 == 0) item.Set("n", Value::S("no number"));
    item.Set("a", Value::N(static_cast<int64_t>(random() % 2)));
    return item;
  }

  StorageId IndexId(size_t index) { return meta()->schema.indexes[index].id; }
};

TEST_F(VectorEntryTest, RandomWritesKeepEntriesAndItemsTogether) {
  CreateTable(EveryKindOfVectorIndex());
  std::mt19937 random(42);
  for (int step = 0; step < 1000; ++step) {
    const Item item = RandomItem(random);
    random() % 4 == 0 ? Delete(item) : Put(item);
    if (step % 50 == 0) {
      ASSERT_THAT(Check(), IsEmpty()) << "step " << step;
    }
  }
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(VectorEntryTest, BackfillFindsTheSameEntriesAsWrites) {
  CreateTable({});
  std::mt19937 random(43);
  std::map<std::string, Item> items;
  for (int i = 0; i < 200; ++i) {
    const Item item = RandomItem(random);
    Put(item);
    items.insert_or_assign(RowKey(item.view()), item);
  }
  const IndexSchema index = MakeVectorIndex("young", true, ProjectionType::kInclude);
  AddIndex(index);
  absl::StatusOr<bool> done = false;
  while (done.ok() && !*done) {
    done =
        BackfillStep(store_.get(), &locks_, catalog_.get(), table_.get(), "young", {.rows_max = 3});
  }
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_THAT(Check(), IsEmpty());
  const auto entries = std::count_if(items.begin(), items.end(), [&](const auto& row) {
    return HasEntry(index, row.second.view());
  });
  EXPECT_GT(entries, 0);
  EXPECT_EQ(CountRows(Family::kGlobalIndexes, IndexId(0)), static_cast<size_t>(entries));
}

TEST_F(VectorEntryTest, CheckFindsDamagedEntries) {
  CreateTable({MakeVectorIndex("vix", true, ProjectionType::kKeysOnly)});
  Item item = MakeItem("p", 1);
  item.Set("v", Value::L({Value::N(1), Value::N(2), Value::N(3)}));
  Put(item);
  const IndexSchema index = meta()->schema.indexes[0];
  const IndexEntry entry = *MakeIndexEntry(index, index.layout(), meta()->schema.key, item.view());

  WriteBatch batch;
  batch.Delete(Family::kGlobalIndexes, entry.row_key);
  ASSERT_TRUE(store_->Commit(batch).ok());
  EXPECT_THAT(Check(), ElementsAre(AllOf(HasSubstr("index vix"), HasSubstr("is missing"))));

  Item other = item;
  other.Set("v", Value::L({Value::N(1), Value::N(2), Value::N(4)}));
  const IndexEntry wrong = *MakeIndexEntry(index, index.layout(), meta()->schema.key, other.view());
  ASSERT_EQ(wrong.row_key, entry.row_key);
  batch.Clear();
  batch.Put(Family::kGlobalIndexes, wrong.row_key, wrong.value);
  ASSERT_TRUE(store_->Commit(batch).ok());
  EXPECT_THAT(Check(), ElementsAre(AllOf(HasSubstr("index vix"), HasSubstr("its item gives"))));
}

TEST_F(VectorEntryTest, TheNearestAreThoseOfAllItems) {
  CreateTable({MakeVectorIndex("vix", false, ProjectionType::kAll)});
  const IndexSchema index = meta()->schema.indexes[0];
  const VectorScorer scorer(DistanceFunction::kEuclidean, {1, -1, 2});
  std::mt19937 random(44);
  std::map<std::string, double> scores;  // by row key, in whose order ties stand
  for (int i = 0; i < 300; ++i) {
    Item item = MakeItem("p" + std::to_string(i), 1);
    const Value vector = Vector(random);
    item.Set("v", vector);
    Put(item);
    const IndexEntry entry =
        *MakeIndexEntry(index, index.layout(), meta()->schema.key, item.view());
    scores[entry.row_key] = scorer.Score(PackVector(vector.view().list()));
  }
  std::vector<std::pair<double, std::string>> expected;
  for (const auto& [row_key, score] : scores) expected.emplace_back(score, row_key);
  std::sort(expected.begin(), expected.end());

  for (const size_t count : {size_t{1}, size_t{7}, size_t{100}, size_t{1000}}) {
    const auto found = FindNearest(*store_, index, RangeOfId(index.id), scorer, count,
                                   [](ItemView) { return true; });
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->compared, 300u);
    ASSERT_EQ(found->neighbours.size(), std::min(count, expected.size()));
    for (size_t i = 0; i < found->neighbours.size(); ++i) {
      std::string row_key;
      AppendIndexRowKey(index.layout(), index.key, meta()->schema.key,
                        found->neighbours[i].entry.view(), &row_key);
      EXPECT_EQ(found->neighbours[i].score, expected[i].first) << i;
      EXPECT_EQ(row_key, expected[i].second) << i;
    }
  }
}

TEST_F(VectorEntryTest, SearchRefusesVectorsThatAreDamaged) {
  CreateTable({MakeVectorIndex("vix", false, ProjectionType::kKeysOnly)});
  Item item = MakeItem("p", 1);
  item.Set("v", Value::L({Value::N(1), Value::N(2), Value::N(3)}));
  Put(item);
  const IndexSchema index = meta()->schema.indexes[0];
  const IndexEntry entry = *MakeIndexEntry(index, index.layout(), meta()->schema.key, item.view());
  const VectorScorer scorer(DistanceFunction::kEuclidean, {1, 1, 1});
  const auto search_with = [&](const std::optional<Value>& vector) {
    Item damaged = Item::FromBytes(std::string(entry.value));
    damaged.Remove("v");
    if (vector) damaged.Set("v", *vector);
    WriteBatch batch;
    batch.Put(Family::kGlobalIndexes, entry.row_key, damaged.bytes());
    EXPECT_TRUE(store_->Commit(batch).ok());
    return FindNearest(*store_, index, RangeOfId(index.id), scorer, 1,
                       [](ItemView) { return true; })
        .status();
  };
  EXPECT_TRUE(search_with(Value::B(std::string(12, '\0'))).ok());
  for (const std::optional<Value>& vector :
       {std::optional<Value>(), std::optional(Value::S(std::string(12, 'a'))),
        std::optional(Value::B("")), std::optional(Value::B(std::string(11, '\0'))),
        std::optional(Value::B(std::string(16, '\0'))),
        std::optional(Value::B(std::string(12, '\xff')))}) {
    EXPECT_TRUE(absl::IsDataLoss(search_with(vector)));
  }
}

}  // namespace
}  // namespace dynolith
