// Which index may be read, where its rows are, and what it cannot answer: every reader goes by
// these answers. The words of the errors are in tests/testdata/query and scan.
#include "index/read.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/base/errors.h"
#include "tests/unit/index/indexed_table.h"

namespace dynolith {
namespace {

using testing::IndexedTable;

class ReadTest : public IndexedTable {
 protected:
  ReadTest() { CreateTable(EveryKindOfIndex()); }

  // The table's metadata with every index in that state.
  TableMeta With(IndexStatus status) const {
    TableMeta changed = *meta();
    changed.index_states.assign(changed.schema.indexes.size(), {.status = status});
    return changed;
  }

  RowSource Source(const std::string& index) const {
    return RowSource(meta()->schema, meta()->schema.FindIndex(index));
  }
};

TEST_F(ReadTest, AnIndexIsFoundOnceItIsFilled) {
  const TableMeta active = With(IndexStatus::kActive);
  EXPECT_EQ(*FindIndex(active, std::nullopt, false, "Query"), nullptr);
  EXPECT_EQ(*FindIndex(active, "keys", false, "Query"), active.schema.FindIndex("keys"));
  EXPECT_FALSE(FindIndex(active, "absent", false, "Query").ok());
  EXPECT_FALSE(FindIndex(active, "keys", true, "Query").ok());
  EXPECT_TRUE(FindIndex(active, "local", true, "Query").ok());
  EXPECT_FALSE(FindVectorIndex(active, "keys").ok());
  for (const IndexStatus status : {IndexStatus::kCreating, IndexStatus::kDeleting}) {
    EXPECT_FALSE(FindIndex(With(status), "keys", false, "Query").ok());
  }
}

TEST_F(ReadTest, RowsAreThoseOfTheTableOrOfTheIndex) {
  const Item item = MakeItem("p", 1);
  Write(item, &item);
  for (const char* name : {"", "all", "keys", "local"}) {
    const RowSource source = *name == '\0' ? RowSource(meta()->schema) : Source(name);
    Row row;
    EXPECT_TRUE(*store_->Get(source.family(), source.RowKeyFor(item.view()), &row)) << name;
    const KeyRange range =
        source.RangeFor({.hash_equals = {*item.Find(source.key().hash[0].name)}});
    const std::string key = source.RowKeyFor(item.view());
    EXPECT_TRUE(range.begin <= key && key < range.end) << name;
    EXPECT_EQ(source.indexes().size(), *name == '\0' ? 0u : 1u);
  }
}

TEST_F(ReadTest, WhatAGlobalIndexLacksIsAnErrorAndWhatALocalOneLacksIsFetched) {
  TableMeta narrow = With(IndexStatus::kActive);
  narrow.schema.indexes.back().projection = ProjectionType::kKeysOnly;
  const RowSource local(narrow.schema, &narrow.schema.indexes.back());
  const std::vector<std::string> key_names = {"pk", "n"};
  const std::vector<std::string> more_names = {"pk", "b"};
  const std::optional<Projection> keys = Projection::FromTopLevelNames(key_names);
  const std::optional<Projection> more = Projection::FromTopLevelNames(more_names);
  EXPECT_EQ(*NeedsBaseItem(local, false, keys), false);
  EXPECT_EQ(*NeedsBaseItem(local, false, more), true);
  EXPECT_EQ(*NeedsBaseItem(local, true, std::nullopt), true);
  EXPECT_EQ(*NeedsBaseItem(local, false, std::nullopt), false);
  EXPECT_EQ(*NeedsBaseItem(Source("keys"), false, keys), false);
  EXPECT_FALSE(NeedsBaseItem(Source("keys"), false, more).ok());
  EXPECT_FALSE(NeedsBaseItem(Source("keys"), true, std::nullopt).ok());
  EXPECT_EQ(*NeedsBaseItem(Source("all"), true, more), false);
  EXPECT_EQ(*NeedsBaseItem(RowSource(meta()->schema), true, more), false);
}

TEST_F(ReadTest, ABaseItemIsThatOfTheMomentOfItsEntry) {
  const Item item = MakeItem("p", 1);
  Write(item, &item);
  const auto moment = store_->TakeSnapshot();
  BaseReader reader(*moment, meta()->schema);
  Write(item, nullptr);
  Row row;
  ASSERT_TRUE(*reader.Fetch(item.view(), &row));
  EXPECT_EQ(ItemView::Unchecked(row.value()), item.view());
  EXPECT_FALSE(*BaseReader(*store_->TakeSnapshot(), meta()->schema).Fetch(item.view(), &row));
}

}  // namespace
}  // namespace dynolith
