#include "tools/files/design/workbench_tables.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "tools/files/design/messages.h"
#include "tools/files/items/attribute_values.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/table/messages.h"
#include "tools/files/workbench/workbench_model.h"

namespace dynolith::designs {
namespace {

// Members of tables and indexes, among them those that only Workbench uses.
constexpr std::string_view kKnownMembers[] = {"TableName",
                                              "IndexName",
                                              "KeyAttributes",
                                              "NonKeyAttributes",
                                              "Projection",
                                              "BillingMode",
                                              "TableData",
                                              "TableFacets",
                                              "DataAccess",
                                              "ModelSchema",
                                              "SavedQuery",
                                              "GlobalSecondaryIndexes",
                                              "SampleData",
                                              "Description",
                                              "LocalSecondaryIndexes",
                                              "ProvisionedCapacitySettings"};

void WarnOfMembers(const std::string& file, const JsonTree& owner, bool is_on_demand,
                   Findings* findings) {
  for (const auto& [name, value] : owner.members) {
    if (std::find(std::begin(kKnownMembers), std::end(kKnownMembers), name) ==
        std::end(kKnownMembers)) {
      findings->Warn(LocationInFile(file, value), messages::DesignMemberUnknown(name, ""));
    }
  }
  const JsonTree* const capacity = owner.Find("ProvisionedCapacitySettings");
  if (capacity == nullptr || is_on_demand) return;
  for (const auto& [name, value] : capacity->members) {
    if (name != "ProvisionedThroughput") {
      findings->Warn(LocationInFile(file, value), messages::DesignMemberUnused(name));
    }
  }
}

JsonTree KeyElement(const workbench::Attribute& attribute, std::string_view type) {
  JsonTree element = MapTree();
  SetMember(&element, "AttributeName", TextTree(attribute.name));
  SetMember(&element, "KeyType", TextTree(type));
  return element;
}

JsonTree KeySchema(const workbench::Attribute& partition,
                   const std::optional<workbench::Attribute>& sort) {
  JsonTree schema = ListTree();
  schema.elements.push_back(KeyElement(partition, "HASH"));
  if (sort) schema.elements.push_back(KeyElement(*sort, "RANGE"));
  return schema;
}

void Define(const workbench::Attribute& attribute, JsonTree* definitions) {
  const bool is_there = std::any_of(
      definitions->elements.begin(), definitions->elements.end(),
      [&](const JsonTree& element) { return element.members[0].value.text == attribute.name; });
  if (is_there) return;
  JsonTree definition = MapTree();
  SetMember(&definition, "AttributeName", TextTree(attribute.name));
  SetMember(&definition, "AttributeType", TextTree(attribute.type));
  definitions->elements.push_back(std::move(definition));
}

// A missing number becomes one unit, the minimum.
void AddUnits(const workbench::Capacity& capacity, JsonTree* owner) {
  JsonTree units = MapTree();
  SetMember(&units, "ReadCapacityUnits", WordTree(std::to_string(capacity.read.value_or(1))));
  SetMember(&units, "WriteCapacityUnits", WordTree(std::to_string(capacity.write.value_or(1))));
  SetMember(owner, "ProvisionedThroughput", std::move(units));
}

JsonTree IndexInput(const workbench::Index& index, bool is_on_demand) {
  JsonTree input = MapTree();
  SetMember(&input, "IndexName", TextTree(index.name));
  SetMember(&input, "KeySchema", KeySchema(index.partition_key, index.sort_key));
  JsonTree* const projection = SetMember(&input, "Projection", MapTree());
  SetMember(projection, "ProjectionType", TextTree(index.projection));
  if (index.projection == "INCLUDE") {
    JsonTree names = ListTree();
    for (const std::string& name : index.projected) names.elements.push_back(TextTree(name));
    SetMember(projection, "NonKeyAttributes", std::move(names));
  }
  if (!is_on_demand && !index.is_local) AddUnits(index.capacity, &input);
  return input;
}

void AddIndex(std::string_view member, JsonTree index, JsonTree* create) {
  JsonTree* indexes = create->Find(member);
  if (indexes == nullptr) indexes = SetMember(create, member, ListTree());
  indexes->elements.push_back(std::move(index));
}

JsonTree CreateInput(const workbench::Table& table) {
  JsonTree create = MapTree();
  SetMember(&create, "TableName", TextTree(table.name));
  JsonTree definitions = ListTree();
  Define(table.partition_key, &definitions);
  if (table.sort_key) Define(*table.sort_key, &definitions);
  for (const workbench::Index& index : table.indexes) {
    Define(index.partition_key, &definitions);
    if (index.sort_key) Define(*index.sort_key, &definitions);
    AddIndex(index.is_local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes",
             IndexInput(index, table.is_on_demand), &create);
  }
  SetMember(&create, "AttributeDefinitions", std::move(definitions));
  SetMember(&create, "KeySchema", KeySchema(table.partition_key, table.sort_key));
  SetMember(&create, "BillingMode",
            TextTree(table.is_on_demand ? "PAY_PER_REQUEST" : "PROVISIONED"));
  if (!table.is_on_demand) AddUnits(table.capacity, &create);
  return create;
}

AttributeTypes ToAttributeTypes(const workbench::Table& table) {
  AttributeTypes types;
  for (const workbench::Attribute& attribute : table.other_attributes) {
    types[attribute.name] = attribute.type;
  }
  types[table.partition_key.name] = table.partition_key.type;
  if (table.sort_key) types[table.sort_key->name] = table.sort_key->type;
  return types;
}

TableDesign ToTableDesign(const std::string& file, const workbench::Table& table,
                          Findings* findings) {
  WarnOfMembers(file, *table.tree, table.is_on_demand, findings);
  for (const std::string_view member : {"GlobalSecondaryIndexes", "LocalSecondaryIndexes"}) {
    const JsonTree* const indexes = table.tree->Find(member);
    if (indexes == nullptr) continue;
    for (const JsonTree& index : indexes->elements) {
      WarnOfMembers(file, index, table.is_on_demand, findings);
    }
  }
  TableDesign design;
  design.name = table.name;
  design.place = {file, table.tree->line, table.tree->column};
  design.create = CreateInput(table);
  const AttributeTypes types = ToAttributeTypes(table);
  for (const JsonTree* row : table.rows) {
    design.items.push_back({TypedItem(*row, types), LocationInFile(file, *row)});
  }
  return design;
}

}  // namespace

std::vector<TableDesign> ReadWorkbenchTables(const std::string& file, const JsonTree& model,
                                             Findings* findings) {
  const JsonTree* lacks = nullptr;
  const std::optional<std::vector<workbench::Table>> tables = workbench::ReadTables(model, &lacks);
  if (!tables) {
    findings->Fail(LocationInFile(file, *lacks), messages::DesignModelTableLacks());
    return {};
  }
  std::vector<TableDesign> designs;
  for (const workbench::Table& table : *tables)
    designs.push_back(ToTableDesign(file, table, findings));
  return designs;
}

}  // namespace dynolith::designs
