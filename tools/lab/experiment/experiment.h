// What an experiment says, read and checked: tables, where keys come from, who asks for what and
// how often. Plain data; times are microseconds since the experiment began, sizes bytes.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_EXPERIMENT_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_EXPERIMENT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "engine/base/limits.h"
#include "engine/partition/capacity.h"
#include "engine/partition/capacity_settings.h"
#include "engine/value/value.h"
#include "tools/trace/trace_format.h"

namespace dynolith::lab {

// Sizes of items: evenly from least to most, or, if there are some, one of a list.
struct SizeRange {
  int64_t least = 0;
  int64_t most = 0;
  std::vector<int64_t> list;

  // What they are on average.
  double mean() const {
    if (list.empty()) return static_cast<double>(least + most) / 2;
    return static_cast<double>(std::accumulate(list.begin(), list.end(), int64_t{0})) /
           static_cast<double>(list.size());
  }
};

struct KeyPart {
  std::string attribute;
  Type type = Type::kString;
};

// Auto scaling of one kind of units: between these, so that so much of them is consumed.
struct ScalingRule {
  int64_t minimum = 1;
  int64_t maximum = 1;
  double target = 0.7;  // part of the units
};

struct AutoScaling {
  PerKind<std::optional<ScalingRule>> rules;
  Micros alarm_delay = kLabAlarmDelayMicros;    // until an alarm has led to a call
  Micros update_delay = kLabUpdateDelayMicros;  // until units have changed

  bool is_on() const { return rules.read || rules.write; }
};

// What a table or an index is given.
struct Throughput {
  bool on_demand = true;
  PerKind<std::optional<int64_t>> units;    // provisioned; with auto scaling at the start
  AutoScaling auto_scaling;                 // of provisioned units
  PerKind<std::optional<int64_t>> warm;     // on demand: served at once
  PerKind<std::optional<int64_t>> maximum;  // on demand: that its owner has set
  // At the start; otherwise as many as units and bytes need.
  std::optional<int64_t> partitions;
};

struct IndexDesign {
  std::string name;
  KeyPart partition_key;
  std::optional<KeyPart> sort_key;
  int64_t entry_bytes = 0;  // 0: as large as the item
  int64_t shards = 1;       // entries of one key are spread over so many, by the table's key
  // At the start, if a trace says so; else each of the table's items has an entry.
  std::optional<int64_t> bytes;
  Throughput throughput;
};

// What is paid for of a table beside its requests and its storage. Only costs follow, and of
// replicas the writes that they take.
struct PaidFeatures {
  bool pitr = false;
  double backups = 0;                 // on demand, of the whole table; so many are kept
  double restores = 0;                // a month
  double exports = 0;                 // a month, each of the whole table
  int64_t import_bytes = 0;           // a month
  double stream_reads = 0;            // calls of GetRecords a second, beside those of functions
  std::vector<std::string> replicas;  // the other regions, where each write is repeated
  std::string dax_type;
  int64_t dax_nodes = 0;
  int64_t vector_bytes = 0;           // stored
  int64_t vector_written_bytes = 0;   // a month
  int64_t vector_searched_bytes = 0;  // a month
};

// Who reads the stream of a table.
struct StreamReaders {
  int64_t readers = 1;            // of each shard
  Micros interval = kSecond / 4;  // between two calls of a reader
  int64_t images = 2;             // of the item in a record, as the stream's view says
};

struct TableDesign {
  std::string name;
  KeyPart partition_key;
  std::optional<KeyPart> sort_key;
  std::vector<IndexDesign> indexes;
  int64_t local_indexes = 0;  // whose entries are as large as the items
  SizeRange item;
  int64_t fields = 1;  // attributes that hold an item's bytes, beside its keys
  int64_t bytes = 0;   // at the start, spread evenly over the hashes
  Throughput throughput;
  bool infrequent_access = false;  // the class, of which only costs follow
  PaidFeatures paid;
  std::optional<StreamReaders> stream;

