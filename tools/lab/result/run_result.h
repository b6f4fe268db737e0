// The result of a run: plain numbers over time, from which summaries, tables and reports are made.
// Counts are those of the whole load, even if only a sample of it was simulated.
#ifndef DYNOLITH_TOOLS_LAB_RESULT_RUN_RESULT_H_
#define DYNOLITH_TOOLS_LAB_RESULT_RUN_RESULT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/limits.h"
#include "engine/partition/capacity_settings.h"
#include "engine/partition/throughput_model.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/result/latency_histogram.h"

namespace dynolith::lab {

// By ThroughputLimit.
using LimitCounts = std::array<uint64_t, kThroughputLimits>;

// One access in one interval.
struct AccessMoment {
  uint64_t requests = 0;    // by the load
  uint64_t absorbed = 0;    // of these, by a cache or a queue in front
  uint64_t operations = 0;  // its operations: single items of batches, queries of shards, pages
  uint64_t served = 0;      // operations
  uint64_t throttled = 0;   // attempts; an operation may be tried again
  uint64_t failed = 0;      // operations that were given up
  uint64_t errors = 0;      // operations that ended in another error

  // Throttled and refused attempts.
  uint64_t denied() const { return throttled + errors; }
  AccessMoment& operator+=(const AccessMoment& other);
};

// One table or index in one interval.
struct ResourceMoment {
  PerKind<double> units;           // consumed
  PerKind<double> asked;           // demanded by operations, served or not
  PerKind<double> capacity;        // units a second at the end of the interval
  PerKind<LimitCounts> throttled;  // attempts, by the limit that throttled them
  size_t partitions = 0;           // at the end of the interval
  int64_t bytes = 0;               // at the end of the interval
};

// Hash buckets over time: element slot × buckets + bucket.
inline constexpr size_t kHeatBuckets = 1'000;
struct HeatMap {
  struct Cell {
    float operations = 0;  // served
    float units = 0;
    float throttled = 0;  // attempts
    double bytes = 0;     // of items and entries that were read or written
  };

  Micros slot = 0;  // the length of a slot
  size_t buckets = 0;
  std::vector<Cell> cells;

  size_t slots() const { return buckets == 0 ? 0 : cells.size() / buckets; }
};

struct SplitEvent {
  Micros at = 0;
  double position = 0;  // of the boundary among the hashes, from 0 to 1
  bool within_collection = false;
  size_t partitions = 0;  // after the split
};

// A change of the units of a table or an index by auto scaling.
struct ScalingEvent {
  Micros at = 0;
  AccessKind kind = AccessKind::kRead;
  int64_t before = 0;
  int64_t after = 0;
};

// The time in seconds that a partition at its maximum rate would take for these units.
inline double PartitionSeconds(const PerKind<double>& units) {
  return units.read / static_cast<double>(kPartitionReadUnits) +
         units.write / static_cast<double>(kPartitionWriteUnits);
}

// An item collection of a table with local indexes that has reached its size limit.
struct FullCollection {
  std::string key;       // of the partition
  Micros at = 0;         // when the first write was refused
  uint64_t refused = 0;  // writes
};

// The calls a second that a shard of a stream answers, to all of its readers together.
inline constexpr double kStreamCallsOfSecond = 5;
// The stream of a table, and whether its readers keep up.
struct StreamResult {
  size_t shards = 0;                  // at the end
  double calls = 0;                   // of all readers to each shard, a second
  double records = 0;                 // of the busiest shard in its busiest second
  double bytes = 0;                   // the same
  double behind_most = 0;             // the longest lag of a shard's readers, in seconds of reading
  double behind_at_end = 0;           // the same at the end
  std::optional<Micros> behind_from;  // when the lag first exceeded a second
};

struct HotKey {
  std::string key;      // of the partition
  double position = 0;  // of its hash among the hashes, from 0 to 1
  uint64_t operations = 0;
  PerKind<uint64_t> throttled;  // attempts
  PerKind<double> units;

  // Reads and writes together, in seconds of a partition's maximum rate.
  double heat() const { return PartitionSeconds(units); }
};

// A table or an index.
struct ResourceResult {
  std::string name;  // "orders", "orders/by-status"
  size_t table = 0;  // in Experiment::tables
  std::optional<size_t> index;
  std::vector<ResourceMoment> moments;
  PerKind<double> units;           // of the whole run
  PerKind<uint64_t> served;        // attributed operations of the whole run
  PerKind<LimitCounts> throttled;  // of the whole run
  PerKind<double> peak_minute;     // units a second in the minute with the most
  PerKind<double> provisioned;     // units a second, on average over time; 0 on demand
  HeatMap heat;
  std::vector<SplitEvent> splits;
  std::vector<ScalingEvent> scalings;
  double replicated_units = 0;  // write units of the same table or index in other regions
  std::optional<StreamResult> stream;
  // Of all vector indexes of a table: the bytes of their entries at the end, and the bytes that
  // writes were charged for.
  double vector_bytes = 0;
  double vector_written_bytes = 0;
  std::vector<HotKey> hottest;  // by heat, the hottest first
  // Whether there are more keys than `hottest` lists, and none is hotter than by chance.
  bool is_even = false;
  double expired = 0;        // items or entries that time to live deleted, free of charge
  double expired_units = 0;  // which each replica consumes for these deletions
  std::vector<FullCollection> full_collections;  // in the order in which they became full
  size_t partitions_at_start = 0;
  std::vector<double> partition_begins;  // among the hashes, from 0 to 1, at the end

