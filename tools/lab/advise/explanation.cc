#include "tools/lab/advise/explanation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tools/lab/advise/messages.h"
#include "tools/lab/report/expectations.h"
#include "tools/lab/report/messages.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {
namespace {

double PartOfAttempts(const AccessResult& access, uint64_t count) {
  const uint64_t attempts = access.total.served + access.total.denied();
  return attempts == 0 ? 0 : static_cast<double>(count) / static_cast<double>(attempts);
}

std::string WhyDenied(const RunResult& run) {
  const AccessResult* const worst = MostDenied(run);
  if (worst == nullptr) return "";
  if (const ResourceResult* const full = FullTable(run, *worst)) {
    const std::string since = messages::LabFromOn(ClockText(full->full_collections.front().at));
    return messages::AdviceWhyRefused(PartText(DeniedPart(*worst)), worst->name, since,
                                      WhichAreFull(*full));
  }
  if (worst->total.throttled == 0) return "";
  const Bottleneck bottleneck = FindBottleneck(run, *worst);
  return messages::AdviceWhy(PartText(ThrottledPart(*worst)), worst->name,
                             WhenText(run, WhenThrottled(bottleneck)), WhatWasMet(run, bottleneck));
}

}  // namespace

double ThrottledPart(const AccessResult& access) {
  return PartOfAttempts(access, access.total.throttled);
}

double DeniedPart(const AccessResult& access) {
  return PartOfAttempts(access, access.total.denied());
}

const AccessResult* MostDenied(const RunResult& run) {
  const auto worst = std::max_element(run.accesses.begin(), run.accesses.end(),
                                      [](const AccessResult& left, const AccessResult& right) {
                                        return DeniedPart(left) < DeniedPart(right);
                                      });
  const bool is_any = worst != run.accesses.end() && worst->total.denied() > 0;
  return is_any ? &*worst : nullptr;
}

double WorstDeniedPart(const RunResult& run) {
  const AccessResult* const worst = MostDenied(run);
  return worst == nullptr ? 0 : DeniedPart(*worst);
}

const ResourceResult* FullTable(const RunResult& run, const AccessResult& access) {
  if (access.total.errors <= access.total.throttled) return nullptr;
  const auto at = static_cast<size_t>(&access - run.accesses.data());
  const Access& asked = run.experiment.accesses[at];
  const auto full = std::find_if(
      run.resources.begin(), run.resources.end(), [&asked](const ResourceResult& resource) {
        return UsesTable(asked, resource.table) && !resource.full_collections.empty();
      });
  return full == run.resources.end() ? nullptr : &*full;
}

Bottleneck FindBottleneck(const RunResult& run, const AccessResult& access) {
  const auto at = static_cast<size_t>(&access - run.accesses.data());
  const Access& asked = run.experiment.accesses[at];
  const auto limit = static_cast<size_t>(
      std::max_element(access.limits.begin(), access.limits.end()) - access.limits.begin());
  Bottleneck bottleneck;
  bottleneck.limit = static_cast<ThroughputLimit>(limit);
  uint64_t most = 0;
  for (const ResourceResult& resource : run.resources) {
    for (const AccessKind kind : {AccessKind::kRead, AccessKind::kWrite}) {
      const bool is_read = kind == AccessKind::kRead;
      const bool does =
          is_read ? !IsWrite(asked.operation) : IsWrite(asked.operation) || asked.then.has_value();
      if (!UsesTable(asked, resource.table) || !does) continue;
      if (is_read && resource.index != asked.index) continue;
      const uint64_t count = resource.throttled[kind][limit];
      if (bottleneck.resource != nullptr && count <= most) continue;
      bottleneck.resource = &resource;
      bottleneck.kind = kind;
      most = count;
    }
  }
  return bottleneck;
}

bool SpreadsKeysOf(const Access& access, const Experiment& experiment,
                   const ResourceResult& resource, const OpenMember& shards) {
  const size_t at = resource.table;
  const std::optional<size_t> index = resource.index;
  if (shards.kind == OpenMember::Kind::kIndexShards) {
    return shards.table == at && shards.index == index;
  }
  const TableDesign& table = experiment.tables[at];
  const std::string& attribute =
      index ? table.indexes[*index].partition_key.attribute : table.partition_key.attribute;
  const absl::Span<const Access> parts = ListParts(access);
  return std::any_of(parts.begin(), parts.end(), [&](const Access& part) {
    const auto given = part.key.find(attribute);
    return part.table == at && given != part.key.end() && given->second == shards.source;
  });
}

bool SpreadsKeys(const Experiment& experiment, const ResourceResult& resource,
                 const OpenMember& shards) {
  if (shards.kind == OpenMember::Kind::kIndexShards) {
    return shards.table == resource.table && shards.index == resource.index;
  }
  return std::any_of(
      experiment.accesses.begin(), experiment.accesses.end(),
      [&](const Access& access) { return SpreadsKeysOf(access, experiment, resource, shards); });
}

bool ServesAsExpected(const RunResult& run) {
  const std::vector<CheckedExpectation> checked = CheckService(run);
  return std::all_of(checked.begin(), checked.end(),
                     [](const CheckedExpectation& each) { return each.is_met; });
}

std::string WhyNotServed(const RunResult& run) {
  std::string why;
  for (const CheckedExpectation& each : CheckService(run)) {
    if (each.is_met) continue;
    why += each.sentence;
    if (why.ends_with('.')) why.pop_back();
    why += "; ";
  }
  why += WhyDenied(run);
  if (why.ends_with("; ")) why.resize(why.size() - 2);
  return why;
}

}  // namespace dynolith::lab