  // Of a key attribute, of the table or of an index.
  Type FindType(const std::string& attribute) const {
    const auto is = [&attribute](const KeyPart& part) { return part.attribute == attribute; };
    if (is(partition_key)) return partition_key.type;
    if (sort_key && is(*sort_key)) return sort_key->type;
    for (const IndexDesign& index : indexes) {
      if (is(index.partition_key)) return index.partition_key.type;
      if (index.sort_key && is(*index.sort_key)) return index.sort_key->type;
    }
    return Type::kString;
  }
};

enum class Distribution : uint8_t {
  kUniform,
  kZipfian,           // the first key is the most frequent one
  kScrambledZipfian,  // as zipfian, but any key
  kLatest,            // zipfian, from the last key of an ascending source backwards
  kRecent,            // all equally often that were made within a time until now
  kHotSet,            // a part of the keys gets a part of the accesses
  kCelebrity,         // one key gets a part of the accesses
  kList,              // these values, by these weights
  kTime,              // the period in which it is
  kOrdered,           // one key after the other, each so many times
  kInterleaved,       // all keys in turn, so many times
  kAscending,         // never the same again, rising
  kRandom             // never the same again, anywhere
};

// Where the values of an attribute come from. Accesses that name the same source share it: what one
// makes is what another finds.
struct KeySource {
  std::string name;
  Distribution distribution = Distribution::kUniform;
  std::string prefix;  // in front of the number that makes the value
  uint64_t count = 0;  // of different keys; 0: there is no end
  // The source of whose keys each has `count_within` of these of its own: a tenant's users.
  std::string within;
  uint64_t count_within = 0;
  std::string of;      // the ascending source of the latest keys; of recent ones, or one of time
  Micros window = 0;   // of recent keys
  uint64_t first = 0;  // of an ascending source: so many are there at the start
  double theta = 0.99;
  double hot_keys = 0.01;  // part of the keys
  double hot_share = 0.9;  // part of the accesses that they get
  uint64_t each = 1;       // accesses of one key in a bulk
  Micros period = 0;       // of time, and of what is recent of it
  std::vector<std::string> values;
  std::vector<double> weights;  // as many as values
  // Of a list: so many further keys, numbered from `rest_first` on, share this weight evenly.
  uint64_t rest = 0;
  uint64_t rest_first = 0;
  double rest_weight = 0;
  // Write sharding: a suffix from 1 to `shards`, drawn, or calculated from another attribute.
  int64_t shards = 1;
  std::string calculated_from;

  // Of how many keys one is drawn.
  uint64_t count_drawn() const { return within.empty() ? count : count_within; }
  bool is_calculated() const { return !calculated_from.empty(); }
};

// An access is one of the first so many; a replay may also have statements.
using Operation = trace::Operation;
inline constexpr size_t kItemOperations = static_cast<size_t>(Operation::kTransactWriteItems);
inline bool IsWrite(Operation operation) {
  return operation >= Operation::kPutItem && operation <= Operation::kTransactWriteItems;
}
inline bool IsTransaction(Operation operation) {
  return operation == Operation::kTransactGetItems || operation == Operation::kTransactWriteItems;
}

// How many requests a second, or how many capacity units a second, held by feedback.
struct Load {
  enum class Shape : uint8_t { kConstant, kRamp, kSteps, kSpikes, kWave, kPolling, kOnce };
  enum class Unit : uint8_t { kRequests, kReadUnits, kWriteUnits };
  struct Step {
    Micros at = 0;
    double rate = 0;
  };

