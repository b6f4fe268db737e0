#include "tools/lab/experiment/open_members.h"

#include <algorithm>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::lab {
namespace {

using OpenKind = OpenMember::Kind;

// A key that is declared within an access has no name in the file.
bool IsNamed(const KeySource& source) { return source.name.find('.') == std::string::npos; }

bool IsSharded(const Experiment& design, const Experiment& base, const OpenMember& member) {
  return std::any_of(design.sources.begin(), design.sources.end(), [&](const KeySource& source) {
    return source.name == base.sources[member.source].name && source.shards > 1;
  });
}

bool CanBeEventual(const Access& access) {
  return !IsWrite(access.operation) && !IsTransaction(access.operation) && !access.index &&
         access.consistency == ReadMode::kStrong;
}

// Each key is answered by itself.
bool CanBeCached(const Access& access) {
  return access.operation == Operation::kGetItem && access.cache == 0 && !access.then;
}

// Whether programs need not be changed for it.
bool IsGivenAlone(OpenKind kind) {
  return kind == OpenKind::kBilling || kind == OpenKind::kUnits || kind == OpenKind::kAutoScaling;
}

}  // namespace

std::string OpenMemberPath(const Experiment& experiment, const OpenMember& member) {
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
    case OpenKind::kWarm:
      return of_table("warm");
    case OpenKind::kMaximum:
      return of_table("maximum");
    case OpenKind::kIndexShards:
      return of_table(
          Concat("index.", experiment.tables[member.table].indexes[*member.index].name, ".shards"));
    case OpenKind::kShards:
      return Concat("keys.", experiment.sources[member.source].name, ".shards");
    case OpenKind::kSuffix:
      return Concat("keys.", experiment.sources[member.source].name, ".suffix");
    case OpenKind::kConsistency:
      return Concat("access.", experiment.accesses[member.access].name, ".consistency");
    case OpenKind::kCache:
      return Concat("access.", experiment.accesses[member.access].name, ".cache");
    case OpenKind::kReserved:
      return "experiment.reserved";
  }
  return "";
}

std::vector<OpenMember> MembersToOpen(const Experiment& experiment) {
  std::vector<OpenMember> members = {{.kind = OpenKind::kReserved}};
  for (size_t i = 0; i < experiment.tables.size(); ++i) {
    for (const OpenKind kind : {OpenKind::kBilling, OpenKind::kUnits, OpenKind::kAutoScaling,
                                OpenKind::kWarm, OpenKind::kMaximum}) {
      // A table with vector indexes is on demand.
      if (IsGivenAlone(kind) && !experiment.tables[i].vector_indexes.empty()) continue;
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
  for (size_t i = 0; !experiment.replay && i < experiment.accesses.size(); ++i) {
    const Access& access = experiment.accesses[i];
    if (CanBeEventual(access)) members.push_back({.kind = OpenKind::kConsistency, .access = i});
    if (CanBeCached(access)) members.push_back({.kind = OpenKind::kCache, .access = i});
  }
  return members;
}

AdviceRequest DefaultAdvice(const Experiment& base, const std::vector<Experiment>& designs) {
  AdviceRequest request;
  for (const OpenMember& member : MembersToOpen(base)) {
    const auto has = [&](const Experiment& design) { return IsSharded(design, base, member); };
    const bool is_sharded =
        member.kind == OpenKind::kShards && std::any_of(designs.begin(), designs.end(), has);
    if (IsGivenAlone(member.kind) || member.kind == OpenKind::kIndexShards || is_sharded) {
      request.open.push_back(member);
    }
  }
  return request;
}

}  // namespace dynolith::lab
