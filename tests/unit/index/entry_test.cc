// Which items have an entry, what it holds, and what one write changes and costs: every case of
// api/facts/capacity.md §1, "GSI write cost per index".
#include "index/entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/limits.h"
#include "engine/key/key_codec.h"
#include "engine/store/work_counters.h"
#include "index/maintain.h"
#include "index/projection.h"

namespace dynolith {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const KeySchema kBaseKey = {{{"pk", Type::kString}}, {{"sk", Type::kString}}};

IndexSchema Index(ProjectionType projection, IndexKind kind = IndexKind::kGlobal) {
  IndexSchema index;
  index.name = "index";
  index.id = 2;
  index.kind = kind;
  if (kind == IndexKind::kLocal) {
    index.key = {{{"pk", Type::kString}}, {{"n", Type::kNumber}}};
  } else {
    index.key = {{{"g", Type::kString}}, {{"n", Type::kNumber}}};
  }
  index.projection = projection;
  if (projection == ProjectionType::kInclude) index.non_key_attributes = {"z", "a"};
  return index;
}

TableSchema Schema(const IndexSchema& index) { return {"t", 1, kBaseKey, {index}}; }

Item Full() {
  return {{"pk", Value::S("p")}, {"sk", Value::S("s")},  {"g", Value::S("group")},
          {"n", Value::N(5)},    {"a", Value::S("aaa")}, {"other", Value::S("xyz")}};
}

Item With(Item item, std::string_view name, const Value& value) {
  item.Set(name, value);
  return item;
}
Item Without(Item item, std::string_view name) {
  item.Remove(name);
  return item;
}

bool HasEntryIn(const IndexSchema& index, const Item& item) { return HasEntry(index, item.view()); }

TEST(IndexEntryTest, ProjectsKeysAndWhatIsIncluded) {
  const IndexSchema all = Index(ProjectionType::kAll);
  const IndexSchema keys = Index(ProjectionType::kKeysOnly);
  const IndexSchema include = Index(ProjectionType::kInclude);
  for (const char* name : {"pk", "sk", "g", "n"}) {
    EXPECT_TRUE(Projects(all, kBaseKey, name) && Projects(keys, kBaseKey, name) &&
                Projects(include, kBaseKey, name));
  }
  EXPECT_TRUE(Projects(all, kBaseKey, "a"));
  EXPECT_FALSE(Projects(keys, kBaseKey, "a"));
  EXPECT_TRUE(Projects(include, kBaseKey, "a"));
  EXPECT_FALSE(Projects(include, kBaseKey, "other"));
}

TEST(IndexEntryTest, HoldsTheProjectedItem) {
  const Item item = Full();
  const Item keys = {
      {"pk", Value::S("p")}, {"sk", Value::S("s")}, {"g", Value::S("group")}, {"n", Value::N(5)}};
  const auto all = MakeIndexEntry(Index(ProjectionType::kAll), {.id = 2}, kBaseKey, item.view());
  const auto keys_only =
      MakeIndexEntry(Index(ProjectionType::kKeysOnly), {.id = 2}, kBaseKey, item.view());
  const auto include =
      MakeIndexEntry(Index(ProjectionType::kInclude), {.id = 2}, kBaseKey, item.view());
  ASSERT_TRUE(all && keys_only && include);
  EXPECT_EQ(all->value.data(), item.bytes().data()) << "the item's own bytes, not a copy";
  EXPECT_EQ(keys_only->value, keys.bytes());
  EXPECT_EQ(include->value, With(keys, "a", Value::S("aaa")).bytes());
  std::string row_key;
  AppendIndexRowKey({.id = 2}, Index(ProjectionType::kAll).key, kBaseKey, item.view(), &row_key);
  EXPECT_EQ(all->row_key, row_key);
  const auto decoded = DecodeIndexRowKey(Index(ProjectionType::kAll).key, kBaseKey, 1, row_key);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->bytes(), keys.bytes());
}

TEST(IndexEntryTest, AProjectorProjectsTheSame) {
  ItemBuilder builder;
  ItemBuilder other;
  IndexSchema repeated = Index(ProjectionType::kInclude);
  repeated.non_key_attributes.push_back("n");
  for (const IndexSchema& index : {Index(ProjectionType::kAll), Index(ProjectionType::kKeysOnly),
                                   Index(ProjectionType::kInclude), repeated,
                                   Index(ProjectionType::kInclude, IndexKind::kLocal)}) {
    const Projector projector(index, kBaseKey);
    for (const Item& item : {Full(), Without(Full(), "a"), Without(Full(), "other"),
                             With(Full(), "", Value::N(1)), With(Full(), "z", Value::N(1)),
                             With(Full(), "zz", Value::N(1)), With(Full(), "pkk", Value::N(1))}) {
      EXPECT_EQ(projector.Build(item.view(), &builder),
                BuildProjection(index, kBaseKey, item.view(), &other));
    }
  }
}

