// The capacity of one table or one index: its partitions, their buckets, and their changes. It does
// no I/O, has no clock and no threads: the same calls give the same answers, in a server and in a
// simulation.
//
// An access is admitted first and charged when its cost is known. So an access that concerns
// several models, such as a write with indexes, is charged to all of them or to none:
//
//   if (model.Refusal(kind, position, now)) …throttled
//   model.Charge(kind, position, tokens, now);
#ifndef DYNOLITH_ENGINE_PARTITION_THROUGHPUT_MODEL_H_
#define DYNOLITH_ENGINE_PARTITION_THROUGHPUT_MODEL_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/partition/access_sample.h"
#include "engine/partition/capacity_settings.h"
#include "engine/partition/nodes.h"
#include "engine/partition/partition_map.h"
#include "engine/partition/tokens.h"

namespace dynolith {

// The limit that an access would exceed (api/facts/capacity.md §6). Append only.
enum class ThroughputLimit : uint8_t {
  kProvisionedThroughput = 0,  // the throughput of the table or index
  kKeyRange = 1,               // what a partition can take, or on demand what is there so far
  kMaxOnDemand = 2,            // the maximum that its owner has set
  kAccount = 3                 // the quota of a table on demand
};
inline constexpr size_t kThroughputLimits = 4;

// The part of a model that outlives the process.
struct ThroughputState {
  PartitionMap partitions;
  // The throughput for which the partitions suffice; on demand it is served at once. Units a
  // second; never falls.
  PerKind<int64_t> warm;
};

// The past and present use of one partition, for people.
struct PartitionReport {
  PerKind<Tokens> consumed;                                  // since the model began, or the split
  PerKind<std::array<uint64_t, kThroughputLimits>> refused;  // accesses
  // Of its maximum; of its share of the table's throughput and of the saved part of that, unless
  // admission is global.
  PerKind<Tokens> maximum_level;
  PerKind<Tokens> share_level;
  PerKind<Tokens> saved_level;
  std::optional<Micros> split_at;
};

// Thread-compatible. Times must not fall; an earlier time counts as the last one.
class ThroughputModel {
 public:
  // A new one has as many partitions as `rates` need. `nodes` may be nullptr; shared ones must
  // outlive the model.
  ThroughputModel(const CapacitySettings& settings, const TableRates& rates, Nodes* nodes,
                  Micros now);
  // Restored from `state`, with full buckets.
  ThroughputModel(const CapacitySettings& settings, const TableRates& rates, Nodes* nodes,
                  ThroughputState state, Micros now);

  // The limit that refuses an access now; nullopt if it is admitted. Counts a refusal. About 50 ns.
  std::optional<ThroughputLimit> Refusal(AccessKind kind, std::string_view position, Micros now);
  // The cost of an access. Requires: a cost of at least 0.
  void Charge(AccessKind kind, const AccessPosition& position, Tokens tokens, Micros now);
  // Both at once, for an access of one model alone: charges it unless it is refused.
  std::optional<ThroughputLimit> RefusalOrCharge(AccessKind kind, const AccessPosition& position,
                                                 Tokens tokens, Micros now);
  // Loads what an access at the position reads into the CPU's caches: first the partition, whose
  // index it returns, and then, some accesses later, what it refers to.
  size_t PrefetchPartition(std::string_view position) const;
  void PrefetchSample(size_t index) const { loads_[index].sample.Prefetch(); }
  // A guess at which partition the next access concerns; it is found where it is in any case.
  void SetLikely(size_t index) { last_ = index; }
  // Items at the position have grown or, below zero, shrunk.
  void AddBytes(const AccessPosition& position, int64_t bytes, Micros now);

  // New units or another billing mode. If the units exceed the capacity of the partitions, their
  // number is doubled.
  void SetRates(const TableRates& rates, Micros now);
  // Applies due changes, as every call does.
  void Advance(Micros now) {
    now_ = std::max(now_, now);
    if (now_ >= next_due_) ApplyDue();
  }

