#include "tools/lab/advise/explanation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tools/lab/advise/messages.h"
#include "tools/lab/report/figures_text.h"

namespace dynolith::lab {
double ThrottledPart(const AccessResult& access) {
  const uint64_t attempts = access.total.served + access.total.throttled;
  return attempts == 0
             ? 0
             : static_cast<double>(access.total.throttled) / static_cast<double>(attempts);
}

const AccessResult* MostThrottled(const RunResult& run) {
  const auto worst = std::max_element(run.accesses.begin(), run.accesses.end(),
                                      [](const AccessResult& left, const AccessResult& right) {
                                        return ThrottledPart(left) < ThrottledPart(right);
                                      });
  return worst == run.accesses.end() ? nullptr : &*worst;
}

double WorstThrottledPart(const RunResult& run) {
  const AccessResult* const worst = MostThrottled(run);
  return worst == nullptr ? 0 : ThrottledPart(*worst);
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
      if (resource.table != asked.table || !does) continue;
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

bool SpreadsWhatIsHot(const Experiment& experiment, const Bottleneck& bottleneck,
                      const OpenMember& shards) {
  if (bottleneck.resource == nullptr) return false;
  const size_t at = bottleneck.resource->table;
  const std::optional<size_t> index = bottleneck.resource->index;
  if (shards.kind == OpenMember::Kind::kIndexShards) {
    return shards.table == at && shards.index == index;
  }
  const TableDesign& table = experiment.tables[at];
  const std::string& attribute =
      index ? table.indexes[*index].partition_key.attribute : table.partition_key.attribute;
  return std::any_of(
      experiment.accesses.begin(), experiment.accesses.end(), [&](const Access& access) {
        const auto given = access.key.find(attribute);
        return access.table == at && given != access.key.end() && given->second == shards.source;
      });
}

std::string WhyThrottled(const RunResult& run) {
  const AccessResult* const worst = MostThrottled(run);
  if (worst == nullptr || worst->total.throttled == 0) return "";
  const Bottleneck bottleneck = FindBottleneck(run, *worst);
  return messages::AdviceWhy(PartText(ThrottledPart(*worst)), worst->name,
                             WhenText(run, WhenThrottled(bottleneck)), WhatWasMet(run, bottleneck));
}

}  // namespace dynolith::lab