TEST(IndexEntryTest, EntrySurvivesMoving) {
  const Item item = Full();
  auto entry = MakeIndexEntry(Index(ProjectionType::kKeysOnly), {.id = 2}, kBaseKey, item.view());
  const std::string before(entry->value);
  const IndexEntry moved = *std::move(entry);
  EXPECT_EQ(moved.value, before);
}

TEST(IndexEntryTest, BilledBytesAreThoseOfTheEntry) {
  const Item item = Full();
  for (const ProjectionType projection :
       {ProjectionType::kAll, ProjectionType::kKeysOnly, ProjectionType::kInclude}) {
    const IndexSchema index = Index(projection);
    const auto entry = MakeIndexEntry(index, {.id = 2}, kBaseKey, item.view());
    EXPECT_EQ(EntryBilledBytes(index, kBaseKey, item.view()),
              BilledBytes(ItemView::Unchecked(entry->value)));
    const Item sparse = Without(item, "g");
    EXPECT_EQ(EntryBilledBytes(index, kBaseKey, sparse.view()), std::nullopt);
  }
}

TEST(IndexEntryTest, ItemsWithoutAFitKeyHaveNone) {
  const IndexSchema index = Index(ProjectionType::kAll);
  const auto has = [&](const Item& item) {
    EXPECT_EQ(MakeIndexEntry(index, {.id = 2}, kBaseKey, item.view()).has_value(),
              HasEntry(index, item.view()));
    return HasEntry(index, item.view());
  };
  EXPECT_TRUE(has(Full()));
  EXPECT_FALSE(has(Without(Full(), "g")));
  EXPECT_FALSE(has(Without(Full(), "n")));
  EXPECT_FALSE(has(With(Full(), "g", Value::N(1))));
  EXPECT_FALSE(has(With(Full(), "n", Value::S("1"))));
  EXPECT_FALSE(has(With(Full(), "g", Value::S(""))));
  EXPECT_TRUE(has(With(Full(), "g", Value::S(std::string(kPartitionKeyBytesMax, 'x')))));
  EXPECT_FALSE(has(With(Full(), "g", Value::S(std::string(kPartitionKeyBytesMax + 1, 'x')))));
  IndexSchema binary = index;
  binary.key.range = {{"b", Type::kBinary}};
  EXPECT_TRUE(HasEntryIn(binary, With(Full(), "b", Value::B(std::string(kSortKeyBytesMax, 'x')))));
  EXPECT_FALSE(
      HasEntryIn(binary, With(Full(), "b", Value::B(std::string(kSortKeyBytesMax + 1, 'x')))));
  EXPECT_FALSE(HasEntryIn(binary, With(Full(), "b", Value::B(""))));
}

TEST(IndexEntryTest, SeveralKeyAttributesMustAllBeThere) {
  IndexSchema index = Index(ProjectionType::kKeysOnly);
  index.key = {{{"g", Type::kString}, {"h", Type::kNumber}},
               {{"n", Type::kNumber}, {"r", Type::kBinary}}};
  const Item item = With(With(Full(), "h", Value::N(-1)), "r", Value::B("r"));
  ASSERT_TRUE(HasEntry(index, item.view()));
  const auto entry = MakeIndexEntry(index, {.id = 2}, kBaseKey, item.view());
  const auto decoded = DecodeIndexRowKey(index.key, kBaseKey, 1, entry->row_key);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->bytes(), entry->value);
  for (const char* name : {"g", "h", "n", "r"}) {
    EXPECT_FALSE(HasEntryIn(index, Without(item, name))) << name;
  }
}

// What a write does to the one index of a table, as "put" and "delete", and what it costs.
struct Effect {
  std::vector<std::string> changes;
  std::vector<double> units;
};

Effect Maintain(const IndexSchema& index, const Item* before, const Item* after) {
  const TableSchema schema = Schema(index);
  const std::optional<ItemView> old_view = before ? std::optional(before->view()) : std::nullopt;
  const std::optional<ItemView> new_view = after ? std::optional(after->view()) : std::nullopt;
  WriteBatch batch;
  std::vector<IndexWork> work;
  MaintainIndexes(schema, old_view ? &*old_view : nullptr, new_view ? &*new_view : nullptr, &batch,
                  &work);
  Effect effect;
  for (const IndexWork& one : work) effect.units.push_back(one.write_units);
  batch.ForEach([&](const WriteBatch::Change& change) {
    EXPECT_EQ(change.family, IndexFamily(index.kind));
    const bool is_put = change.operation == WriteBatch::Operation::kPut;
    const auto entry = MakeIndexEntry(index, {.id = 2}, kBaseKey, is_put ? *new_view : *old_view);
    EXPECT_EQ(change.key, entry->row_key);
    if (is_put) {
      EXPECT_EQ(change.value, entry->value);
    }
    effect.changes.push_back(is_put ? "put" : "delete");
  });
  return effect;
}

