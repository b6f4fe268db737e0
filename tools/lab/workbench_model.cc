#include "tools/lab/workbench_model.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "engine/base/json_tree.h"
#include "engine/base/messages/lab.h"
#include "engine/base/strings.h"

namespace dynolith::lab {
namespace {

constexpr int kDepthMax = 64;

std::string_view TextOf(const JsonTree* tree) {
  return tree == nullptr ? std::string_view() : std::string_view(tree->text);
}

// Billed bytes of {"S": "text"} and its like (api/facts/values.md §7).
int64_t ValueBytes(const JsonTree& value) {
  if (value.members.empty()) return 1;
  const auto& [type, content] = value.members.front();
  int64_t bytes = 0;
  if (type == "S") return static_cast<int64_t>(content.text.size());
  if (type == "N") return static_cast<int64_t>(content.text.size() + 1) / 2 + 1;
  if (type == "B") return static_cast<int64_t>(content.text.size()) / 4 * 3;
  if (type == "M") {
    bytes = 3;
    for (const JsonTree::Member& member : content.members) {
      bytes += 1 + static_cast<int64_t>(member.name.size()) + ValueBytes(member.value);
    }
  } else if (type == "L") {
    bytes = 3;
    for (const JsonTree& element : content.elements) bytes += 1 + ValueBytes(element);
  } else {
    for (const JsonTree& element : content.elements) {
      bytes += static_cast<int64_t>(element.text.size());
    }
  }
  return std::max<int64_t>(1, bytes);
}

// Average bytes of the samples' attributes of these names (all of them if `names` is nullptr); of
// those only that have `needed`. 0 if there is no such sample.
int64_t AverageBytes(const JsonTree* samples, std::string_view needed,
                     const std::vector<std::string>* names) {
  if (samples == nullptr) return 0;
  int64_t items = 0;
  int64_t bytes = 0;
  for (const JsonTree& item : samples->elements) {
    if (item.Find(needed) == nullptr) continue;
    ++items;
    for (const JsonTree::Member& member : item.members) {
      if (names != nullptr && std::find(names->begin(), names->end(), member.name) == names->end())
        continue;
      bytes += static_cast<int64_t>(member.name.size()) + ValueBytes(member.value);
    }
  }
  return items == 0 ? 0 : (bytes + items - 1) / items;
}

std::optional<KeyPart> KeyOf(const JsonTree& owner, std::string_view part) {
  const JsonTree* const keys = owner.Find("KeyAttributes");
  const JsonTree* const key = keys == nullptr ? nullptr : keys->Find(part);
  const std::string_view name = key == nullptr ? "" : TextOf(key->Find("AttributeName"));
  if (name.empty()) return std::nullopt;
  const std::string_view type = TextOf(key->Find("AttributeType"));
  return KeyPart{std::string(name), type == "N"   ? Type::kNumber
                                    : type == "B" ? Type::kBinary
                                                  : Type::kString};
}

std::optional<int64_t> CountOf(const JsonTree* tree) {
  const std::string_view text = TextOf(tree);
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1) return std::nullopt;
  return count;
}

Throughput ThroughputOf(const JsonTree& owner, bool on_demand) {
  Throughput throughput;
  throughput.on_demand = on_demand;
  const JsonTree* const settings = owner.Find("ProvisionedCapacitySettings");
  const JsonTree* const units =
      settings == nullptr ? nullptr : settings->Find("ProvisionedThroughput");
  if (on_demand || units == nullptr) return throughput;
  throughput.units.read = CountOf(units->Find("ReadCapacityUnits"));
  throughput.units.write = CountOf(units->Find("WriteCapacityUnits"));
  return throughput;
}

std::optional<IndexDesign> IndexOf(const JsonTree& owner, const TableDesign& table,
                                   const JsonTree* samples) {
  IndexDesign index;
  index.name = TextOf(owner.Find("IndexName"));
  const std::optional<KeyPart> key = KeyOf(owner, "PartitionKey");
  if (index.name.empty() || !key) return std::nullopt;
  index.partition_key = *key;
  index.sort_key = KeyOf(owner, "SortKey");
  index.throughput = ThroughputOf(owner, table.throughput.on_demand);
  const JsonTree* const projection = owner.Find("Projection");
  const std::string_view type =
      projection == nullptr ? "ALL" : TextOf(projection->Find("ProjectionType"));
  std::vector<std::string> names = {key->attribute, table.partition_key.attribute};
  for (const std::optional<KeyPart>& part : {index.sort_key, table.sort_key}) {
    if (part) names.push_back(part->attribute);
  }
  if (const JsonTree* more = type == "INCLUDE" ? projection->Find("NonKeyAttributes") : nullptr) {
    for (const JsonTree& name : more->elements) names.push_back(name.text);
  }
  index.entry_bytes = AverageBytes(samples, key->attribute, type == "ALL" ? nullptr : &names);
  return index;
}

std::optional<TableDesign> TableOf(const JsonTree& owner) {
  TableDesign table;
  table.name = TextOf(owner.Find("TableName"));
  const std::optional<KeyPart> key = KeyOf(owner, "PartitionKey");
  if (table.name.empty() || !key) return std::nullopt;
  table.partition_key = *key;
  table.sort_key = KeyOf(owner, "SortKey");
  table.throughput = ThroughputOf(owner, TextOf(owner.Find("BillingMode")) != "PROVISIONED");
  const JsonTree* const samples = owner.Find("TableData");
  table.item.least = AverageBytes(samples, key->attribute, nullptr);
  table.item.most = table.item.least;
  if (const JsonTree* indexes = owner.Find("GlobalSecondaryIndexes")) {
    for (const JsonTree& index : indexes->elements) {
      std::optional<IndexDesign> design = IndexOf(index, table, samples);
      if (!design) return std::nullopt;
      table.indexes.push_back(*std::move(design));
    }
  }
  return table;
}

absl::Status NotAModel(const std::string& file, std::string_view reason) {
  return absl::InvalidArgumentError(ToAbsl(messages::LabNotAWorkbenchModel(file, reason)));
}

}  // namespace

absl::StatusOr<std::vector<TableDesign>> ParseWorkbenchModel(const std::string& file,
                                                             std::string_view text) {
  const std::optional<JsonTree> model = ParseJson(text, kDepthMax);
  if (!model) return NotAModel(file, messages::LabModelNotJson());
  const JsonTree* const tables = model->Find("DataModel");
  if (tables == nullptr) return NotAModel(file, messages::LabModelWithoutTables());
  std::vector<TableDesign> designs;
  designs.reserve(tables->elements.size());
  for (const JsonTree& element : tables->elements) {
    std::optional<TableDesign> design = TableOf(element);
    if (!design) {
      return NotAModel(file, messages::LabModelTableLacks(element.line, element.column));
    }
    designs.push_back(*std::move(design));
  }
  return designs;
}

}  // namespace dynolith::lab
