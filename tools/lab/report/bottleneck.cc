#include "tools/lab/report/bottleneck.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "tools/lab/load/key_generator.h"
#include "tools/lab/report/messages.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {
namespace {

// The part of the warm throughput from which on this limit throttles a table, and not a partition.
constexpr double kNearlyAll = 0.9;
// A key with this part of the throttles is the reason.
constexpr double kMostOfThem = 0.5;

size_t PartitionAt(const std::vector<double>& begins, double position) {
  const auto next = std::upper_bound(begins.begin(), begins.end(), position);
  return static_cast<size_t>(std::max<std::ptrdiff_t>(1, next - begins.begin())) - 1;
}

// The partition with the most throttles, by its hashes.
std::string PartitionText(const ResourceResult& resource, std::string_view limit) {
  const HeatMap& heat = resource.heat;
  const std::vector<double>& begins = resource.partition_begins;
  if (begins.empty()) return messages::LabPartitionsMet(resource.name, limit);
  std::vector<double> throttled(begins.size());
  for (size_t i = 0; i < heat.cells.size(); ++i) {
    const double position =
        (static_cast<double>(i % heat.buckets) + 0.5) / static_cast<double>(heat.buckets);
    throttled[PartitionAt(begins, position)] += static_cast<double>(heat.cells[i].throttled);
  }
  const auto most =
      static_cast<size_t>(std::max_element(throttled.begin(), throttled.end()) - throttled.begin());
  return messages::LabPartitionMet(most + 1, begins.size(), resource.name, PartText(begins[most]),
                                   PartText(most + 1 < begins.size() ? begins[most + 1] : 1),
                                   limit);
}

// The number of shards of the keys of a table or an index.
int64_t ShardsAt(const Experiment& experiment, const Bottleneck& bottleneck, const KeyPart& key) {
  const TableDesign& table = experiment.tables[bottleneck.resource->table];
  const std::optional<size_t> index = bottleneck.resource->index;
  if (index && table.indexes[*index].shards > 1) return table.indexes[*index].shards;
  for (const Access& access : experiment.accesses) {
    for (const Access& part : ListParts(access)) {
      const auto given = part.key.find(key.attribute);
      if (part.table != bottleneck.resource->table || given == part.key.end()) continue;
      return experiment.sources[given->second].shards;
    }
  }
  return 1;
}

// If the hottest key is a shard: how many more of its shards its partition has.
std::string TogetherText(const RunResult& run, const Bottleneck& bottleneck,
                         const HotKey& hottest) {
  const TableDesign& table = run.experiment.tables[bottleneck.resource->table];
  const std::optional<size_t> index = bottleneck.resource->index;
  const KeyPart& key = index ? table.indexes[*index].partition_key : table.partition_key;
  const int64_t shards = ShardsAt(run.experiment, bottleneck, key);
  const std::vector<double>& begins = bottleneck.resource->partition_begins;
  const size_t dot = hottest.key.rfind('.');
  if (shards == 1 || begins.empty() || dot == std::string::npos) return "";
  const std::string whole = hottest.key.substr(0, dot);
  const size_t partition = PartitionAt(begins, hottest.position);
  int64_t together = 0;
  for (int64_t i = 1; i <= shards; ++i) {
    const uint64_t hash = HashInPlacement(HashPartition(key.type, Concat(whole, ".", i)),
                                          run.experiment.trial.placement);
    if (PartitionAt(begins, static_cast<double>(hash) * 0x1p-64) == partition) ++together;
  }
  return together > 1 ? messages::LabShardsTogether(together, shards, whole) : "";
}

// The part of the throttles of all limits, since a key's throttles are not counted by limit.
double PartOfThrottles(const Bottleneck& bottleneck, const HotKey& key) {
  uint64_t all = 0;
  for (const uint64_t count : bottleneck.resource->throttled[bottleneck.kind]) all += count;
  return all == 0 ? 0
                  : static_cast<double>(key.throttled[bottleneck.kind]) / static_cast<double>(all);
}

std::string KeyRangeText(const RunResult& run, const Bottleneck& bottleneck) {
  const ResourceResult& resource = *bottleneck.resource;
  const Throughput& given = run.given_to(resource);
  const double capacity =
      resource.moments[WhenThrottled(bottleneck).first].capacity[bottleneck.kind];
  const bool is_write = bottleneck.kind == AccessKind::kWrite;
  if (IsWarmLimit(run, resource, bottleneck.kind)) {
    return messages::LabWasWarmFor(resource.name, UnitsText(run, capacity, bottleneck.kind));
  }
  const auto limit = static_cast<double>(is_write ? kPartitionWriteUnits : kPartitionReadUnits);
  const bool divides = !given.on_demand && run.experiment.admission != Admission::kGlobal;
  const std::string most = divides ? messages::LabShare(UnitsText(run, capacity, bottleneck.kind))
                                   : UnitsText(run, limit, bottleneck.kind);
  const HotKey* const key = MostThrottledKey(bottleneck);
  if (key == nullptr || resource.is_even) return PartitionText(resource, most);
  const std::string part = PartText(PartOfThrottles(bottleneck, *key));
  const std::string text =
      IsOneKey(bottleneck)
          ? messages::LabKeyMet(key->key, resource.name, part, most)
          : PartitionText(resource, most) + messages::LabMostThrottledKey(key->key, part);
  return text + TogetherText(run, bottleneck, *key);
}

std::string ProvisionedText(const RunResult& run, const Bottleneck& bottleneck) {
  const ResourceResult& resource = *bottleneck.resource;
  const double units = resource.moments[WhenThrottled(bottleneck).first].capacity[bottleneck.kind];
  const bool is_scaled = run.given_to(resource).auto_scaling.rules[bottleneck.kind].has_value();
  const std::string had = UnitsText(run, units, bottleneck.kind);
  if (is_scaled && IsScaledToMaximum(run, bottleneck)) {
    const auto most =
        static_cast<double>(run.given_to(resource).auto_scaling.rules[bottleneck.kind]->maximum);
    return messages::LabScaledToMaximum(resource.name, UnitsText(run, most, bottleneck.kind));
  }
  if (is_scaled) return messages::LabScaledLate(resource.name, had);
  return messages::LabUsedUp(resource.name, had, run.experiment.trial.saves);
}

}  // namespace

