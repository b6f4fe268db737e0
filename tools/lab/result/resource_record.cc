#include "tools/lab/result/resource_record.h"

#include <algorithm>
#include <utility>

#include "engine/base/strings.h"

namespace dynolith::lab {
namespace {

constexpr AccessKind kRecordKinds[] = {AccessKind::kRead, AccessKind::kWrite};
constexpr Micros kHeatSlots = 400;
constexpr size_t kHottestKeys = 20;
// Longer runs have moments of a minute.
constexpr Micros kFineDuration = 2 * 60 * kMinute;

}  // namespace

RunIntervals::RunIntervals(Micros duration)
    : moment(duration <= kFineDuration ? kSecond : kMinute) {
  const Micros intervals = (duration + moment - 1) / moment;
  heat_slot = moment * ((intervals + kHeatSlots - 1) / kHeatSlots);
}

ResourceRecord::ResourceRecord(const Experiment& experiment, const ResourceDesign& design,
                               const RunIntervals& intervals, size_t partitions)
    : weight_(static_cast<double>(experiment.sample)), duration_(experiment.duration) {
  const TableDesign& table = experiment.tables[design.table];
  result_.name =
      design.index ? Concat(table.name, "/", table.indexes[*design.index].name) : table.name;
  result_.table = design.table;
  result_.index = design.index;
  result_.partitions_at_start = partitions;
  result_.moments.reserve(static_cast<size_t>(experiment.duration / intervals.moment) + 1);
  result_.heat.slot = intervals.heat_slot;
  result_.heat.buckets = kHeatBuckets;
  BeginHeatSlot();
}

void ResourceRecord::BeginHeatSlot() {
  HeatMap& heat = result_.heat;
  heat.cells.resize(heat.cells.size() + heat.buckets);
}

void ResourceRecord::Count(const LabUse& use, double units) {
  moment_.units[use.kind] += units * weight_;
  ++served_[use.kind];
  HeatMap::Cell& cell = FindCell(use);
  cell.operations += static_cast<float>(weight_);
  cell.units += static_cast<float>(units * weight_);
  cell.bytes += static_cast<double>(use.bytes) * weight_;
  if (use.texts == nullptr) return;
  KeyCounts::Count& key = keys_.Of(use);
  ++key.operations;
  key.units[use.kind] += units;
}

void ResourceRecord::CountThrottle(const LabUse& use, std::optional<ThroughputLimit> limit) {
  if (limit)
    moment_.throttled[use.kind][static_cast<size_t>(*limit)] += static_cast<uint64_t>(weight_);
  FindCell(use).throttled += static_cast<float>(weight_);
  if (use.texts != nullptr) ++keys_.Of(use).throttled[use.kind];
}

void ResourceRecord::CloseSecond(Micros now) {
  if (now % result_.heat.slot == 0 && now < duration_) BeginHeatSlot();
}

void ResourceRecord::CloseInterval(Micros now, const ResourceMoment& state) {
  for (const AccessKind kind : kRecordKinds) {
    result_.units[kind] += moment_.units[kind];
    in_minute_[kind] += moment_.units[kind];
    for (size_t i = 0; i < kThroughputLimits; ++i) {
      result_.throttled[kind][i] += moment_.throttled[kind][i];
    }
    if (now % kMinute != 0) continue;
    result_.peak_minute[kind] = std::max(result_.peak_minute[kind], in_minute_[kind] / 60);
    in_minute_[kind] = 0;
  }
  moment_.capacity = state.capacity;
  moment_.partitions = state.partitions;
  moment_.bytes = state.bytes;
  result_.moments.push_back(std::exchange(moment_, {}));
}

ResourceResult ResourceRecord::Finish() {
  // In a run of less than a minute, the run itself is the busiest minute.
  for (const AccessKind kind : kRecordKinds) {
    if (result_.peak_minute[kind] > 0 || result_.moments.empty()) continue;
    result_.peak_minute[kind] = result_.units[kind] / static_cast<double>(result_.moments.size());
  }
  const auto weight = static_cast<uint64_t>(weight_);
  result_.served = {served_.read * weight, served_.write * weight};
  result_.hottest = keys_.Hottest(kHottestKeys, weight);
  result_.is_even = keys_.IsEven(kHottestKeys);
  return std::move(result_);
}

}  // namespace dynolith::lab
