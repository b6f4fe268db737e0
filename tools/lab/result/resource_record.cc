#include "tools/lab/result/resource_record.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "engine/base/strings.h"

namespace dynolith::lab {
namespace {

constexpr AccessKind kRecordKinds[] = {AccessKind::kRead, AccessKind::kWrite};
constexpr Micros kHeatSlots = 400;
constexpr size_t kHottestKeys = 20;
// By chance, hardly one of a million counts is this many standard deviations above the mean.
constexpr double kDeviations = 5;
// Longer runs have moments of a minute.
constexpr Micros kFineDuration = 2 * 60 * kMinute;

}  // namespace

RunIntervals::RunIntervals(Micros duration)
    : moment(duration <= kFineDuration ? kSecond : kMinute) {
  const Micros intervals = (duration + moment - 1) / moment;
  heat_slot = moment * ((intervals + kHeatSlots - 1) / kHeatSlots);
}

// --- KeyCounts

KeyCounts::Count& KeyCounts::Of(const LabUse& use) {
  if (counts_.size() >= kKeysMax) Forget();
  return counts_.try_emplace(use.position.hash(), use.key, use.texts).first->second;
}

void KeyCounts::Forget() {
  for (uint64_t least = 1; counts_.size() > kKeysMax / 2; least *= 2) {
    absl::erase_if(counts_, [&](const auto& entry) {
      const uint64_t attempts = entry.second.attempts();
      if (attempts <= least) forgotten_ += attempts;
      return attempts <= least;
    });
  }
}

std::vector<HotKey> KeyCounts::Hottest(size_t count, uint64_t weight) const {
  std::vector<std::pair<uint64_t, const Count*>> all;
  all.reserve(counts_.size());
  for (const auto& [hash, key] : counts_) all.emplace_back(hash, &key);
  const size_t most = std::min(count, all.size());
  const auto rank = [](const auto& entry) {
    const Count& key = *entry.second;
    return std::tuple(-PartitionSeconds(key.units),
                      -static_cast<int64_t>(key.throttled.read + key.throttled.write), entry.first);
  };
  std::partial_sort(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most), all.end(),
      [&rank](const auto& left, const auto& right) { return rank(left) < rank(right); });
  std::vector<HotKey> hottest;
  hottest.reserve(most);
  for (size_t i = 0; i < most; ++i) {
    const Count& key = *all[i].second;
    hottest.push_back({.key = key.texts->ToText(key.key),
                       .position = static_cast<double>(all[i].first >> 32) * 0x1p-32,
                       .operations = key.operations * weight,
                       .throttled = {key.throttled.read * weight, key.throttled.write * weight},
                       .units = {key.units.read * static_cast<double>(weight),
                                 key.units.write * static_cast<double>(weight)}});
  }
  return hottest;
}

bool KeyCounts::IsEven(size_t count) const {
  if (counts_.size() <= count) return false;
  const auto is_chance = [this](uint64_t others, const auto& of) {
    uint64_t all = others;
    uint64_t most = 0;
    for (const auto& [hash, key] : counts_) {
      all += of(key);
      most = std::max(most, of(key));
    }
    // If keys were dropped there are at least this many.
    const size_t keys = forgotten_ > 0 ? kKeysMax : counts_.size();
    const double mean = static_cast<double>(all) / static_cast<double>(keys);
    return static_cast<double>(most) <= mean + kDeviations * std::sqrt(mean) + 1;
  };
  return is_chance(forgotten_, [](const Count& key) { return key.attempts(); }) &&
         is_chance(0, [](const Count& key) { return key.throttled.read + key.throttled.write; });
}

// --- ResourceRecord

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

HeatMap::Cell& ResourceRecord::FindCell(const LabUse& use) {
  HeatMap& heat = result_.heat;
  const size_t bucket = ((use.position.hash() >> 32) * heat.buckets) >> 32;
  return heat.cells[heat.cells.size() - heat.buckets + bucket];
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
