#include "tools/lab/simulated_resource.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/base/big_endian.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"

namespace dynolith::lab {
namespace {

constexpr AccessKind kBothKinds[] = {AccessKind::kRead, AccessKind::kWrite};
constexpr size_t kHeatBuckets = 1'000;
constexpr size_t kHottestKeys = 20;

const Throughput& ThroughputOf(const TableDesign& table, std::optional<size_t> index) {
  return index ? table.indexes[*index].throughput : table.throughput;
}

TableRates RatesOf(const Throughput& throughput) {
  TableRates rates;
  rates.on_demand = throughput.on_demand;
  const PerKind<int64_t> least = {kOnDemandInitialReadUnits, kOnDemandInitialWriteUnits};
  for (const AccessKind kind : kBothKinds) {
    rates.units[kind] = throughput.on_demand
                            ? std::max(least[kind], throughput.warm[kind].value_or(0))
                            : throughput.units[kind].value_or(1);
  }
  rates.maximum = throughput.maximum;
  return rates;
}

// A table's partitions at the start, as many as its units and its bytes need
// (api/facts/capacity.md §3).
ThroughputState StateOf(const CapacitySettings& settings, const Throughput& throughput,
                        int64_t bytes) {
  const TableRates rates = RatesOf(throughput);
  const int for_units = PartitionsFor(rates.on_demand ? PerKind<int64_t>() : rates.units,
                                      rates.units, settings.partition_units);
  // With some room: full ones would all split at once.
  const int64_t for_bytes = bytes / settings.partition_bytes + 1;
  const int64_t count = throughput.partitions.value_or(std::max<int64_t>(for_units, for_bytes));
  ThroughputState state{PartitionMap(static_cast<int>(std::min(count, kLabPartitionsMax))),
                        rates.units};
  for (size_t i = 0; i < state.partitions.size(); ++i) {
    const auto part = static_cast<double>(bytes) / static_cast<double>(state.partitions.size());
    state.partitions.AddBytes(i, static_cast<int64_t>(part * settings.scale));
  }
  return state;
}

int64_t BytesAtStart(const TableDesign& table, std::optional<size_t> index) {
  if (!index || table.indexes[*index].entry_bytes == 0) return table.bytes;
  return static_cast<int64_t>(static_cast<double>(table.bytes) / table.item.mean() *
                              static_cast<double>(table.indexes[*index].entry_bytes));
}

CapacitySettings SettingsOf(CapacitySettings settings, const TableDesign& table,
                            std::optional<size_t> index) {
  // Local indexes keep a collection on one partition.
  if (table.local_indexes > 0 && !index) settings.split.within_collections = false;
  return settings;
}

double UnitsOf(Tokens tokens) {
  return static_cast<double>(tokens) / static_cast<double>(kTokensPerUnit);
}

}  // namespace

void LabPosition::Append(uint64_t number) {
  StoreBigEndian(number, bytes_.data() + size_);
  size_ += sizeof(number);
}

// --- KeyCounts

KeyCounts::Count& KeyCounts::Of(const LabUse& use) {
  if (counts_.size() >= kKeysMax) Forget();
  return counts_.try_emplace(use.position.hash(), Count{use.key, use.texts}).first->second;
}

void KeyCounts::Forget() {
  for (uint64_t least = 1; counts_.size() > kKeysMax / 2; least *= 2) {
    absl::erase_if(counts_, [least](const auto& entry) {
      return entry.second.operations + entry.second.throttled <= least;
    });
  }
}

std::vector<HotKey> KeyCounts::Hottest(size_t count, uint64_t weight) const {
  std::vector<std::pair<uint64_t, const Count*>> all;
  all.reserve(counts_.size());
  for (const auto& [hash, key] : counts_) all.emplace_back(hash, &key);
  const size_t most = std::min(count, all.size());
  const auto rank = [](const auto& entry) {
    return std::tuple(-entry.second->tokens, -static_cast<int64_t>(entry.second->throttled),
                      entry.first);
  };
  std::partial_sort(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most), all.end(),
      [&rank](const auto& left, const auto& right) { return rank(left) < rank(right); });
  std::vector<HotKey> hottest;
  hottest.reserve(most);
  for (size_t i = 0; i < most; ++i) {
    const Count& key = *all[i].second;
    hottest.push_back({.key = key.texts->TextOf(key.key),
                       .position = static_cast<double>(all[i].first >> 32) * 0x1p-32,
                       .operations = key.operations * weight,
                       .throttled = key.throttled * weight,
                       .units = UnitsOf(key.tokens) * static_cast<double>(weight)});
  }
  return hottest;
}

// --- SimulatedResource

