#include "tools/lab/experiment/workbench_model.h"

#include <algorithm>
#include <optional>

#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tools/files/workbench/workbench_model.h"
#include "tools/lab/experiment/messages.h"

namespace dynolith::lab {
namespace {

constexpr int kModelDepthMax = 64;

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
int64_t AverageBytes(const std::vector<const JsonTree*>& samples, std::string_view needed,
                     const std::vector<std::string>* names) {
  int64_t items = 0;
  int64_t bytes = 0;
  for (const JsonTree* item : samples) {
    if (item->Find(needed) == nullptr) continue;
    ++items;
    for (const JsonTree::Member& member : item->members) {
      if (names != nullptr && std::find(names->begin(), names->end(), member.name) == names->end())
        continue;
      bytes += static_cast<int64_t>(member.name.size()) + ValueBytes(member.value);
    }
  }
  return items == 0 ? 0 : (bytes + items - 1) / items;
}

KeyPart ToKeyPart(const workbench::Attribute& attribute) {
  return {attribute.name, attribute.type == "N"   ? Type::kNumber
                          : attribute.type == "B" ? Type::kBinary
                                                  : Type::kString};
}
std::optional<KeyPart> ToKeyPart(const std::optional<workbench::Attribute>& attribute) {
  if (!attribute) return std::nullopt;
  return ToKeyPart(*attribute);
}

Throughput ToThroughput(const workbench::Capacity& capacity, bool on_demand) {
  Throughput throughput;
  throughput.on_demand = on_demand;
  if (on_demand) return throughput;
  throughput.units.read = capacity.read;
  throughput.units.write = capacity.write;
  return throughput;
}

IndexDesign ToIndexDesign(const workbench::Index& read, const workbench::Table& table) {
  IndexDesign index;
  index.name = read.name;
  index.partition_key = ToKeyPart(read.partition_key);
  index.sort_key = ToKeyPart(read.sort_key);
  index.throughput = ToThroughput(read.capacity, table.is_on_demand);
  std::vector<std::string> names = {read.partition_key.name, table.partition_key.name};
  for (const std::optional<workbench::Attribute>& part : {read.sort_key, table.sort_key}) {
    if (part) names.push_back(part->name);
  }
  if (read.projection == "INCLUDE") {
    names.insert(names.end(), read.projected.begin(), read.projected.end());
  }
  index.entry_bytes = AverageBytes(table.rows, read.partition_key.name,
                                   read.projection == "ALL" ? nullptr : &names);
  return index;
}

TableDesign ToTableDesign(const workbench::Table& read) {
  TableDesign table;
  table.name = read.name;
  table.partition_key = ToKeyPart(read.partition_key);
  table.sort_key = ToKeyPart(read.sort_key);
  table.throughput = ToThroughput(read.capacity, read.is_on_demand);
  table.item.least = AverageBytes(read.rows, read.partition_key.name, nullptr);
  table.item.most = table.item.least;
  for (const workbench::Index& index : read.indexes) {
    if (!index.is_local) table.indexes.push_back(ToIndexDesign(index, read));
  }
  return table;
}

absl::Status NotAModel(const std::string& file, std::string_view reason) {
  return absl::InvalidArgumentError(ToAbsl(messages::LabNotAWorkbenchModel(file, reason)));
}

}  // namespace

int64_t SampleBytes(const JsonTree& item) {
  int64_t bytes = 0;
  for (const JsonTree::Member& member : item.members) {
    bytes += static_cast<int64_t>(member.name.size()) + ValueBytes(member.value);
  }
  return bytes;
}

absl::StatusOr<std::vector<TableDesign>> ParseWorkbenchModel(const std::string& file,
                                                             std::string_view text) {
  const std::optional<JsonTree> model = ParseJson(text, kModelDepthMax);
  if (!model) return NotAModel(file, messages::LabModelNotJson());
  if (!workbench::IsModel(*model)) return NotAModel(file, messages::LabModelWithoutTables());
  const JsonTree* lacks = nullptr;
  const std::optional<std::vector<workbench::Table>> tables = workbench::ReadTables(*model, &lacks);
  if (!tables) return NotAModel(file, messages::LabModelTableLacks(lacks->line, lacks->column));
  std::vector<TableDesign> designs;
  designs.reserve(tables->size());
  for (const workbench::Table& table : *tables) designs.push_back(ToTableDesign(table));
  return designs;
}

}  // namespace dynolith::lab
