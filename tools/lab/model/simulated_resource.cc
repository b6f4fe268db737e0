#include "tools/lab/model/simulated_resource.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "engine/base/big_endian.h"
#include "engine/base/limits.h"
#include "engine/partition/capacity.h"
#include "engine/partition/stored_bytes.h"

namespace dynolith::lab {
namespace {

constexpr AccessKind kBothKinds[] = {AccessKind::kRead, AccessKind::kWrite};

const Throughput& FindThroughput(const TableDesign& table, std::optional<size_t> index) {
  return index ? table.indexes[*index].throughput : table.throughput;
}

TableRates ToTableRates(const Throughput& throughput) {
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
ThroughputState MakeThroughputState(const CapacitySettings& settings, const Throughput& throughput,
                                    int64_t bytes) {
  const TableRates rates = ToTableRates(throughput);
  const int for_units = PartitionsFor(rates.on_demand ? PerKind<int64_t>() : rates.units,
                                      rates.units, settings.partition_units);
  // With some spare room, since full partitions would all split at the same time.
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
  if (!index) return table.bytes;
  const IndexDesign& design = table.indexes[*index];
  if (design.bytes) return *design.bytes;
  const double items =
      static_cast<double>(table.bytes) / table.item.mean() * design.entries.value_or(1);
  const double entry =
      design.entry_bytes > 0 ? static_cast<double>(design.entry_bytes) : table.item.mean();
  return std::llround(items * (entry + static_cast<double>(kIndexEntryOverheadBytes)));
}

// Whether several replicas can serve all reads; unknown for a trace.
bool IsReadEventually(const Experiment& experiment, const ResourceDesign& design) {
  const auto is_strong = [&design](const Access& part) {
    return part.table == design.table && part.index == design.index && !IsWrite(part.operation) &&
           (part.consistency != ReadMode::kEventual || IsTransaction(part.operation));
  };
  return !experiment.replay &&
         std::none_of(experiment.accesses.begin(), experiment.accesses.end(),
                      [&is_strong](const Access& access) {
                        const absl::Span<const Access> parts = ListParts(access);
                        return std::any_of(parts.begin(), parts.end(), is_strong);
                      });
}

CapacitySettings MakeCapacitySettings(CapacitySettings settings, const Experiment& experiment,
                                      const ResourceDesign& design) {
  // Local indexes keep a collection on one partition.
  const bool has_locals = experiment.tables[design.table].local_indexes > 0;
  if (has_locals && !design.index) settings.split.within_collections = false;
  if (IsReadEventually(experiment, design)) {
    settings.partition_units.read = experiment.assumed.eventual_units;
  }
  return settings;
}

std::optional<StreamShards> FindStreamShards(const TableDesign& table,
                                             std::optional<size_t> index) {
  if (index || !table.stream) return std::nullopt;
  return StreamShards(*table.stream);
}

const std::vector<VectorIndexDesign>& VectorIndexes(const TableDesign& table,
                                                    std::optional<size_t> index) {
  static const std::vector<VectorIndexDesign> none;
  return index ? none : table.vector_indexes;
}

// The position of a boundary among the hashes, from 0 to 1.
double ParsePosition(const std::string& boundary) {
  std::string hash = boundary.substr(0, sizeof(uint64_t));
  hash.resize(sizeof(uint64_t));
  return static_cast<double>(ReadBigEndian(hash)) * 0x1p-64;
}

}  // namespace

SimulatedResource::SimulatedResource(const Experiment& experiment, const CapacitySettings& settings,
                                     const ResourceDesign& design, Nodes* nodes,
                                     const RunIntervals& intervals)
    : settings_(MakeCapacitySettings(settings, experiment, design)),
      model_(settings_, ToTableRates(FindThroughput(experiment.tables[design.table], design.index)),
             nodes,
             MakeThroughputState(settings,
                                 FindThroughput(experiment.tables[design.table], design.index),
                                 BytesAtStart(experiment.tables[design.table], design.index)),
             0),
      rates_(ToTableRates(FindThroughput(experiment.tables[design.table], design.index))),
      writes_(design.index ? 1 : 1 + experiment.tables[design.table].local_indexes),
      weight_(experiment.sample),
      utilization_(experiment.trial.utilization),
      vector_indexes_(VectorIndexes(experiment.tables[design.table], design.index)),
      bytes_(BytesAtStart(experiment.tables[design.table], design.index)),
      is_index_(design.index.has_value()),
      replicas_(static_cast<double>(experiment.tables[design.table].paid.replicas.size())),
      stream_(FindStreamShards(experiment.tables[design.table], design.index)),
      stream_images_(stream_ ? experiment.tables[design.table].stream->images : 0),
      follows_changes_(replicas_ > 0 || stream_),
      record_(experiment, design, intervals, model_.partitions().size()) {
  const AutoScaling& scaling =
      FindThroughput(experiment.tables[design.table], design.index).auto_scaling;
  if (!rates_.on_demand && scaling.is_on()) scaler_.emplace(scaling, rates_.units);
  const bool has_locals = experiment.tables[design.table].local_indexes > 0;
  if (has_locals && !design.index) collections_.emplace(experiment, design.table);
  if (vector_indexes_.empty()) return;
  const double item = experiment.tables[design.table].item.mean();
  AddVectors(std::llround(item), static_cast<double>(bytes_) / item);
}

void SimulatedResource::Record(const LabUse& use, double units, double items, Micros now) {
  const int64_t added = items == 0 ? 0 : std::llround(static_cast<double>(use.added_bytes) * items);
  if (added != 0) AddBytes(use.position, added, now);
  in_minute_[use.kind] += units * static_cast<double>(weight_);
  record_.Count(use, units);
  if (use.changed_vectors != 0) vector_written_bytes_ += CountVectors(use, items);
  if (!follows_changes_ || use.kind != AccessKind::kWrite) return;
  // A failed condition and a ConditionCheck write no item.
  const bool has_item = is_index_ || use.added_bytes != 0 || use.recorded != nullptr;
  if (!has_item) return;
  CountChanges(use.position, use.bytes, static_cast<double>(weight_), items != 0);
}

double SimulatedResource::RecordBulk(const LabUse& use, double items, Micros now) {
  const int64_t added = std::llround(static_cast<double>(use.added_bytes) * items);
  if (added != 0) AddBytes(use.position, added, now);
  if (follows_changes_) {
    CountChanges(use.position, use.bytes, static_cast<double>(weight_), items != 0);
  }
  return use.changed_vectors != 0 ? CountVectors(use, items) : 0;
}

// Returns the bytes that a write is charged for, of all vector indexes (api/facts/newest.md §3).
double SimulatedResource::CountVectors(const LabUse& use, double items) {
  // There was nothing to delete.
  if (use.growth == Growth::kIfGone && items == 0) return 0;
  const int64_t item_bytes = use.bytes / writes_;
  AddVectors(item_bytes, items);
  int64_t written = 0;
  for (size_t i = 0; i < vector_indexes_.size(); ++i) {
    if ((use.changed_vectors >> i & 1) == 0) continue;
    written += std::max(static_cast<int64_t>(kVectorRequestBytesMin),
                        vector_indexes_[i].EntryBytes(item_bytes));
  }
  return static_cast<double>(written * weight_);
}

void SimulatedResource::AddVectors(int64_t item_bytes, double items) {
  for (const VectorIndexDesign& index : vector_indexes_) {
    vector_bytes_ += items * static_cast<double>(index.EntryBytes(item_bytes));
  }
  vector_bytes_ = std::max(vector_bytes_, 0.0);
}

std::unique_ptr<ThroughputModel> SimulatedResource::MakePartitionLimits(Micros now) const {
  constexpr int64_t kMuch = 1'000'000'000;
  CapacitySettings settings = settings_;
  settings.splits = false;
  settings.table_quota = {kMuch, kMuch};
  TableRates rates = {.on_demand = true, .units = {kMuch, kMuch}};
  return std::make_unique<ThroughputModel>(settings, rates, nullptr,
                                           ThroughputState{model_.partitions(), rates.units}, now);
}

// Counts the effects of writes or deletions on replicas and the stream. A transaction is one only
// in its own region.
void SimulatedResource::CountChanges(const LabPosition& position, int64_t bytes, double count,
                                     bool has_one_image) {
  const int64_t each = bytes / writes_;
  replicated_units_ +=
      replicas_ * count * static_cast<double>(writes_) * WriteUnits(static_cast<size_t>(each));
  if (!stream_) return;
  last_partition_ = model_.partitions().FindIndex(position.view().key, last_partition_);
  const int64_t images = has_one_image ? std::min<int64_t>(stream_images_, 1) : stream_images_;
  stream_->Add(model_.partitions()[last_partition_].id, count,
               count * static_cast<double>(images * each));
}

void SimulatedResource::AddBytes(const LabPosition& position, int64_t bytes, Micros now) {
  model_.AddBytes(position.view(), bytes / weight_, now);
  bytes_ = std::max<int64_t>(0, bytes_ + bytes);
  if (collections_) collections_->Add(position.hash(), bytes);
}

void SimulatedResource::Expire(const ExpiringItem::Part& part, double items, Micros now) {
  AddBytes(part.position, std::llround(static_cast<double>(part.added_bytes) * items), now);
  expired_ -= items;
  const double each = WriteUnits(static_cast<size_t>(part.bytes / writes_));
  expired_units_ -= items * each * static_cast<double>(writes_);
  AddVectors(part.bytes / writes_, items);
  if (follows_changes_) CountChanges(part.position, part.bytes, -items, true);
}

void SimulatedResource::CloseSecond(Micros now) {
  for (const AccessKind kind : kBothKinds) {
    if (rates_.on_demand) break;
    provisioned_[kind] +=
        static_cast<double>(rates_.units[kind]) * static_cast<double>(now - closed_);
  }
  closed_ = now;
  Scale(now);
  model_.Advance(now);
  for (const PartitionSplit& split : model_.TakeSplits()) {
    record_.AddSplit({now, ParsePosition(split.boundary), split.boundary.size() > sizeof(uint64_t),
                      model_.partitions().size()});
    if (stream_) stream_->Split(split);
  }
  if (stream_) stream_->CloseSecond(now);
  record_.CloseSecond(now);
}

void SimulatedResource::CloseInterval(Micros now) {
  ResourceMoment state;
  for (const AccessKind kind : kBothKinds) {
    state.capacity[kind] =
        static_cast<double>(rates_.on_demand ? model_.warm()[kind] : rates_.units[kind]);
  }
  if (now % kMinute == 0) {
    // Consumption is increased in proportion to the reserve.
    for (const AccessKind kind : kBothKinds) in_minute_[kind] /= utilization_;
    if (scaler_) scaler_->CloseMinute(now, in_minute_);
    in_minute_ = {};
  }
  state.partitions = model_.partitions().size();
  state.bytes = bytes_;
  record_.CloseInterval(now, state);
}

void SimulatedResource::Scale(Micros now) {
  if (!scaler_) return;
  const std::vector<ScalingEvent> events = scaler_->Advance(now);
  if (events.empty()) return;
  rates_.units = scaler_->units();
  model_.SetRates(rates_, now);
  scalings_.insert(scalings_.end(), events.begin(), events.end());
}

ResourceResult SimulatedResource::Finish() {
  ResourceResult result = record_.Finish();
  for (const AccessKind kind : kBothKinds) {
    if (closed_ > 0) result.provisioned[kind] = provisioned_[kind] / static_cast<double>(closed_);
  }
  result.scalings = std::move(scalings_);
  result.expired = expired_;
  result.expired_units = expired_units_;
  result.replicated_units = replicated_units_;
  result.vector_bytes = vector_bytes_;
  result.vector_written_bytes = vector_written_bytes_;
  if (stream_) result.stream = stream_->Finish(model_.partitions().size());
  if (collections_) result.full_collections = collections_->TakeFull();
  for (const Partition& partition : model_.partitions().partitions()) {
    result.partition_begins.push_back(ParsePosition(partition.begin));
  }
  return result;
}

}  // namespace dynolith::lab
