#include "tools/lab/experiment/open_members.h"

#include <algorithm>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::lab {
namespace {

using OpenKind = OpenMember::Kind;

// A key that an access makes for itself has no name in the file.
bool IsNamed(const KeySource& source) { return source.name.find('.') == std::string::npos; }

bool IsSharded(const Experiment& design, const Experiment& base, const OpenMember& member) {
  if (member.kind == OpenKind::kIndexShards) {
    for (const TableDesign& table : design.tables) {
      if (table.name != base.tables[member.table].name) continue;
      for (const IndexDesign& index : table.indexes) {
        if (index.name == base.tables[member.table].indexes[*member.index].name) {
          return index.shards > 1;
        }
      }
    }
    return false;
  }
  return std::any_of(design.sources.begin(), design.sources.end(), [&](const KeySource& source) {
    return source.name == base.sources[member.source].name && source.shards > 1;
  });
}

}  // namespace

std::string PathOf(const Experiment& experiment, const OpenMember& member) {
  const auto of_table = [&](std::string_view name) {
    return Concat("table.", experiment.tables[member.table].name, ".", name);
  };
  switch (member.kind) {
    case OpenKind::kBilling:
      return of_table("billing");
    case OpenKind::kUnits:
      return of_table("units");
    case OpenKind::kAutoScaling:
      return of_table("auto_scaling");
    case OpenKind::kIndexShards:
      return of_table(
          Concat("index.", experiment.tables[member.table].indexes[*member.index].name, ".shards"));
    case OpenKind::kShards:
      return Concat("keys.", experiment.sources[member.source].name, ".shards");
    case OpenKind::kSuffix:
      return Concat("keys.", experiment.sources[member.source].name, ".suffix");
  }
  return "";
}

std::vector<OpenMember> MembersToOpen(const Experiment& experiment) {
  std::vector<OpenMember> members;
  for (size_t i = 0; i < experiment.tables.size(); ++i) {
    for (const OpenKind kind : {OpenKind::kBilling, OpenKind::kUnits, OpenKind::kAutoScaling}) {
      members.push_back({.kind = kind, .table = i});
    }
    for (size_t j = 0; j < experiment.tables[i].indexes.size(); ++j) {
      members.push_back({.kind = OpenKind::kIndexShards, .table = i, .index = j});
    }
  }
  for (size_t i = 0; i < experiment.sources.size(); ++i) {
    if (!IsNamed(experiment.sources[i])) continue;
    members.push_back({.kind = OpenKind::kShards, .source = i});
    members.push_back({.kind = OpenKind::kSuffix, .source = i});
  }
  return members;
}

AdviceRequest DefaultAdvice(const Experiment& base, const std::vector<Experiment>& designs) {
  AdviceRequest request;
  for (const OpenMember& member : MembersToOpen(base)) {
    if (member.kind == OpenKind::kSuffix) continue;
    const bool is_shards =
        member.kind == OpenKind::kShards || member.kind == OpenKind::kIndexShards;
    const auto has = [&](const Experiment& design) { return IsSharded(design, base, member); };
    if (is_shards && std::none_of(designs.begin(), designs.end(), has)) continue;
    request.open.push_back(member);
  }
  return request;
}

}  // namespace dynolith::lab
