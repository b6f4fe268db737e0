// Tables, indexes and backups that come and go.
#include <algorithm>
#include <utility>

#include "tests/model/key_rules.h"
#include "tests/random/generator.h"

namespace dynolith::random {

using model::Index;
using model::KeyAttribute;
using model::Table;

namespace {

// A table of each shape; a restored one has the name with this behind it.
const std::vector<std::string> kNames = {"composite", "simple", "binary", "vectors"};
const std::string kRestored = "_back";
constexpr size_t kTablesMin = 2;
constexpr size_t kBackupsMax = 4;

std::string TableShape(const std::string& table) { return table.substr(0, table.find('_')); }

}  // namespace

// Each name always has the same key, so that operations on a table that is gone are well formed.
Table Generator::WithoutIndexes(const std::string& name) {
  const std::string shape = TableShape(name);
  Table table{.name = name, .hash = {"pk", "S"}, .range = std::nullopt, .indexes = {}};
  if (shape == "composite") table.range = KeyAttribute{"sk", "N"};
  if (shape == "simple") table.hash.type = "N";
  if (shape == "binary") {
    table.hash.type = "B";
    table.range = KeyAttribute{"sk", "S"};
  }
  return table;
}

std::vector<Index> Generator::ShapeIndexes(const std::string& shape) {
  using Projection = Index::Projection;
  using Distance = Index::Vector::Distance;
  if (shape == "composite") {
    return {{.name = "local_all", .local = true, .hash = {{"pk", "S"}}, .range = {Typed("l")}},
            {.name = "local_some",
             .local = true,
             .hash = {{"pk", "S"}},
             .range = {Typed("q")},
             .projection = Projection::kInclude,
             .included = {"a", "n"}},
            {.name = "global_keys",
             .hash = {Typed("g")},
             .range = {Typed("r")},
             .projection = Projection::kKeysOnly},
            {.name = "global_multi",
             .hash = {Typed("g"), Typed("h")},
             .range = {Typed("r"), Typed("q")}}};
  }
  if (shape == "binary") {
    return {{.name = "local_keys",
             .local = true,
             .hash = {{"pk", "B"}},
             .range = {Typed("r")},
             .projection = Projection::kKeysOnly},
            {.name = "global_all", .hash = {Typed("l")}, .range = {Typed("q")}}};
  }
  const Index some{.name = "global_some",
                   .hash = {Typed("g")},
                   .projection = Projection::kInclude,
                   .included = {"b", "map"}};
  if (shape == "simple") return {some};
  return {
      some,
      {.name = "near",
       .vector =
           Index::Vector{
               .attribute = "v", .dimensions = 2, .distance = Distance::kEuclidean, .filters = {}}},
      {.name = "angle",
       .hash = {Typed("g")},
       .projection = Projection::kKeysOnly,
       .vector = Index::Vector{.attribute = "v",
                               .dimensions = 2,
                               .distance = Distance::kCosine,
                               .filters = {Typed("q"), Typed("r")}}},
      {.name = "product",
       .projection = Projection::kInclude,
       .included = {"a", "n"},
       .vector = Index::Vector{
           .attribute = "v", .dimensions = 2, .distance = Distance::kDotProduct, .filters = {}}}};
}

Table Generator::WithAllIndexes(const std::string& name) {
  Table table = WithoutIndexes(name);
  table.indexes = ShapeIndexes(TableShape(name));
  return table;
}

model::Operation Generator::CreateTable(const std::string& name) {
  Table table = WithoutIndexes(name);
  for (const Index& index : ShapeIndexes(TableShape(name))) {
    if (Chance(75)) table.indexes.push_back(index);
  }
  return model::CreateTableOp{.table = table};
}

// Mostly one that is there.
Table Generator::AnyTable(const model::Model& model) {
  const size_t choice = Below(100);
  const std::string& name = kNames[choice < 45 ? 0 : choice < 65 ? 1 : choice < 80 ? 2 : 3];
  const std::vector<std::string> names = model.TableNames();
  const bool other = Chance(10) || (!model.FindTable(name) && !Chance(3));
  const std::string chosen = other && !names.empty() ? PickOne(names) : name;
  const Table* table = model.FindTable(chosen);
  return table ? *table : WithoutIndexes(chosen);
}

model::Operation Generator::ChangeTable(const model::Model& model, const Table& table) {
  std::vector<std::string> missing;
  for (const std::string& name : kNames) {
    if (!model.FindTable(name)) missing.push_back(name);
  }
  if (!missing.empty() && Chance(75)) return CreateTable(PickOne(missing));
  if (Chance(5)) return CreateTable(PickOne(kNames));
  if (model.TableNames().size() <= kTablesMin) return Verify(model, table);
  return model::DeleteTableOp{.table = table.name};
}

// Adds a backup of a table, makes a table of a backup, or deletes one; now and then of a backup
// that is gone.
model::Operation Generator::ChangeBackup(const model::Model& model, const Table& table) {
  const std::map<std::string, std::string> backups = model.BackupTables();
  if (backups_created_ == 0 || (backups.size() < kBackupsMax && Chance(40))) {
    return model::CreateBackupOp{.table = table.name,
                                 .label = "backup_" + std::to_string(++backups_created_)};
  }
  std::string label = "backup_" + std::to_string(1 + Below(static_cast<size_t>(backups_created_)));
  if (!backups.empty() && !Chance(5)) {
    label = std::next(backups.begin(), static_cast<ptrdiff_t>(Below(backups.size())))->first;
  }
  const auto backup = backups.find(label);
  if (backup == backups.end() || Chance(25)) return model::DeleteBackupOp{.label = label};
  const std::string shape = TableShape(backup->second);
  const std::string target = model.FindTable(shape) ? shape + kRestored : shape;
  if (model.FindTable(target) && !Chance(10)) return model::DeleteTableOp{.table = target};
  return model::RestoreOp{.label = label, .table = target};
}

model::Operation Generator::Reopen(const model::Model&, const Table&) { return model::ReopenOp(); }
model::Operation Generator::Verify(const model::Model&, const Table&) { return model::VerifyOp(); }

// Adds a global index while the table is full of items, or takes one away again.
model::Operation Generator::ChangeIndex(const model::Model&, const Table& table) {
  std::vector<std::string> added;
  for (const Index& index : table.indexes) {
    if (index.name.starts_with("added_")) added.push_back(index.name);
  }
  if (!added.empty() && (added.size() > 1 || Chance(50))) {
    return model::DeleteIndexOp{.table = table.name, .index = PickOne(added)};
  }
  Index index{.name = "added_" + std::to_string(indexes_created_++ % 3)};
  if (model::FindIndex(table, index.name)) {
    return model::DeleteIndexOp{.table = table.name, .index = index.name};
  }
  index.hash = {Typed(PickOne(kScalars))};
  const std::string second = PickOne(kScalars);
  if (second != index.hash[0].name) index.range = {Typed(second)};
  index.projection = PickOne<Index::Projection>(
      {Index::Projection::kAll, Index::Projection::kKeysOnly, Index::Projection::kInclude});
  if (index.projection == Index::Projection::kInclude) index.included = {"a", "list"};
  return model::CreateIndexOp{.table = table.name, .index = index, .awaited = Chance(40)};
}

// Mostly of a global index that is there, now and then of one that cannot have shards, or that is
// yet to come.
model::Operation Generator::ShardIndex(const model::Model&, const Table& table) {
  std::vector<std::string> names = {"added_0"};
  for (const Index& index : table.indexes) {
    const bool is_global = !index.local && !index.vector;
    if (is_global || Chance(5)) names.push_back(index.name);
  }
  const std::string& name =
      names.size() > 1 && Chance(90) ? names[1 + Below(names.size() - 1)] : names[0];
  return model::ShardIndexOp{.table = table.name,
                             .index = name,
                             .shards = PickOne<int>({1, 2, 3, 8, 40}),
                             .awaited = Chance(40)};
}

}  // namespace dynolith::random
