// What a table or an index has given over time, and to which keys: the record that a simulation and
// a measurement keep.
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

// Counts by partition key, for the hottest of them: exact until there are very many keys; then
// those with the least are forgotten (Manku and Motwani's lossy counting, 2002).
class KeyCounts {
 public:
  struct Count {
    KeyNumber key;
    const KeyTexts* texts;
    uint64_t operations = 0;
    uint64_t throttled = 0;
    double units = 0;
  };

  Count& Of(const LabUse& use);
  std::vector<HotKey> Hottest(size_t count, uint64_t weight) const;

 private:
  // They stay in a core's cache.
  static constexpr size_t kKeysMax = 1 << 14;

  void Forget();

  absl::flat_hash_map<uint64_t, Count> counts_;
};

// How a run is divided: a moment is a second, or a minute of a long run; heat has at most 400
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

  // An operation has come, whatever becomes of it.
  void CountAsked(const LabUse& use) {
    moment_.asked[use.kind] += weight_ * static_cast<double>(use.tokens) / kTokensPerUnit;
  }
  // An operation was served, for so many units.
  void Count(const LabUse& use, double units);
  // Units that belong to no use.
  void CountUnits(AccessKind kind, double units) { moment_.units[kind] += units; }
  // `limit`: what kept it out, if that is known.
  void CountThrottle(const LabUse& use, std::optional<ThroughputLimit> limit);
  // Of no use that is known.
  void CountThrottles(AccessKind kind, ThroughputLimit limit) {
    ++moment_.throttled[kind][static_cast<size_t>(limit)];
  }
  void AddSplit(const SplitEvent& split) { result_.splits.push_back(split); }

  // At the end of each second, of each interval, and of the run. `state`: what the resource has
  // then; its capacity, partitions and bytes count.
  void CloseSecond(Micros now);
  void CloseInterval(Micros now, const ResourceMoment& state);
  ResourceResult Finish();

 private:
  HeatMap::Cell& CellOf(const LabUse& use);
  void BeginHeatSlot();

  const double weight_;  // operations for each one that is counted
  const Micros duration_;
  ResourceResult result_;
  ResourceMoment moment_;
  PerKind<double> in_minute_;
  KeyCounts keys_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_RESULT_RESOURCE_RECORD_H_