  Shape shape = Shape::kConstant;
  Unit unit = Unit::kRequests;
  double low = 0;           // where a ramp begins, a wave's lowest, between spikes
  double high = 0;          // of a constant load the rate itself
  std::vector<Step> steps;  // by their times
  std::string file;         // that has the steps; empty: they are in the experiment
  Micros at = 0;            // of the one time
  Micros period = 0;        // of a ramp, of a wave, from spike to spike
  Micros lasting = 0;       // of a spike
  // Polling: each worker asks after `interval`, then after `factor` times that, up to `longest`,
  // and begins anew with its next task after `task`. `jitter` is the part of a wait that is drawn.
  int64_t workers = 0;
  Micros interval = 0;
  double factor = 1;
  Micros longest = 0;
  Micros task = 0;
  double jitter = 0;
};

// How long an item that has expired is still there (api/facts/operations.md §5.4).
inline constexpr Micros kExpiryDelayLeast = 10 * kMinute;
inline constexpr Micros kExpiryDelayMost = 30 * kMinute;

// What a write does to the entry of each index whose key it gives.
enum class IndexChange : uint8_t {
  kPut,   // one write: a new entry, or another projected attribute
  kMove,  // two: the index key changes
  kNone   // nothing: there is no entry, or it stays as it is
};

// How long an attempt takes: log-normal, so that these are its quantiles.
struct LatencyQuantiles {
  Micros p50 = 0;
  Micros p99 = 0;
};

struct Access {
  std::string name;
  Operation operation = Operation::kGetItem;
  // Of a GetItem: what is done with its item when it has been read, PutItem or UpdateItem.
  std::optional<Operation> then;
  size_t table = 0;             // of Experiment::tables
  std::optional<size_t> index;  // of its indexes; reads only
  ReadMode consistency = ReadMode::kEventual;
  double share = 1;                   // of Experiment::load
  std::optional<Load> load;           // of its own
  std::map<std::string, size_t> key;  // attribute: its source in Experiment::sources
  int64_t items = 1;                  // that a Query evaluates; of a batch or a transaction
  int64_t items_least = 0;  // of a Query: evenly from so many to `items`; 0: always so many
  std::optional<SizeRange> item;
  std::vector<IndexChange> index_changes;  // of a write: by the table's indexes
  bool gathers = false;                    // asks every shard of the key
  // Of a write: each item is a new one, or none is; nullopt: those that nobody has written before.
  std::optional<bool> adds;
  Micros ttl = 0;        // for so long its items live after a write; 0: for ever
  double fails = 0;      // part of its writes whose condition does not hold
  Micros cache = 0;      // for so long a read is answered by a cache in front
  Micros aggregate = 0;  // writes of one key within this time become one
  // Scan: workers, items of a page (0: 1 MB), how long a page takes and the pause behind it.
  int64_t segments = 1;
  int64_t page_items = 0;
  Micros page_time = kLabPageMicros;
  Micros pause = 0;
  // Of a transaction over several tables: what it does in each; its own table is the first one's,
  // and it has no keys and items of its own.
  std::vector<Access> members;
  bool only_checks = false;                 // a member: a ConditionCheck
  std::optional<LatencyQuantiles> latency;  // of each attempt; nullopt: it takes no time
};

// What an access does with items of one table: its members, or itself.
inline absl::Span<const Access> ListParts(const Access& access) {
  return access.members.empty() ? absl::MakeConstSpan(&access, 1)
                                : absl::MakeConstSpan(access.members);
}
inline bool UsesTable(const Access& access, size_t table) {
  const absl::Span<const Access> parts = ListParts(access);
  return std::any_of(parts.begin(), parts.end(),
                     [table](const Access& part) { return part.table == table; });
}

// What a client does when it is throttled, by default as the SDKs (api/facts/capacity.md §9): waits
// a random part of base × 2^attempt, at most `longest`, if tokens of the quota are left.
enum class Jitter : uint8_t {
  kFull,   // from nothing to all of it
  kEqual,  // from half of it to all
  kNone    // always all of it
};
struct RetryRule {
  int64_t attempts = 4;
  Micros base = kSecond;
  Micros longest = kLabRetryLongestMicros;
  Jitter jitter = Jitter::kFull;
  bool at_once = false;  // the first retry comes without a wait
  int64_t quota = 500;   // 0: there is none
};

// Real requests instead of accesses: a trace, gone through round after round.
struct RecordedTrace;
struct Replay {
  // A table or an index of the trace, among those of the experiment.
  struct Target {
    size_t table = 0;
    std::optional<size_t> index;
    bool is_shared = false;  // all users have the same partition keys
  };

