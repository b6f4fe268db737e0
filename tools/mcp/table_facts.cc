#include "tools/mcp/table_facts.h"

#include <utility>

#include "engine/base/status_macros.h"
#include "tools/mcp/json_values.h"

namespace dynolith::mcp {
namespace {

void ReadKeys(const JsonTree& from, KeyedFacts* facts) {
  const JsonTree* const schema = from.Find("KeySchema");
  if (schema == nullptr) return;
  for (const JsonTree& element : schema->elements) {
    auto& keys = TextAt(element, "KeyType") == "HASH" ? facts->partition_keys : facts->sort_keys;
    keys.push_back(TextAt(element, "AttributeName"));
  }
}

void ReadIndexes(const JsonTree& table, std::string_view member, bool is_global,
                 std::vector<KeyedFacts>* indexes) {
  const JsonTree* const list = table.Find(member);
  if (list == nullptr) return;
  for (const JsonTree& each : list->elements) {
    KeyedFacts facts{.name = TextAt(each, "IndexName"), .is_global = is_global};
    ReadKeys(each, &facts);
    if (const JsonTree* const projection = each.Find("Projection")) {
      facts.projection = TextAt(*projection, "ProjectionType");
    }
    facts.items = WholeAt(each, "ItemCount", 0);
    facts.bytes = WholeAt(each, "IndexSizeBytes", 0);
    indexes->push_back(std::move(facts));
  }
}

}  // namespace

const KeyedFacts* TableFacts::Find(std::string_view index) const {
  if (index.empty()) return &own;
  for (const KeyedFacts& each : indexes) {
    if (each.name == index) return &each;
  }
  return nullptr;
}

JsonTree TableFacts::KeyOf(const JsonTree& item) const {
  JsonTree key = MapTree();
  for (const auto* names : {&own.partition_keys, &own.sort_keys}) {
    for (const std::string& name : *names) {
      if (const JsonTree* const value = item.Find(name)) SetMember(&key, name, *value);
    }
  }
  return key;
}

absl::StatusOr<TableFacts> FindTableFacts(Backend* backend, std::string_view table) {
  JsonTree input = MapTree();
  SetMember(&input, "TableName", TextTree(table));
  DYNOLITH_ASSIGN_OR_RETURN(JsonTree answer, backend->Call("DescribeTable", input));
  TableFacts facts;
  facts.description = designs::TakeMember(&answer, "Table");
  facts.table = TextAt(facts.description, "TableName");
  facts.status = TextAt(facts.description, "TableStatus");
  ReadKeys(facts.description, &facts.own);
  facts.own.items = WholeAt(facts.description, "ItemCount", 0);
  facts.own.bytes = WholeAt(facts.description, "TableSizeBytes", 0);
  ReadIndexes(facts.description, "LocalSecondaryIndexes", false, &facts.indexes);
  ReadIndexes(facts.description, "GlobalSecondaryIndexes", true, &facts.indexes);
  return facts;
}

}  // namespace dynolith::mcp
