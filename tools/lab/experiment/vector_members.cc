#include "tools/lab/experiment/vector_members.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/lab/experiment/messages.h"

namespace dynolith::lab {
namespace {

constexpr std::pair<std::string_view, bool> kProjections[] = {{"ALL", true}, {"KEYS_ONLY", false}};
constexpr std::pair<std::string_view, bool> kTiers[] = {{"STANDARD", false}, {"ACCELERATED", true}};
constexpr int64_t kBulkItemsMax = 1'000'000'000;
// The service's bounds of MaxWriteRequestUnits begin here (api/facts/newest.md §6).
constexpr int64_t kBulkUnitsMin = 1'024;
constexpr int64_t kBulkUnitsMax = 100'000'000;
constexpr double kBulkTimesMax = 10'000;

VectorIndexDesign ReadVectorIndex(TomlTable index) {
  VectorIndexDesign design;
  index.Need("name", "what the vector index is called");
  index.Text("name", &design.name);
  index.Need("dimensions", "of each vector, such as 1024");
  index.Count("dimensions", &design.dimensions, 1, kVectorDimensionsMax);
  index.Choice<bool>("projection", kProjections, &design.has_all);
  index.Bytes("entry_size", &design.entry_bytes, 1);
  index.RefuseUnknown();
  return design;
}

}  // namespace

void ReadVectorIndexes(TomlTable* table, bool is_replay, TableDesign* design) {
  const toml::node* const at = table->Find("vector_index");
  if (at == nullptr) return;
  design->vector_indexes.clear();
  if (is_replay) {
    return table->Error(*at, messages::LabNotWith(table->MemberPath("vector_index"), "[replay]"));
  }
  std::set<std::string> names;
  for (const IndexDesign& index : design->indexes) names.insert(index.name);
  for (TomlTable& index : table->Tables("vector_index")) {
    design->vector_indexes.push_back(ReadVectorIndex(std::move(index)));
    const std::string& name = design->vector_indexes.back().name;
    if (!name.empty() && !names.insert(name).second) {
      table->Error(*at, messages::LabNameTwice("indexes", name));
    }
  }
  if (design->vector_indexes.size() > static_cast<size_t>(kVectorIndexesMax)) {
    table->Error(*at, messages::LabTooLong(table->MemberPath("vector_index"),
                                           Concat(kVectorIndexesMax, " vector indexes")));
  }
  if (!design->throughput.on_demand) {
    table->Error(
        *at, messages::LabNotWith(table->MemberPath("vector_index"), "billing = \"provisioned\""));
  }
  if (table->Has("vectors")) {
    table->Error(*table->Find("vectors"),
                 messages::LabNotWith(table->MemberPath("vectors"),
                                      "vector_index, whose bytes are counted"));
  }
}

void ReadVectorSearch(TomlTable* access, const TableDesign& design, Access* result) {
  std::vector<std::string> names;
  for (const VectorIndexDesign& index : design.vector_indexes) names.push_back(index.name);
  result->vector_index = 0;
  if (const toml::node* const at = access->Need("index", "the vector index that it searches")) {
    std::string name;
    access->Text("index", &name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      access->Error(*at, messages::LabNothingNamed(access->MemberPath("index"), "vector index",
                                                   name, NearestWord(name, names)));
    } else {
      result->vector_index = static_cast<size_t>(found - names.begin());
    }
  }
  access->Need("searched", messages::LabSearchedBytes());
  access->Bytes("searched", &result->searched_bytes, 1);
}

void ReadBulkPut(TomlTable* access, const TableDesign& design, Access* result) {
  BulkPut& bulk = result->bulk.emplace();
  access->Need("items", "how many items the objects in the bucket have");
  access->Count("items", &bulk.items, 1, kBulkItemsMax);
  access->Need("units", messages::LabBulkUnits());
  access->Count("units", &bulk.units, kBulkUnitsMin, kBulkUnitsMax);
  access->Choice<bool>("tier", kTiers, &bulk.accelerated);
  access->Number("monthly", &bulk.monthly, 0, kBulkTimesMax);
  if (const toml::node* const own = access->Find("load"); own != nullptr) {
    access->Error(*own, messages::LabNotWith(access->MemberPath("load"),
                                             "BulkPutItems, which has items, units and at"));
  }
  Load& load = result->load.emplace();
  load.shape = Load::Shape::kOnce;
  access->Time("at", &load.at);
  if (!design.paid.replicas.empty()) {
    access->Error(*access->Find("operation"), messages::LabNotWith("BulkPutItems", "replicas"));
  }
}

}  // namespace dynolith::lab
