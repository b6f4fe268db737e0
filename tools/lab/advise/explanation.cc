#include "tools/lab/advise/explanation.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "engine/base/limits.h"
#include "tools/lab/advise/messages.h"
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

std::string UnitsText(double units, AccessKind kind) {
  return messages::AdviceUnits(FigureText(units), kind == AccessKind::kWrite);
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

// The partition with the most throttles, by its hashes.
std::string PartitionText(const ResourceResult& resource, std::string_view limit) {
  const HeatMap& heat = resource.heat;
  const std::vector<double>& begins = resource.partition_begins;
  if (begins.empty()) return "";
  std::vector<double> throttled(begins.size());
  for (size_t i = 0; i < heat.cells.size(); ++i) {
    const double position =
        (static_cast<double>(i % heat.buckets) + 0.5) / static_cast<double>(heat.buckets);
    const auto next = std::upper_bound(begins.begin(), begins.end(), position);
    throttled[static_cast<size_t>(next - begins.begin()) - 1] +=
        static_cast<double>(heat.cells[i].throttled);
  }
  const auto most =
      static_cast<size_t>(std::max_element(throttled.begin(), throttled.end()) - throttled.begin());
  return messages::AdvicePartition(most + 1, begins.size(), resource.name, PartText(begins[most]),
                                   PartText(most + 1 < begins.size() ? begins[most + 1] : 1),
                                   limit);
}

std::string KeyRangeText(const RunResult& run, const Bottleneck& bottleneck) {
  const ResourceResult& resource = *bottleneck.resource;
  const Throughput& given = GivenTo(run, resource);
  const Episode episode = WhenThrottled(bottleneck);
  const ResourceMoment& moment = resource.moments[episode.first];
  const double capacity = moment.capacity[bottleneck.kind];
  const double seconds = static_cast<double>(run.interval) / static_cast<double>(kSecond);
  const bool is_write = bottleneck.kind == AccessKind::kWrite;
  if (given.on_demand && moment.units[bottleneck.kind] / seconds >= kNearlyAll * capacity) {
    return messages::AdviceWarm(resource.name, UnitsText(capacity, bottleneck.kind));
  }
  const auto limit = static_cast<double>(is_write ? kPartitionWriteUnits : kPartitionReadUnits);
  const bool divides = !given.on_demand && run.experiment.admission != Admission::kGlobal;
  const std::string most = divides ? messages::AdviceShare(UnitsText(capacity, bottleneck.kind))
                                   : UnitsText(limit, bottleneck.kind);
  uint64_t all = 0;
  for (const uint64_t count : resource.throttled.read) all += count;
  for (const uint64_t count : resource.throttled.write) all += count;
  const auto hottest = std::max_element(
      resource.hottest.begin(), resource.hottest.end(),
      [](const HotKey& left, const HotKey& right) { return left.throttled < right.throttled; });
  if (hottest == resource.hottest.end() || all == 0) return PartitionText(resource, most);
  const double part = static_cast<double>(hottest->throttled) / static_cast<double>(all);
  return part >= kMostOfThem
             ? messages::AdviceKey(hottest->key, resource.name, PartText(part), most)
             : PartitionText(resource, most) +
                   messages::AdviceHottestKey(hottest->key, PartText(part));
}

std::string ProvisionedText(const RunResult& run, const Bottleneck& bottleneck) {
  const ResourceResult& resource = *bottleneck.resource;
  const double units = resource.moments[WhenThrottled(bottleneck).first].capacity[bottleneck.kind];
  const bool is_scaled = GivenTo(run, resource).auto_scaling.rules[bottleneck.kind].has_value();
  return is_scaled ? messages::AdviceScaledLate(resource.name, UnitsText(units, bottleneck.kind))
                   : messages::AdviceUsedUp(resource.name, UnitsText(units, bottleneck.kind));
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
  bottleneck.kind = IsWrite(asked.operation) ? AccessKind::kWrite : AccessKind::kRead;
  uint64_t most = 0;
  for (const ResourceResult& resource : run.resources) {
    if (resource.table != asked.table) continue;
    if (bottleneck.kind == AccessKind::kRead && resource.index != asked.index) continue;
    const uint64_t count = resource.throttled[bottleneck.kind][limit];
    if (bottleneck.resource != nullptr && count <= most) continue;
    bottleneck.resource = &resource;
    most = count;
  }
  return bottleneck;
}

std::string WhyThrottled(const RunResult& run) {
  const AccessResult* const worst = MostThrottled(run);
  if (worst == nullptr || worst->total.throttled == 0) return "";
  const Bottleneck bottleneck = FindBottleneck(run, *worst);
  return messages::AdviceWhy(PartText(ThrottledPart(*worst)), worst->name,
                             WhenText(run, bottleneck), LimitText(run, bottleneck));
}

}  // namespace dynolith::lab
