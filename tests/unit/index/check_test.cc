// The check finds every kind of damage that a store can have, each made through the store, and
// nothing in a sound one.
#include "index/check.h"

#include <gmock/gmock.h>

#include <random>

#include "index/entry.h"
#include "tests/unit/index/indexed_table.h"

namespace dynolith {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CheckTest : public testing::IndexedTable {
 protected:
  CheckTest() {
    CreateTable(EveryKindOfIndex());
    for (int i = 0; i < 5; ++i) Put(MakeItem("p" + std::to_string(i), i));
  }

  void Commit(const WriteBatch& batch) { ASSERT_TRUE(store_->Commit(batch).ok()); }

  IndexEntry Entry(size_t index, const Item& item) {
    const IndexSchema& schema = meta()->schema.indexes[index];
    return *MakeIndexEntry(schema, schema.layout(), meta()->schema.key, item.view());
  }

  const Item item_ = MakeItem("p2", 2);
  WriteBatch batch_;
};

TEST_F(CheckTest, SoundStoreHasNoLines) {
  Delete(MakeItem("p1", 1));
  Item sparse = MakeItem("sparse", 1);
  sparse.Remove("g");
  Put(sparse);
  CheckSummary summary;
  EXPECT_THAT(Check(&summary), IsEmpty());
  EXPECT_EQ(summary.tables, 1u);
  EXPECT_EQ(summary.base_rows, 5u);
  EXPECT_EQ(summary.index_rows, 4u * 4 + 1);
}

TEST_F(CheckTest, FindsAMissingEntry) {
  batch_.Delete(Family::kGlobalIndexes, Entry(1, item_).row_key);
  Commit(batch_);
  EXPECT_THAT(Check(),
              ElementsAre(AllOf(HasSubstr("index keys"), HasSubstr("missing"), HasSubstr("p2"))));
}

TEST_F(CheckTest, FindsMissingEntriesOfAllIndexesOfARow) {
  for (size_t i = 0; i < 4; ++i) {
    batch_.Delete(IndexFamily(meta()->schema.indexes[i].kind), Entry(i, item_).row_key);
  }
  Commit(batch_);
  EXPECT_EQ(Check().size(), 4u);
}

TEST_F(CheckTest, FindsAnEntryWithoutItem) {
  batch_.Delete(Family::kTables, RowKey(item_.view()));
  Commit(batch_);
  const auto lines = Check();
  EXPECT_EQ(lines.size(), 4u);
  for (const std::string& line : lines) EXPECT_THAT(line, HasSubstr("there is no item"));
}

TEST_F(CheckTest, FindsAnEntryAtAnOldKey) {
  Item other = item_;
  other.Set("n", Value::N(1000));
  const IndexEntry entry = Entry(3, other);
  batch_.Put(Family::kLocalIndexes, entry.row_key, entry.value);
  Commit(batch_);
  EXPECT_THAT(Check(),
              ElementsAre(AllOf(HasSubstr("index local"), HasSubstr("does not belong here"))));
}

TEST_F(CheckTest, FindsAWrongProjection) {
  Item other = item_;
  other.Set("a", Value::S("stale"));
  const IndexEntry entry = Entry(2, other);
  batch_.Put(Family::kGlobalIndexes, entry.row_key, entry.value);
  Commit(batch_);
  EXPECT_THAT(Check(), ElementsAre(AllOf(HasSubstr("index some"), HasSubstr("stale"))));
}

TEST_F(CheckTest, FindsItemsThatCannotBeRead) {
  const std::string half = item_.bytes().substr(0, item_.bytes().size() / 2);
  batch_.Put(Family::kTables, RowKey(item_.view()), half);
  Commit(batch_);
  EXPECT_THAT(Check(), ElementsAre(AllOf(HasSubstr("table t, row"), HasSubstr("understood"))));

  batch_.Clear();
  batch_.Put(Family::kTables, RowKey(item_.view()), item_.bytes());
  batch_.Put(Family::kGlobalIndexes, Entry(0, item_).row_key, half);
  Commit(batch_);
  EXPECT_THAT(Check(), ElementsAre(AllOf(HasSubstr("index all"), HasSubstr("understood"))));
}

TEST_F(CheckTest, FindsItemsAtAnotherKey) {
  const Item place = MakeItem("new", 7);
  const Item stranger = {{"pk", Value::S("stranger")}, {"sk", Value::N(1)}};
  batch_.Put(Family::kTables, RowKey(place.view()), stranger.bytes());
  Commit(batch_);
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("the key is not that of its item")));
  batch_.Clear();
  const Item keyless = {{"a", Value::N(1)}};
  batch_.Put(Family::kTables, RowKey(place.view()), keyless.bytes());
  Commit(batch_);
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("the key is not that of its item")));
}

TEST_F(CheckTest, FindsIndexKeysThatCannotBeRead) {
  const std::string row_key = Entry(0, item_).row_key;
  batch_.Put(Family::kGlobalIndexes, row_key.substr(0, 10), item_.bytes());
  Commit(batch_);
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("the key cannot be understood")));
}

TEST_F(CheckTest, AnIndexThatIsBeingFilledMayMissEntries) {
  AddIndex(MakeIndex("young", IndexKind::kGlobal, ProjectionType::kAll));
  EXPECT_THAT(Check(), IsEmpty());
  Item stranger = MakeItem("stranger", 1);
  const IndexEntry entry = Entry(4, stranger);
  batch_.Put(Family::kGlobalIndexes, entry.row_key, entry.value);
  Commit(batch_);
  EXPECT_THAT(Check(), ElementsAre(AllOf(HasSubstr("index young"), HasSubstr("no item"))));
}

// Why: the diff of each write must add up, whatever the sequence.
TEST_F(CheckTest, RandomWritesKeepIndexesAndItemsTogether) {
  const uint32_t seed = 4711;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int step = 0; step < 1500; ++step) {
    Item item = MakeItem("p" + std::to_string(random() % 4), static_cast<int>(random() % 4));
    if (random() % 4 == 0) {
      Delete(item);
      continue;
    }
    for (const char* name : {"g", "n", "a", "b"}) {
      switch (random() % 5) {
        case 0:
          item.Remove(name);
          break;
        case 1:
          item.Set(name, Value::N(static_cast<int64_t>(random() % 3)));
          break;
        case 2:
          item.Set(name, Value::S(std::string(random() % 3, 'x')));
          break;
        default:
          break;
      }
    }
    Put(item);
    if (step % 50 == 0) {
      ASSERT_THAT(Check(), IsEmpty()) << "step " << step;
    }
  }
  EXPECT_THAT(Check(), IsEmpty());
}

}  // namespace
}  // namespace dynolith
