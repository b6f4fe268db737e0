#include "tools/lab/advise/explanation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "tools/lab/advise/messages.h"
#include "tools/lab/load/key_generator.h"
#include "tools/lab/report/figures_text.h"

namespace dynolith::lab {
namespace {

// From so much of what a table was warm for on, that is what throttles it and not a partition.
constexpr double kNearlyAll = 0.9;
// A key with so much of the throttles is the reason.
constexpr double kMostOfThem = 0.5;

const Throughput& GivenTo(const RunResult& run, const ResourceResult& resource) {
  const TableDesign& table = run.experiment.tables[resource.table];
  return resource.index ? table.indexes[*resource.index].throughput : table.throughput;
}

// With what of them may be taken: "700 of 1,000 write units a second".
std::string UnitsText(const RunResult& run, double units, AccessKind kind) {
  const double part = run.experiment.trial.utilization;
  const std::string text = part < 1
                               ? messages::AdvicePartOf(FigureText(units * part), FigureText(units))
                               : FigureText(units);
  return messages::AdviceUnits(text, kind == AccessKind::kWrite);
}

struct Episode {
  size_t first = 0;  // moment
  size_t last = 0;
};

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

std::string WhenText(const RunResult& run, const Bottleneck& bottleneck) {
  const Episode episode = WhenThrottled(bottleneck);
  const auto begin = static_cast<Micros>(episode.first) * run.interval;
  const auto end = static_cast<Micros>(episode.last + 1) * run.interval;
  // What lasts until the last hundredth would have gone on.
  return end >= run.simulated - run.simulated / 100
             ? messages::AdviceFromOn(ClockText(begin))
             : messages::AdviceFromTo(ClockText(begin), ClockText(end));
}

size_t PartitionAt(const std::vector<double>& begins, double position) {
  const auto next = std::upper_bound(begins.begin(), begins.end(), position);
  return static_cast<size_t>(std::max<std::ptrdiff_t>(1, next - begins.begin())) - 1;
}

// The partition with the most throttles, by its hashes.
std::string PartitionText(const ResourceResult& resource, std::string_view limit) {
  const HeatMap& heat = resource.heat;
  const std::vector<double>& begins = resource.partition_begins;
  if (begins.empty()) return "";
  std::vector<double> throttled(begins.size());
  for (size_t i = 0; i < heat.cells.size(); ++i) {
    const double position =
        (static_cast<double>(i % heat.buckets) + 0.5) / static_cast<double>(heat.buckets);
    throttled[PartitionAt(begins, position)] += static_cast<double>(heat.cells[i].throttled);
  }
  const auto most =
      static_cast<size_t>(std::max_element(throttled.begin(), throttled.end()) - throttled.begin());
  return messages::AdvicePartition(most + 1, begins.size(), resource.name, PartText(begins[most]),
                                   PartText(most + 1 < begins.size() ? begins[most + 1] : 1),
                                   limit);
}

// How many shards the keys of a table or an index have.
int64_t ShardsAt(const Experiment& experiment, const Bottleneck& bottleneck, const KeyPart& key) {
  const TableDesign& table = experiment.tables[bottleneck.resource->table];
  const std::optional<size_t> index = bottleneck.resource->index;
  if (index && table.indexes[*index].shards > 1) return table.indexes[*index].shards;
  for (const Access& access : experiment.accesses) {
    const auto given = access.key.find(key.attribute);
    if (access.table != bottleneck.resource->table || given == access.key.end()) continue;
    return experiment.sources[given->second].shards;
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
    const uint64_t hash = HashInPlacement(PartitionHashOf(key.type, Concat(whole, ".", i)),
                                          run.experiment.trial.placement);
    if (PartitionAt(begins, static_cast<double>(hash) * 0x1p-64) == partition) ++together;
  }
  return together > 1 ? messages::AdviceTogether(together, shards, whole) : "";
}

std::string KeyRangeText(const RunResult& run, const Bottleneck& bottleneck) {
  const ResourceResult& resource = *bottleneck.resource;
  const Throughput& given = GivenTo(run, resource);
  const double capacity =
      resource.moments[WhenThrottled(bottleneck).first].capacity[bottleneck.kind];
  const bool is_write = bottleneck.kind == AccessKind::kWrite;
  if (IsWarmLimit(run, resource, bottleneck.kind)) {
    return messages::AdviceWarm(resource.name, UnitsText(run, capacity, bottleneck.kind));
  }
  const auto limit = static_cast<double>(is_write ? kPartitionWriteUnits : kPartitionReadUnits);
  const bool divides = !given.on_demand && run.experiment.admission != Admission::kGlobal;
  const std::string most = divides
                               ? messages::AdviceShare(UnitsText(run, capacity, bottleneck.kind))
                               : UnitsText(run, limit, bottleneck.kind);
  uint64_t all = 0;
  for (const uint64_t count : resource.throttled.read) all += count;
  for (const uint64_t count : resource.throttled.write) all += count;
  const auto hottest = std::max_element(
      resource.hottest.begin(), resource.hottest.end(),
      [](const HotKey& left, const HotKey& right) { return left.throttled < right.throttled; });
  if (hottest == resource.hottest.end() || all == 0) return PartitionText(resource, most);
  const double part = static_cast<double>(hottest->throttled) / static_cast<double>(all);
  const std::string text =
      part >= kMostOfThem ? messages::AdviceKey(hottest->key, resource.name, PartText(part), most)
                          : PartitionText(resource, most) +
                                messages::AdviceHottestKey(hottest->key, PartText(part));
  return text + TogetherText(run, bottleneck, *hottest);
}

std::string ProvisionedText(const RunResult& run, const Bottleneck& bottleneck) {
  const ResourceResult& resource = *bottleneck.resource;
  const double units = resource.moments[WhenThrottled(bottleneck).first].capacity[bottleneck.kind];
  const bool is_scaled = GivenTo(run, resource).auto_scaling.rules[bottleneck.kind].has_value();
  const std::string had = UnitsText(run, units, bottleneck.kind);
  if (is_scaled) return messages::AdviceScaledLate(resource.name, had);
  return messages::AdviceUsedUp(resource.name, had, run.experiment.trial.saves);
}

std::string LimitText(const RunResult& run, const Bottleneck& bottleneck) {
  switch (bottleneck.limit) {
    case ThroughputLimit::kProvisionedThroughput:
      return ProvisionedText(run, bottleneck);
    case ThroughputLimit::kKeyRange:
      return KeyRangeText(run, bottleneck);
    case ThroughputLimit::kMaxOnDemand:
      return messages::AdviceOwnMaximum(bottleneck.resource->name);
    case ThroughputLimit::kAccount:
      return messages::AdviceQuota(bottleneck.resource->name);
  }
  return "";
}

}  // namespace

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

bool IsWarmLimit(const RunResult& run, const ResourceResult& resource, AccessKind kind) {
  if (!GivenTo(run, resource).on_demand) return false;
  const auto limit = static_cast<size_t>(ThroughputLimit::kKeyRange);
  const double seconds = static_cast<double>(run.interval) / static_cast<double>(kSecond);
  for (const ResourceMoment& moment : resource.moments) {
    if (moment.throttled[kind][limit] == 0) continue;
    const double may_be = moment.capacity[kind] * run.experiment.trial.utilization;
    return moment.units[kind] / seconds >= kNearlyAll * may_be;
  }
  return false;
}

bool SpreadsWhatIsHot(const Experiment& experiment, const Bottleneck& bottleneck,
                      const OpenMember& shards) {
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
                             WhenText(run, bottleneck), LimitText(run, bottleneck));
}

}  // namespace dynolith::lab
