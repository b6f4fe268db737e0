#include "tools/files/workbench/workbench_model.h"

#include <charconv>
#include <utility>

namespace dynolith::workbench {
namespace {

constexpr std::string_view kTables = "DataModel";

std::string_view TextIn(const JsonTree& owner, std::string_view name) {
  const JsonTree* const found = owner.Find(name);
  return found == nullptr ? std::string_view() : std::string_view(found->text);
}

std::optional<Attribute> ReadAttribute(const JsonTree* tree) {
  if (tree == nullptr) return std::nullopt;
  const std::string_view name = TextIn(*tree, "AttributeName");
  if (name.empty()) return std::nullopt;
  const std::string_view type = TextIn(*tree, "AttributeType");
  return Attribute{std::string(name), std::string(type.empty() ? "S" : type)};
}

std::optional<Attribute> ReadKeyAttribute(const JsonTree& owner, std::string_view part) {
  const JsonTree* const keys = owner.Find("KeyAttributes");
  return keys == nullptr ? std::nullopt : ReadAttribute(keys->Find(part));
}

std::optional<int64_t> CountIn(const JsonTree& owner, std::string_view name) {
  const std::string_view text = TextIn(owner, name);
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1) return std::nullopt;
  return count;
}

Capacity ReadCapacity(const JsonTree& owner) {
  const JsonTree* const settings = owner.Find("ProvisionedCapacitySettings");
  const JsonTree* const units =
      settings == nullptr ? nullptr : settings->Find("ProvisionedThroughput");
  if (units == nullptr) return {};
  return {CountIn(*units, "ReadCapacityUnits"), CountIn(*units, "WriteCapacityUnits")};
}

std::optional<Index> ReadIndex(const JsonTree& owner, const Attribute& table_key, bool is_local) {
  Index index;
  index.is_local = is_local;
  index.name = TextIn(owner, "IndexName");
  std::optional<Attribute> key = ReadKeyAttribute(owner, "PartitionKey");
  if (is_local && !key) key = table_key;
  if (index.name.empty() || !key) return std::nullopt;
  index.partition_key = *std::move(key);
  index.sort_key = ReadKeyAttribute(owner, "SortKey");
  index.capacity = ReadCapacity(owner);
  index.projection = "ALL";
  const JsonTree* const projection = owner.Find("Projection");
  if (projection == nullptr) return index;
  if (const std::string_view type = TextIn(*projection, "ProjectionType"); !type.empty()) {
    index.projection = type;
  }
  if (const JsonTree* const names = projection->Find("NonKeyAttributes")) {
    for (const JsonTree& name : names->elements) index.projected.push_back(name.text);
  }
  return index;
}

bool AddIndexes(const JsonTree& owner, std::string_view member, bool are_local, Table* table) {
  const JsonTree* const indexes = owner.Find(member);
  if (indexes == nullptr) return true;
  for (const JsonTree& element : indexes->elements) {
    std::optional<Index> index = ReadIndex(element, table->partition_key, are_local);
    if (!index) return false;
    table->indexes.push_back(*std::move(index));
  }
  return true;
}

void AddRows(const JsonTree& owner, Table* table) {
  const JsonTree* const rows = owner.Find("TableData");
  if (rows == nullptr) return;
  for (const JsonTree& row : rows->elements) table->rows.push_back(&row);
}

std::optional<Table> ReadTable(const JsonTree& owner) {
  Table table;
  table.tree = &owner;
  table.name = TextIn(owner, "TableName");
  std::optional<Attribute> key = ReadKeyAttribute(owner, "PartitionKey");
  if (table.name.empty() || !key) return std::nullopt;
  table.partition_key = *std::move(key);
  table.sort_key = ReadKeyAttribute(owner, "SortKey");
  table.is_on_demand = TextIn(owner, "BillingMode") != "PROVISIONED";
  table.capacity = ReadCapacity(owner);
  if (const JsonTree* const attributes = owner.Find("NonKeyAttributes")) {
    for (const JsonTree& element : attributes->elements) {
      if (std::optional<Attribute> attribute = ReadAttribute(&element)) {
        table.other_attributes.push_back(*std::move(attribute));
      }
    }
  }
  const bool are_whole = AddIndexes(owner, "GlobalSecondaryIndexes", /*are_local=*/false, &table) &&
                         AddIndexes(owner, "LocalSecondaryIndexes", /*are_local=*/true, &table);
  if (!are_whole) return std::nullopt;
  AddRows(owner, &table);
  if (const JsonTree* const facets = owner.Find("TableFacets")) {
    for (const JsonTree& facet : facets->elements) AddRows(facet, &table);
  }
  return table;
}

}  // namespace

bool IsModel(const JsonTree& tree) {
  const JsonTree* const tables = tree.Find(kTables);
  return tables != nullptr && tables->kind == JsonTree::Kind::kList;
}

std::optional<std::vector<Table>> ReadTables(const JsonTree& model, const JsonTree** lacks) {
  std::vector<Table> tables;
  const JsonTree* const list = model.Find(kTables);
  for (const JsonTree& element : list->elements) {
    std::optional<Table> table = ReadTable(element);
    if (!table) {
      *lacks = &element;
      return std::nullopt;
    }
    tables.push_back(*std::move(table));
  }
  return tables;
}

}  // namespace dynolith::workbench
