// What a table or an index served over time, and to which keys. A simulation and a measurement both
// keep this record.
#ifndef DYNOLITH_TOOLS_LAB_RESULT_RESOURCE_RECORD_H_
#define DYNOLITH_TOOLS_LAB_RESULT_RESOURCE_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "engine/partition/throughput_model.h"
#include "tools/lab/load/key_generator.h"
#include "tools/lab/load/lab_use.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// Counts by partition key, for the hottest keys: exact until there are very many keys; then those
// with the least counts are dropped (Manku and Motwani's lossy counting, 2002).
class KeyCounts {
 public:
  struct Count {
    Count(const KeyNumber& key, const KeyTexts* texts) : key(key), texts(texts) {}

    KeyNumber key;
    const KeyTexts* texts;
    uint64_t operations = 0;
    PerKind<uint64_t> throttled = {};
    PerKind<double> units = {};

    uint64_t attempts() const { return operations + throttled.read + throttled.write; }
  };

  Count& Of(const LabUse& use);
  std::vector<HotKey> Hottest(size_t count, uint64_t weight) const;
  // Whether there are more than `count` keys, and none has more attempts, or throttles, than chance
  // gives it.
  bool IsEven(size_t count) const;

 private:
  // So many stay in a core's cache.
  static constexpr size_t kKeysMax = 1 << 14;

  void Forget();

  absl::flat_hash_map<uint64_t, Count> counts_;
  uint64_t forgotten_ = 0;  // attempts of dropped keys
};

// The intervals of a run: a moment is a second, or a minute in a long run; heat has at most 400
// slots.
struct RunIntervals {
  explicit RunIntervals(Micros duration);

  Micros moment;
  Micros heat_slot;
};

// Thread-compatible.
class ResourceRecord {
 public:
  ResourceRecord(const Experiment& experiment, const ResourceDesign& design,
                 const RunIntervals& intervals, size_t partitions);

  // Counts an operation, whatever its result.
  void CountAsked(const LabUse& use) {
    moment_.asked[use.kind] += weight_ * static_cast<double>(use.tokens) / kTokensPerUnit;
  }
  // Counts an operation that was served with so many units.
  void Count(const LabUse& use, double units);
  // Counts units that belong to no use.
  void CountUnits(AccessKind kind, double units) { moment_.units[kind] += units; }
  // `limit`: the one that throttled it, if known.
  void CountThrottle(const LabUse& use, std::optional<ThroughputLimit> limit);
  // For throttles without a known use.
  void CountThrottles(AccessKind kind, ThroughputLimit limit) {
    ++moment_.throttled[kind][static_cast<size_t>(limit)];
  }
  void AddSplit(const SplitEvent& split) { result_.splits.push_back(split); }

  // Call at the end of each second, of each interval, and of the run. `state`: the resource's
  // present state; its capacity, partitions and bytes count.
  void CloseSecond(Micros now);
  void CloseInterval(Micros now, const ResourceMoment& state);
  ResourceResult Finish();

 private:
  HeatMap::Cell& FindCell(const LabUse& use);
  void BeginHeatSlot();

  const double weight_;  // operations for each counted one
  const Micros duration_;
  ResourceResult result_;
  ResourceMoment moment_;
  PerKind<double> in_minute_;
  PerKind<uint64_t> served_;
  KeyCounts keys_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_RESULT_RESOURCE_RECORD_H_