Episode WhenThrottled(const Bottleneck& bottleneck) {
  Episode episode;
  const std::vector<ResourceMoment>& moments = bottleneck.resource->moments;
  bool is_begun = false;
  for (size_t i = 0; i < moments.size(); ++i) {
    if (moments[i].throttled[bottleneck.kind][static_cast<size_t>(bottleneck.limit)] == 0) continue;
    if (!is_begun) episode.first = i;
    is_begun = true;
    episode.last = i;
  }
  return episode;
}

bool IsScaledToMaximum(const RunResult& run, const Bottleneck& bottleneck) {
  const std::optional<ScalingRule>& rule =
      run.given_to(*bottleneck.resource).auto_scaling.rules[bottleneck.kind];
  if (!rule) return false;
  uint64_t at_maximum = 0;
  for (const ResourceMoment& moment : bottleneck.resource->moments) {
    if (std::llround(moment.capacity[bottleneck.kind]) < rule->maximum) continue;
    at_maximum += moment.throttled[bottleneck.kind][static_cast<size_t>(bottleneck.limit)];
  }
  return static_cast<double>(at_maximum) >=
         kMostOfThem * static_cast<double>(bottleneck.throttled());
}

std::string WhatWasMet(const RunResult& run, const Bottleneck& bottleneck) {
  switch (bottleneck.limit) {
    case ThroughputLimit::kProvisionedThroughput:
      return ProvisionedText(run, bottleneck);
    case ThroughputLimit::kKeyRange:
      return KeyRangeText(run, bottleneck);
    case ThroughputLimit::kMaxOnDemand:
      return messages::LabOwnMaximum(bottleneck.resource->name);
    case ThroughputLimit::kAccount:
      return messages::LabQuota(
          bottleneck.resource->name,
          UnitsText(run, static_cast<double>(run.experiment.table_quota[bottleneck.kind]),
                    bottleneck.kind));
  }
  return "";
}

const HotKey* MostThrottledKey(const Bottleneck& bottleneck) {
  const std::vector<HotKey>& keys = bottleneck.resource->hottest;
  const AccessKind kind = bottleneck.kind;
  const auto most =
      std::max_element(keys.begin(), keys.end(), [kind](const HotKey& left, const HotKey& right) {
        return left.throttled[kind] < right.throttled[kind];
      });
  return most == keys.end() || most->throttled[kind] == 0 ? nullptr : &*most;
}

bool IsOneKey(const Bottleneck& bottleneck) {
  const HotKey* const key = MostThrottledKey(bottleneck);
  return key != nullptr && PartOfThrottles(bottleneck, *key) >= kMostOfThem;
}

std::string WhichAreFull(const ResourceResult& table) {
  return messages::LabFullCollections(table.full_collections.size(),
                                      table.full_collections.front().key);
}

std::string WhenText(const RunResult& run, const Episode& episode) {
  const auto begin = static_cast<Micros>(episode.first) * run.interval;
  const auto end = static_cast<Micros>(episode.last + 1) * run.interval;
  // Throttling until the last hundredth of the run would have continued.
  return end >= run.simulated - run.simulated / 100
             ? messages::LabFromOn(ClockText(begin))
             : messages::LabFromTo(ClockText(begin), ClockText(end));
}

std::string UnitsText(const RunResult& run, double units, AccessKind kind) {
  const double part = run.experiment.trial.utilization;
  const std::string text =
      part < 1 ? messages::LabPart(FigureText(units * part), FigureText(units)) : FigureText(units);
  return messages::LabUnits(text, kind == AccessKind::kWrite);
}

bool IsWarmLimit(const RunResult& run, const ResourceResult& resource, AccessKind kind) {
  if (!run.given_to(resource).on_demand) return false;
  const auto limit = static_cast<size_t>(ThroughputLimit::kKeyRange);
  const double seconds = static_cast<double>(run.interval) / static_cast<double>(kSecond);
  uint64_t all = 0;
  uint64_t at_limit = 0;
  for (const ResourceMoment& moment : resource.moments) {
    // A measured run does not have the warm throughput.
    if (moment.capacity[kind] <= 0) continue;
    const double may_be = moment.capacity[kind] * run.experiment.trial.utilization;
    all += moment.throttled[kind][limit];
    if (moment.units[kind] / seconds >= kNearlyAll * may_be)
      at_limit += moment.throttled[kind][limit];
  }
  return at_limit > 0 && static_cast<double>(at_limit) >= kMostOfThem * static_cast<double>(all);
}

}  // namespace dynolith::lab
