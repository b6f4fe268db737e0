#include "tools/lab/experiment/paid_features.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "engine/base/status_macros.h"
#include "tools/lab/experiment/messages.h"

namespace dynolith::lab {
namespace {

constexpr std::pair<std::string_view, bool> kClasses[] = {
    {"standard", false}, {"standard-ia", true}, {"infrequent-access", true}};
constexpr double kTimesMax = 1e6;
constexpr int64_t kNodesMax = 1'000;

void ReadDax(TomlTable dax, PaidFeatures* paid) {
  dax.Need("type", "of its nodes, such as \"dax.r5.large\"");
  dax.Text("type", &paid->dax_type);
  dax.Need("nodes", "how many there are");
  dax.Count("nodes", &paid->dax_nodes, 1, kNodesMax);
  dax.RefuseUnknown();
}

void ReadVectors(TomlTable vectors, PaidFeatures* paid) {
  vectors.Bytes("storage", &paid->vector_bytes);
  vectors.Bytes("written", &paid->vector_written_bytes);
  vectors.Bytes("searched", &paid->vector_searched_bytes);
  vectors.RefuseUnknown();
}

void ReadReplicas(TomlTable* table, std::vector<std::string>* replicas) {
  table->Texts("replicas", replicas);
  std::set<std::string> regions;
  for (const std::string& region : *replicas) {
    if (regions.insert(region).second) continue;
    table->Error(*table->Find("replicas"), messages::LabNameTwice("replicas in", region));
  }
}

TableDesign ReadPaidTable(TomlTable* table) {
  TableDesign design;
  table->Need("name", "which table of the metrics it is");
  table->Text("name", &design.name);
  ReadPaidFeatures(table, &design);
  for (TomlTable& index : table->Tables("index")) {
    IndexDesign& added = design.indexes.emplace_back();
    index.Need("name", "which index of the table it is");
    index.Text("name", &added.name);
    index.Need("storage", "how much it holds, such as \"10GB\"");
    index.Bytes("storage", &added.bytes.emplace(0));
    index.RefuseUnknown();
  }
  table->RefuseUnknown();
  return design;
}

}  // namespace

void ReadPaidFeatures(TomlTable* table, TableDesign* design) {
  PaidFeatures& paid = design->paid;
  table->Bytes("storage", &design->bytes);
  table->Choice<bool>("class", kClasses, &design->infrequent_access);
  table->Flag("pitr", &paid.pitr);
  table->Number("backups", &paid.backups, 0, kTimesMax);
  table->Number("restores", &paid.restores, 0, kTimesMax);
  table->Number("exports", &paid.exports, 0, kTimesMax);
  table->Bytes("imports", &paid.import_bytes);
  table->Number("stream_reads", &paid.stream_reads, 0, kTimesMax);
  ReadReplicas(table, &paid.replicas);
  if (std::optional<TomlTable> dax = table->Table("dax")) ReadDax(*std::move(dax), &paid);
  if (std::optional<TomlTable> vectors = table->Table("vectors")) {
    ReadVectors(*std::move(vectors), &paid);
  }
}

void ReadReserved(TomlTable* head, std::optional<ReservedCapacity>* reserved) {
  const toml::node* const node = head->Find("reserved");
  if (node == nullptr) return;
  // A design can remove it.
  if (node->is_boolean() && !node->as_boolean()->get()) return;
  std::optional<TomlTable> table = head->Table("reserved");
  if (!table) return;
  ReservedCapacity& capacity = reserved->emplace();
  table->Need("term", "for how long, such as \"one-year\"");
  table->Text("term", &capacity.term);
  std::replace(capacity.term.begin(), capacity.term.end(), '-', ' ');
  const auto read = [&](std::string_view name, AccessKind kind) {
    const toml::node* const given = table->Find(name);
    if (given == nullptr) return;
    if (!capacity.units) capacity.units.emplace();
    int64_t& units = (*capacity.units)[kind];
    table->Count(name, &units, 0, kLabUnitsMax);
    if (units % kReservedUnits == 0) return;
    table->Error(*given, messages::LabNoBlocks(table->MemberPath(name), kReservedUnits));
  };
  read("read", AccessKind::kRead);
  read("write", AccessKind::kWrite);
  table->RefuseUnknown();
}

absl::StatusOr<std::vector<TableDesign>> ParsePaidTables(const std::string& file,
                                                         std::string_view text) {
  DYNOLITH_ASSIGN_OR_RETURN(const toml::table document, ParseToml(file, text));
  TomlErrors errors(file);
  TomlTable root(document, "", &errors);
  std::vector<TableDesign> tables;
  for (TomlTable& table : root.Tables("table")) tables.push_back(ReadPaidTable(&table));
  if (tables.empty()) root.Error(messages::LabNeedsSome("table", "[[table]]"));
  root.RefuseUnknown();
  DYNOLITH_RETURN_IF_ERROR(errors.status());
  return tables;
}

}  // namespace dynolith::lab