SimulatedResource::SimulatedResource(const Experiment& experiment, const CapacitySettings& settings,
                                     size_t table, std::optional<size_t> index, Nodes* nodes,
                                     Micros interval, Micros heat_slot)
    : model_(SettingsOf(settings, experiment.tables[table], index),
             RatesOf(ThroughputOf(experiment.tables[table], index)), nodes,
             StateOf(settings, ThroughputOf(experiment.tables[table], index),
                     BytesAtStart(experiment.tables[table], index)),
             0),
      rates_(RatesOf(ThroughputOf(experiment.tables[table], index))),
      weight_(static_cast<double>(experiment.sample)),
      duration_(experiment.duration),
      bytes_(BytesAtStart(experiment.tables[table], index)) {
  const TableDesign& design = experiment.tables[table];
  result_.name = index ? Concat(design.name, "/", design.indexes[*index].name) : design.name;
  result_.table = table;
  result_.index = index;
  result_.partitions_at_start = model_.partitions().size();
  result_.moments.reserve(static_cast<size_t>(experiment.duration / interval) + 1);
  const AutoScaling& scaling = ThroughputOf(design, index).auto_scaling;
  if (!rates_.on_demand && scaling.is_on()) scaler_.emplace(scaling, rates_.units);
  result_.heat.slot = heat_slot;
  result_.heat.buckets = kHeatBuckets;
  BeginHeatSlot();
}

void SimulatedResource::BeginHeatSlot() {
  HeatMap& heat = result_.heat;
  for (std::vector<float>* values : {&heat.operations, &heat.units, &heat.throttled}) {
    values->resize(values->size() + heat.buckets);
  }
}

size_t SimulatedResource::BucketOf(const LabUse& use) const {
  const HeatMap& heat = result_.heat;
  const size_t bucket = ((use.position.hash() >> 32) * heat.buckets) >> 32;
  return heat.operations.size() - heat.buckets + bucket;
}

void SimulatedResource::Charge(const LabUse& use, Micros now) {
  model_.Charge(use.kind, use.position.view(), use.tokens, now);
  if (use.bytes != 0) {
    model_.AddBytes(use.position.view(), use.bytes, now);
    bytes_ += static_cast<int64_t>(weight_) * use.bytes;
  }
  const double units = UnitsOf(use.tokens) * weight_;
  moment_.units[use.kind] += units;
  const size_t bucket = BucketOf(use);
  result_.heat.operations[bucket] += static_cast<float>(weight_);
  result_.heat.units[bucket] += static_cast<float>(units);
  if (use.texts == nullptr) return;
  KeyCounts::Count& key = keys_.Of(use);
  ++key.operations;
  key.tokens += use.tokens;
}

void SimulatedResource::CountThrottle(const LabUse& use, ThroughputLimit limit) {
  moment_.throttled[use.kind][static_cast<size_t>(limit)] += static_cast<uint64_t>(weight_);
  result_.heat.throttled[BucketOf(use)] += static_cast<float>(weight_);
  if (use.texts != nullptr) ++keys_.Of(use).throttled;
}

void SimulatedResource::CloseSecond(Micros now) {
  // Weighted by time here, divided by all of it in the end.
  for (const AccessKind kind : kBothKinds) {
    if (rates_.on_demand) break;
    result_.provisioned[kind] +=
        static_cast<double>(rates_.units[kind]) * static_cast<double>(now - closed_);
  }
  closed_ = now;
  Scale(now);
  model_.Advance(now);
  for (const PartitionSplit& split : model_.TakeSplits()) {
    std::string hash = split.boundary.substr(0, sizeof(uint64_t));
    hash.resize(sizeof(uint64_t));
    const double position = static_cast<double>(ReadBigEndian(hash)) * 0x1p-64;
    result_.splits.push_back(
        {now, position, split.boundary.size() > sizeof(uint64_t), model_.partitions().size()});
  }
  if (now % result_.heat.slot == 0 && now < duration_) BeginHeatSlot();
}

void SimulatedResource::Scale(Micros now) {
  if (!scaler_) return;
  const std::vector<ScalingEvent> events = scaler_->Advance(now);
  if (events.empty()) return;
  rates_.units = scaler_->units();
  model_.SetRates(rates_, now);
  result_.scalings.insert(result_.scalings.end(), events.begin(), events.end());
}

void SimulatedResource::CloseInterval(Micros now) {
  for (const AccessKind kind : kBothKinds) {
    moment_.capacity[kind] =
        static_cast<double>(rates_.on_demand ? model_.warm()[kind] : rates_.units[kind]);
    result_.units[kind] += moment_.units[kind];
    in_minute_[kind] += moment_.units[kind];
    for (size_t i = 0; i < kThroughputLimits; ++i) {
      result_.throttled[kind][i] += moment_.throttled[kind][i];
    }
    if (now % kMinute != 0) continue;
    result_.peak_minute[kind] = std::max(result_.peak_minute[kind], in_minute_[kind] / 60);
  }
  if (now % kMinute == 0) {
    if (scaler_) scaler_->CloseMinute(now, in_minute_);
    in_minute_ = {};
  }
  moment_.partitions = model_.partitions().size();
  moment_.bytes = bytes_;
  result_.moments.push_back(std::exchange(moment_, {}));
}

ResourceResult SimulatedResource::Finish() {
  // Of less than a minute there is no minute with the most but the run itself.
  for (const AccessKind kind : kBothKinds) {
    if (closed_ > 0) result_.provisioned[kind] /= static_cast<double>(closed_);
    if (result_.peak_minute[kind] > 0 || result_.moments.empty()) continue;
    result_.peak_minute[kind] = result_.units[kind] / static_cast<double>(result_.moments.size());
  }
  result_.hottest = keys_.Hottest(kHottestKeys, static_cast<uint64_t>(weight_));
  return std::move(result_);
}

}  // namespace dynolith::lab
