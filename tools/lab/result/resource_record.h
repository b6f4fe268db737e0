// What a table or an index served over time, and to which keys. A simulation and a measurement both
// keep this record.
#ifndef DYNOLITH_TOOLS_LAB_RESULT_RESOURCE_RECORD_H_
#define DYNOLITH_TOOLS_LAB_RESULT_RESOURCE_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/partition/throughput_model.h"
#include "tools/lab/load/key_generator.h"
#include "tools/lab/load/lab_use.h"
#include "tools/lab/result/key_counts.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

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

  // Loads what the next counts of a use read into the CPU's caches: first the first, and some uses
  // later the second.
  void Prefetch(uint64_t hash) const {
    __builtin_prefetch(&result_.heat.cells[CellIndex(hash)], 1);
    keys_.PrefetchPlace(hash);
  }
  void PrefetchReferred(uint64_t hash) const { keys_.PrefetchCount(hash); }
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
  // Of the current slot of time.
  size_t CellIndex(uint64_t hash) const {
    const HeatMap& heat = result_.heat;
    return heat.cells.size() - heat.buckets + (((hash >> 32) * heat.buckets) >> 32);
  }
  HeatMap::Cell& FindCell(const LabUse& use) {
    return result_.heat.cells[CellIndex(use.position.hash())];
  }
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
