#include "tools/proxy/table_definition_text.h"

#include <initializer_list>
#include <optional>
#include <utility>

#include "engine/text/json_tree.h"
#include "tools/proxy/call_texts.h"

namespace dynolith::proxy {
namespace {

JsonTree MakeMap() {
  JsonTree map;
  map.kind = JsonTree::Kind::kMap;
  return map;
}

// Those of the members that are there.
JsonTree Chosen(const JsonTree& from, std::initializer_list<std::string_view> names) {
  JsonTree chosen = MakeMap();
  for (const std::string_view name : names) {
    const JsonTree* const value = from.Find(name);
    if (value != nullptr) chosen.members.push_back({std::string(name), *value});
  }
  return chosen;
}

// Throughput, without what only descriptions have. On demand units are shown as 0, and not given.
void AddThroughput(const JsonTree& from, bool is_provisioned, JsonTree* to) {
  const JsonTree* const units = from.Find("ProvisionedThroughput");
  if (is_provisioned && units != nullptr) {
    to->members.push_back(
        {"ProvisionedThroughput", Chosen(*units, {"ReadCapacityUnits", "WriteCapacityUnits"})});
  }
  const JsonTree* const most = from.Find("OnDemandThroughput");
  if (!is_provisioned && most != nullptr) to->members.push_back({"OnDemandThroughput", *most});
  const JsonTree* const warm = from.Find("WarmThroughput");
  if (warm == nullptr) return;
  to->members.push_back(
      {"WarmThroughput", Chosen(*warm, {"ReadUnitsPerSecond", "WriteUnitsPerSecond"})});
}

void AddIndexes(const JsonTree& table, std::string_view kind, bool has_throughput,
                bool is_provisioned, JsonTree* definition) {
  const JsonTree* const indexes = table.Find(kind);
  if (indexes == nullptr || indexes->elements.empty()) return;
  JsonTree list;
  list.kind = JsonTree::Kind::kList;
  for (const JsonTree& index : indexes->elements) {
    JsonTree each = Chosen(index, {"IndexName", "KeySchema", "Projection"});
    if (has_throughput) AddThroughput(index, is_provisioned, &each);
    list.elements.push_back(std::move(each));
  }
  definition->members.push_back({std::string(kind), std::move(list)});
}

}  // namespace

std::string DefinitionOf(std::string_view description) {
  const std::optional<JsonTree> tree = ParseJson(description, kBodyDepthMax);
  const JsonTree* const table = tree ? tree->Find("Table") : nullptr;
  if (table == nullptr || table->Find("KeySchema") == nullptr) return {};
  JsonTree definition = Chosen(*table, {"TableName", "KeySchema", "AttributeDefinitions"});
  const JsonTree* const summary = table->Find("BillingModeSummary");
  const JsonTree* const mode = summary != nullptr ? summary->Find("BillingMode") : nullptr;
  const bool is_provisioned = mode == nullptr || mode->text == "PROVISIONED";
  JsonTree billing;
  billing.kind = JsonTree::Kind::kString;
  billing.text = is_provisioned ? "PROVISIONED" : "PAY_PER_REQUEST";
  definition.members.push_back({"BillingMode", std::move(billing)});
  AddThroughput(*table, is_provisioned, &definition);
  AddIndexes(*table, "LocalSecondaryIndexes", /*has_throughput=*/false, is_provisioned,
             &definition);
  AddIndexes(*table, "GlobalSecondaryIndexes", /*has_throughput=*/true, is_provisioned,
             &definition);
  return PrintJson(definition);
}

}  // namespace dynolith::proxy
