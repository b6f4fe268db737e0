// What a run has shown: plain numbers over time, from which summaries, tables and reports are made.
// Counts are those of the whole load, also if only a sample of it was simulated.
#ifndef DYNOLITH_TOOLS_LAB_RUN_RESULT_H_
#define DYNOLITH_TOOLS_LAB_RUN_RESULT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/partition/capacity_settings.h"
#include "engine/partition/throughput_model.h"
#include "tools/lab/experiment.h"

namespace dynolith::lab {

// By ThroughputLimit.
using LimitCounts = std::array<uint64_t, kThroughputLimits>;

// What one access did in one interval.
struct AccessMoment {
  uint64_t requests = 0;    // by the load
  uint64_t absorbed = 0;    // of these, by a cache or a queue in front
  uint64_t operations = 0;  // that came of them: single items of batches, queries of shards, pages
  uint64_t served = 0;      // operations
  uint64_t throttled = 0;   // attempts; an operation may be tried again
  uint64_t failed = 0;      // operations that were given up

  AccessMoment& operator+=(const AccessMoment& other);
};

// What a table or an index gave in one interval.
struct ResourceMoment {
  PerKind<double> units;           // consumed
  PerKind<double> capacity;        // units a second that it had at the end of the interval
  PerKind<LimitCounts> throttled;  // attempts, by what kept them out
  size_t partitions = 0;           // at the end of the interval
  int64_t bytes = 0;               // at the end of the interval
};

// Hash buckets over time: element slot × buckets + bucket.
struct HeatMap {
  Micros slot = 0;  // how long one is
  size_t buckets = 0;
  std::vector<float> operations;
  std::vector<float> units;
  std::vector<float> throttled;

  size_t slots() const { return buckets == 0 ? 0 : operations.size() / buckets; }
};

struct SplitEvent {
  Micros at = 0;
  double position = 0;  // of the boundary among the hashes, from 0 to 1
  bool within_collection = false;
  size_t partitions = 0;  // then
};

// Auto scaling has changed the units of a table or an index.
struct ScalingEvent {
  Micros at = 0;
  AccessKind kind = AccessKind::kRead;
  int64_t before = 0;
  int64_t after = 0;
};

struct HotKey {
  std::string key;      // of the partition
  double position = 0;  // of its hash among the hashes, from 0 to 1
  uint64_t operations = 0;
  uint64_t throttled = 0;  // attempts
  double units = 0;
};

// A table or an index.
struct ResourceResult {
  std::string name;  // "orders", "orders/by-status"
  size_t table = 0;  // in Experiment::tables
  std::optional<size_t> index;
  std::vector<ResourceMoment> moments;
  PerKind<double> units;           // of the whole run
  PerKind<LimitCounts> throttled;  // of the whole run
  PerKind<double> peak_minute;     // units a second in the minute with the most
  PerKind<double> provisioned;     // units a second, on average over time; 0 on demand
  HeatMap heat;
  std::vector<SplitEvent> splits;
  std::vector<ScalingEvent> scalings;
  std::vector<HotKey> hottest;  // by units, the hottest first
  size_t partitions_at_start = 0;

  uint64_t throttled_by(ThroughputLimit limit) const;
  size_t partitions() const {
    return moments.empty() ? partitions_at_start : moments.back().partitions;
  }
};

struct AccessResult {
  std::string name;
  std::vector<AccessMoment> moments;
  AccessMoment total;
  LimitCounts limits{};       // what kept attempts out
  double waited_seconds = 0;  // of all operations, for another attempt
  PerKind<double> units;      // consumed, indexes included
  uint64_t scans = 0;         // that came to their end
  double scan_seconds = 0;    // that these took together

  // Operations for each request that was not absorbed.
  double amplification() const;
  // Of its operations, from 0 to 1.
  double served_part() const;
};

struct RunResult {
  Experiment experiment;
  Micros interval = 0;   // of each moment
  Micros simulated = 0;  // less than the experiment's duration if it was stopped
  bool is_complete = false;
  uint64_t decisions = 0;  // attempts that were simulated
  std::vector<AccessResult> accesses;
  std::vector<ResourceResult> resources;

  AccessMoment total() const;
  double seconds() const { return static_cast<double>(simulated) / static_cast<double>(kSecond); }
  // Units a second over the whole run.
  double rate_of(double units) const { return seconds() > 0 ? units / seconds() : 0; }
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_RUN_RESULT_H_