class MaintainTest : public ::testing::TestWithParam<ProjectionType> {
 protected:
  const IndexSchema index_ = Index(GetParam());
  const Item full_ = Full();
  const Item sparse_ = Without(Full(), "g");
};

INSTANTIATE_TEST_SUITE_P(Projections, MaintainTest,
                         ::testing::Values(ProjectionType::kAll, ProjectionType::kKeysOnly,
                                           ProjectionType::kInclude));

TEST_P(MaintainTest, NewEntryIsAPut) {
  for (const Item* before : {static_cast<const Item*>(nullptr), &sparse_}) {
    const Effect effect = Maintain(index_, before, &full_);
    EXPECT_THAT(effect.changes, ElementsAre("put"));
    EXPECT_THAT(effect.units, ElementsAre(1));
  }
}

TEST_P(MaintainTest, LostEntryIsADelete) {
  for (const Item* after : {static_cast<const Item*>(nullptr), &sparse_}) {
    const Effect effect = Maintain(index_, &full_, after);
    EXPECT_THAT(effect.changes, ElementsAre("delete"));
    EXPECT_THAT(effect.units, ElementsAre(1));
  }
}

TEST_P(MaintainTest, MovedKeyIsADeleteAndAPut) {
  for (const auto& [name, value] :
       {std::pair("g", Value::S("elsewhere")), std::pair("n", Value::N(6))}) {
    const Item moved = With(full_, name, value);
    const Effect effect = Maintain(index_, &full_, &moved);
    EXPECT_THAT(effect.changes, ElementsAre("delete", "put"));
    EXPECT_THAT(effect.units, ElementsAre(2));
  }
}

TEST_P(MaintainTest, UnchangedEntryIsNothing) {
  const Effect same = Maintain(index_, &full_, &full_);
  EXPECT_THAT(same.changes, IsEmpty());
  EXPECT_THAT(same.units, IsEmpty());
  const Item other_sparse = With(sparse_, "other", Value::S("changed"));
  const Effect never_there = Maintain(index_, &sparse_, &other_sparse);
  EXPECT_THAT(never_there.changes, IsEmpty());
  EXPECT_THAT(never_there.units, IsEmpty());
}

TEST_P(MaintainTest, OnlyAProjectedAttributeIsAPut) {
  const Item other = With(full_, "other", Value::S("changed"));
  EXPECT_EQ(Maintain(index_, &full_, &other).changes.size(),
            GetParam() == ProjectionType::kAll ? 1u : 0u);
  for (const Item& changed :
       {With(full_, "a", Value::N(1)), Without(full_, "a"), With(full_, "z", Value::Null())}) {
    EXPECT_EQ(Maintain(index_, &full_, &changed).changes.size(),
              GetParam() == ProjectionType::kKeysOnly ? 0u : 1u);
  }
}

TEST(MaintainUnitsTest, CountsKilobytesOfEntries) {
  const IndexSchema index = Index(ProjectionType::kInclude);
  const Item small = Full();
  const Item big = With(Full(), "a", Value::S(std::string(2500, 'x')));
  const Item hidden = With(Full(), "other", Value::S(std::string(50'000, 'x')));
  EXPECT_THAT(Maintain(index, nullptr, &big).units, ElementsAre(3));
  EXPECT_THAT(Maintain(index, &big, nullptr).units, ElementsAre(3));
  EXPECT_THAT(Maintain(index, &big, &small).units, ElementsAre(3)) << "the larger of the two";
  EXPECT_THAT(Maintain(index, &small, &big).units, ElementsAre(3));
  const Item moved = With(big, "n", Value::N(-5));
  EXPECT_THAT(Maintain(index, &small, &moved).units, ElementsAre(4)) << "1 for the delete";
  EXPECT_THAT(Maintain(index, nullptr, &hidden).units, ElementsAre(1)) << "not projected";
}

TEST(MaintainLocalTest, LocalIndexesLiveInTheirFamily) {
  const IndexSchema index = Index(ProjectionType::kKeysOnly, IndexKind::kLocal);
  const Item item = Full();
  const Effect effect = Maintain(index, nullptr, &item);
  EXPECT_THAT(effect.changes, ElementsAre("put"));
}

TEST(MaintainManyTest, ReportsTouchedIndexesByPosition) {
  TableSchema schema = Schema(Index(ProjectionType::kAll));
  schema.indexes.push_back(Index(ProjectionType::kKeysOnly));
  schema.indexes.push_back(Index(ProjectionType::kInclude, IndexKind::kLocal));
  const Item before = Full();
  const Item after = With(Full(), "z", Value::N(1));
  const ItemView old_view = before.view(), new_view = after.view();
  WriteBatch batch;
  std::vector<IndexWork> work;
  MaintainIndexes(schema, &old_view, &new_view, &batch, &work);
  ASSERT_EQ(work.size(), 2u);
  EXPECT_EQ(work[0].index, 0u);
  EXPECT_EQ(work[1].index, 2u);
  EXPECT_EQ(batch.count(), 2u);
}

}  // namespace
}  // namespace dynolith