  uint64_t throttled_by(ThroughputLimit limit) const;
  size_t partitions() const {
    return moments.empty() ? partitions_at_start : moments.back().partitions;
  }
};

// The percentiles of each interval's latencies: parts of the requests.
inline constexpr std::array<double, 4> kMomentPercentiles = {0.5, 0.9, 0.99, 0.999};
struct LatencyMoment {
  uint64_t requests = 0;
  std::array<int64_t, kMomentPercentiles.size()> percentiles{};  // nanoseconds
  int64_t most = 0;
};

// From the time when a request was due to its last answer, including waits between attempts: for
// served requests, and for requests that were not sent before the end of the run.
struct LatencyResult {
  LatencyHistogram all;
  LatencyHistogram calls;  // each single call, from when it was sent
  std::vector<LatencyMoment> moments;
};

// A bulk put.
struct BulkResult {
  int64_t items = 0;               // written
  double bytes = 0;                // that it was charged for: items, and entries of indexes
  double vector_bytes = 0;         // the same of vector indexes
  double waited_seconds = 0;       // for partitions that had no capacity left
  std::optional<double> finished;  // seconds after its beginning
};

struct AccessResult {
  std::string name;
  std::vector<AccessMoment> moments;
  AccessMoment total;
  LimitCounts limits{};       // throttled attempts by limit
  double waited_seconds = 0;  // between attempts, of all operations
  LatencyHistogram waits;     // simulated: the waits of operations that were served by a retry
  // If set, `waits` has the latencies of all served operations, since attempts take time.
  bool is_timed = false;
  PerKind<double> units;                   // consumed, indexes included
  uint64_t scans = 0;                      // finished ones
  double scan_seconds = 0;                 // the duration of these together
  std::optional<LatencyResult> latency;    // only of measured runs
  std::map<std::string, uint64_t> errors;  // by kind
  double searched_bytes = 0;               // of vectors
  std::optional<BulkResult> bulk;          // once it has begun
  uint64_t failed_conditions = 0;          // of the served operations; they consume units

  // Operations for each request that was not absorbed.
  double amplification() const;
  // The served part of its operations, from 0 to 1.
  double served_part() const;
};

// The circumstances of a measured run.
struct MeasuredRun {
  std::string target;      // the server or library that answered
  size_t connections = 0;  // at the end
  Micros warm_up = 0;      // before the run, not in its figures
  uint64_t loaded = 0;     // items, before all
  uint64_t unsent = 0;     // requests that were due, but not sent before the end
  LatencyHistogram lag;    // from when a call was due and a connection free until it was sent
  bool is_generator_slow = false;  // whether the lag affects the latencies
  std::vector<std::string> notes;  // sentences: remarks on the figures
};

// The main figures of a run, to compare it with other runs of the same design.
struct RunOutcome {
  uint64_t seed = 0;
  Assumptions assumed;
  double served = 1;           // part of the operations
  uint64_t throttled = 0;      // attempts
  std::optional<int64_t> p99;  // nanoseconds, of the slowest access; as Percentile
  double month = 0;            // the monthly bill
  bool is_as_expected = true;
};

// Provisioned units from a part of a day on.
struct UnitStep {
  double from = 0;  // from 0 to 1
  PerKind<double> units;
};

// The use and the capacity of a table or an index on a day, units a second.
struct DayUse {
  PerKind<double> consumed;
  double replicated = 0;        // write units that each replica consumes
  double vectors_written = 0;   // bytes a second
  double vectors_searched = 0;  // bytes a second
  PerKind<double> provisioned;  // 0 on demand
  std::vector<UnitStep> steps;  // what is provisioned, from 0 on
  PerKind<double> busiest_minute;
};

struct RunResult {
  Experiment experiment;
  Micros interval = 0;   // of each moment
  Micros simulated = 0;  // less than the experiment's duration if it was stopped
  bool is_complete = false;
  uint64_t decisions = 0;  // simulated attempts, or real calls
  std::vector<AccessResult> accesses;
  std::vector<ResourceResult> resources;
  std::optional<MeasuredRun> measured;  // nullopt: a simulated run
  // The outcomes with other seeds, this run's first. Empty unless they were requested.
  std::vector<RunOutcome> seeds;
  // The outcomes in the corners of the service's uncertain figures, this run's first. Empty unless
  // they were requested.
  std::vector<RunOutcome> corners;
  // The days of the designs that its month names, by design and by table or index.
  std::map<std::string, std::map<std::string, DayUse>> days;

  AccessMoment total() const;
  const Throughput& given_to(const ResourceResult& resource) const;
  // The percentile of an access's latency in nanoseconds: of the served requests of a measured run;
  // of a simulated one, the durations of an operation's attempts, if the experiment gives them, and
  // the waits between them, if it has a client. nullopt if there is no such figure.
  std::optional<int64_t> Percentile(const AccessResult& access, double part) const;
  double seconds() const { return static_cast<double>(simulated) / static_cast<double>(kSecond); }
  // Units a second, averaged over the whole run.
  double rate_of(double units) const { return seconds() > 0 ? units / seconds() : 0; }
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_RESULT_RUN_RESULT_H_