  std::shared_ptr<const RecordedTrace> trace;
  std::vector<Target> targets;  // of each of its resources
  double speed = 1;
  int64_t users = 1;  // who do what was traced
  Micros spread = 0;  // within which they begin
  Micros period = 0;  // of a round, at that speed
  int64_t rounds = 1;
};

// What is assumed of the service, which does not publish it or promises less.
struct Assumptions {
  Micros split_delay = HeatRule().delay;  // from when a partition is hot until its split
  // A partition's reads where all of them are eventually consistent, units a second.
  int64_t eventual_units = kPartitionReadUnits;
};

// How hard a design is tried; unless it is said, not harder than in the service.
struct Trial {
  double utilization = 1;  // of every limit only so much may be taken
  bool saves = true;       // what was not used may be used for minutes
  uint64_t placement = 0;  // any other: keys lie elsewhere, as if they had other names
};

// What of advice is not said: the part of an access that may be throttled, what of every limit may
// be taken, in how many placements a design is tried and in what part of them it has to serve, and
// how many shards are tried.
inline constexpr double kAdviceThrottled = 0.001;
inline constexpr double kAdviceUtilization = 0.7;
inline constexpr int64_t kAdvicePlacements = 20;
inline constexpr int64_t kAdvicePlacementsMax = 1'000;
inline constexpr double kAdviceServes = 0.95;
inline constexpr int64_t kAdviceShardsMax = 1'000;

// Something that advice may change.
struct OpenMember {
  enum class Kind : uint8_t {
    kBilling,      // of a table: on demand or provisioned
    kUnits,        // provisioned to a table and to each of its indexes
    kAutoScaling,  // of those
    kWarm,         // on demand: what a table and each of its indexes are warm for
    kMaximum,      // on demand: that its owner sets, of a table and of each of its indexes
    kIndexShards,
    kShards,       // of a key source
    kSuffix,       // of a key source: drawn, or calculated from which attribute
    kConsistency,  // of an access that reads: eventual, too
    kCache         // of an access that reads: in front of it, for a second
  };

  Kind kind = Kind::kBilling;
  size_t table = 0;             // unless it is a key source's
  std::optional<size_t> index;  // of kIndexShards
  size_t source = 0;            // of a key source
  size_t access = 0;            // of an access
  std::vector<int64_t> values;  // candidates, rising: shards, or targets in percent; if none,
  int64_t least = 1;            // shards from here
  int64_t most = kAdviceShardsMax;
};

// What advice may change, and when a design serves: in `serves` of so many placements no more than
// `throttled` of any access's attempts is, though of every limit only `utilization` may be taken.
struct AdviceRequest {
  double throttled = kAdviceThrottled;
  double utilization = kAdviceUtilization;
  bool burst = false;  // whether what was saved is counted on
  int64_t placements = kAdvicePlacements;
  double serves = kAdviceServes;
  std::vector<OpenMember> open;
};

// What has to be so in the end, of each that is said.
struct Expectations {
  std::optional<double> served;     // at least so much of each access's operations
  std::optional<Micros> p99;        // of each access's latencies, at most
  std::optional<double> cost_most;  // of a month
};

// What days cost: as this run with so much of its load, or as that of a design.
struct DayKind {
  double factor = 1;
  std::string design;
};

struct Experiment {
  std::string title;
  std::string question;
  std::string expected;  // for people
  Expectations expect;
  std::string design;       // the name of this variant; empty if there is only one
  std::string description;  // of this variant
  std::string region;       // whose prices are paid; empty: the first ones of their file
  // Of which days a month is composed.
  DayKind weekdays;
  DayKind weekends;
  uint64_t seed = 1;
  Micros duration = 0;
  Admission admission = Admission::kGlobal;
  bool splits = true;
  int nodes = 0;
  // Of the account, units a second: of each table and each index, and what all of them together may
  // be provisioned with.
  PerKind<int64_t> table_quota = {kTableThroughputMax, kTableThroughputMax};
  PerKind<int64_t> account_quota = {kAccountThroughputMax, kAccountThroughputMax};
  bool evenly = false;  // requests come at even distances instead of at random
  // One of so many requests is simulated, against limits that are so much smaller.
  int64_t sample = 1;
  std::vector<TableDesign> tables;
  std::vector<KeySource> sources;
  std::vector<Access> accesses;
  std::optional<Load> load;           // of all accesses without one of their own
  RetryRule retry = {.attempts = 1};  // without a [client] nothing is tried again
  // Then there are no sources and no loads, and accesses only have names, operations and targets.
  std::optional<Replay> replay;
  std::optional<AdviceRequest> advice;
  Assumptions assumed;
  Trial trial;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_EXPERIMENT_H_