  // Splits since the last call.
  bool has_splits() const { return !splits_.empty(); }
  std::vector<PartitionSplit> TakeSplits();
  const PartitionMap& partitions() const { return map_; }
  ThroughputState state() const { return {map_, warm_}; }
  const PerKind<int64_t>& warm() const { return warm_; }
  PartitionReport Report(size_t index, Micros now);
  // The table's bucket.
  Tokens TableLevel(AccessKind kind, Micros now) { return table_[kind].Level(now); }

 private:
  static constexpr size_t kCacheLine = 64;
  static constexpr size_t kLinesRead = 3;

  struct alignas(kCacheLine) Load {
    explicit Load(uint64_t seed) : sample(seed) {}

    // What every access reads comes first, in kLinesRead lines.
    PerKind<TokenBucket> maximum;
    PerKind<Tokens> in_window;
    PerKind<Tokens> consumed;
    PerKind<uint64_t> refused_in_interval;
    AccessSample sample;
    PerKind<TokenBucket> share;  // unless admission is global
    PerKind<TokenBucket> saved;  // of the share: filled by its overflow
    PerKind<Rate> boost;
    int64_t hot_windows = 0;
    std::optional<Micros> split_at;
    PerKind<std::array<uint64_t, kThroughputLimits>> refused;
  };
  // A new maximum of consumption, and its time.
  struct Peak {
    Micros since;
    int64_t units;
  };

  Load NewLoad(uint64_t id) const;
  TokenBucket MaximumBucket(int64_t units) const;
  void Fill();

  // An access is admitted and charged at the same place.
  size_t FindIndex(std::string_view position) { return last_ = map_.FindIndex(position, last_); }
  // For the partition at `index`, like the public ones for a position; due changes are already
  // applied.
  std::optional<ThroughputLimit> RefusalAt(size_t index, AccessKind kind);
  void ChargeAt(size_t index, AccessKind kind, const AccessPosition& position, Tokens tokens);
  std::optional<ThroughputLimit> FindLimit(AccessKind kind, size_t index);
  bool HasShare(AccessKind kind, size_t index);
  // Whether throughput is divided between partitions.
  bool divides() const { return settings_.admission != Admission::kGlobal && !rates_.on_demand; }
  void RollSecond();
  Rate PartitionShare(AccessKind kind, size_t index) const;
  void SetShare(size_t index);
  void SetTableBuckets();

  void ApplyDue();
  void CloseHeatWindow();
  void CloseAdaptiveInterval();
  void ClosePeakWindow();
  void RipenPeaks();
  void SplitHot();
  // Replaces the partition by two, each with half of what it has.
  void SplitAt(size_t index, std::string_view boundary);
  // Doubles the partitions until there are as many.
  void GrowTo(int partitions);
  void ScheduleNext();

  const CapacitySettings settings_;
  TableRates rates_;
  Nodes* const nodes_;
  PartitionMap map_;
  size_t last_ = 0;          // partition that was looked for
  std::vector<Load> loads_;  // of each partition of map_
  PerKind<TokenBucket> table_;
  PerKind<std::optional<TokenBucket>> maximum_;  // set by the owner
  PerKind<TokenBucket> quota_;
  PerKind<int64_t> warm_;
  PerKind<Tokens> in_interval_;  // consumed since the adaptive interval began
  PerKind<Tokens> in_peak_window_;
  PerKind<std::deque<Peak>> peaks_;  // rising
  PerKind<Tokens> in_second_;        // consumed since second_
  Micros second_ = 0;
  Micros heat_window_end_ = 0;
  Micros interval_end_ = 0;
  Micros peak_window_end_ = 0;
  Micros next_due_ = 0;
  Micros now_ = 0;
  std::vector<PartitionSplit> splits_;
};

// Partitions that suffice for reads and writes `together`, as provisioned ones are computed, and
// for each kind `apart`, as warm ones are (api/facts/capacity.md §3); units a second. At least one.
int PartitionsFor(const PerKind<int64_t>& together, const PerKind<int64_t>& apart,
                  const PerKind<int64_t>& each = {kPartitionReadUnits, kPartitionWriteUnits});

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_THROUGHPUT_MODEL_H_
