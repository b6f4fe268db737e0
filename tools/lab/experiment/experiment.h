// An experiment, read and checked: its tables, the sources of their keys, the accesses and their
// loads. Plain data; times are microseconds since the experiment began, sizes are bytes.
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
#include "tools/server/trace/trace_format.h"

namespace dynolith::lab {

// Sizes of items: uniform from `least` to `most`; or, if the list is not empty, one of the list.
struct SizeRange {
  int64_t least = 0;
  int64_t most = 0;
  std::vector<int64_t> list;

  // The average size.
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

// Auto scaling of one kind of units, between a minimum and a maximum.
struct ScalingRule {
  int64_t minimum = 1;
  int64_t maximum = 1;
  double target = 0.7;  // the part of the units that should be consumed
};

struct AutoScaling {
  PerKind<std::optional<ScalingRule>> rules;
  Micros alarm_delay = kLabAlarmDelayMicros;    // from an alarm to the call that updates
  Micros update_delay = kLabUpdateDelayMicros;  // from that call to the changed units

  bool is_on() const { return rules.read || rules.write; }
};

// The capacity of a table or an index.
struct Throughput {
  bool on_demand = true;
  PerKind<std::optional<int64_t>> units;    // provisioned; with auto scaling the initial ones
  AutoScaling auto_scaling;                 // of provisioned units
  PerKind<std::optional<int64_t>> warm;     // on demand: warm throughput
  PerKind<std::optional<int64_t>> maximum;  // on demand: the maximum set by the owner
  // Initial partitions; nullopt: as many as units and bytes need.
  std::optional<int64_t> partitions;
};

struct IndexDesign {
  std::string name;
  KeyPart partition_key;
  std::optional<KeyPart> sort_key;
  int64_t entry_bytes = 0;  // 0: as large as the item
  int64_t shards = 1;       // over which entries of one key are spread, by the table's key
  // Initial bytes, if a trace gives them; else those of the entries of the table's items.
  std::optional<int64_t> bytes;
  std::optional<double> entries;  // part of the table's items; nullopt: all of them
  Throughput throughput;
};

// The bytes of an entry of a vector index beside its vector: its keys, about
// (api/facts/newest.md §3).
inline constexpr int64_t kKeysOfVectorEntry = 35;

// A vector index of a table, which is always on demand.
struct VectorIndexDesign {
  std::string name;
  int64_t dimensions = 1;
  bool has_all = true;      // whether it projects whole items, else only their keys
  int64_t entry_bytes = 0;  // of each entry, its vector included; 0: as it projects

  // The bytes of the entry of an item of so many bytes, in which vectors count 4 bytes a dimension
  // (api/facts/newest.md §3).
  int64_t EntryBytes(int64_t item_bytes) const {
    if (entry_bytes > 0) return entry_bytes;
    const int64_t vector = static_cast<int64_t>(sizeof(float)) * dimensions;
    return (has_all ? std::max(vector, item_bytes) : vector) + kKeysOfVectorEntry;
  }
};

// Features of a table that are billed beside its requests and storage. They only affect costs;
// replicas also repeat writes.
struct PaidFeatures {
  bool pitr = false;
  double backups = 0;                 // on-demand backups of the whole table that are kept
  double restores = 0;                // a month
  double exports = 0;                 // of the whole table, a month
  int64_t import_bytes = 0;           // a month
  double stream_reads = 0;            // GetRecords calls a second, without those of functions
  std::vector<std::string> replicas;  // the other regions, in which each write is repeated
  std::string dax_type;
  int64_t dax_nodes = 0;
  int64_t vector_bytes = 0;           // stored
  int64_t vector_written_bytes = 0;   // a month
  int64_t vector_searched_bytes = 0;  // a month
};

// The readers of a table's stream.
struct StreamReaders {
  int64_t readers = 1;            // of each shard
  int64_t functions = 0;          // of the readers: functions of AWS Lambda, whose calls are free
  Micros interval = kSecond / 4;  // between two calls of a reader
  int64_t images = 2;             // of the item in each record, given by the stream's view type
};

struct TableDesign {
  std::string name;
  KeyPart partition_key;
  std::optional<KeyPart> sort_key;
  std::vector<IndexDesign> indexes;
  std::vector<VectorIndexDesign> vector_indexes;
  int64_t local_indexes = 0;  // whose entries are as large as the items
  SizeRange item;
  int64_t fields = 1;  // attributes, beside the keys, that hold an item's bytes
  int64_t bytes = 0;   // initial bytes, spread evenly over the hashes
  Throughput throughput;
  bool infrequent_access = false;  // the table class; only affects costs
  PaidFeatures paid;
  std::optional<StreamReaders> stream;

  // The type of a key attribute of the table or of an index.
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
  kRecent,            // uniform over the keys that were made in a window until now
  kHotSet,            // a part of the keys gets a part of the accesses
  kCelebrity,         // one key gets a part of the accesses
  kList,              // the listed values, by their weights
  kTime,              // the current period
  kOrdered,           // one key after the other, each a number of times
  kInterleaved,       // all keys in turn, a number of times
  kAscending,         // a new, higher key each time
  kRandom             // a new key each time, anywhere
};

// The source of an attribute's values. Accesses that name the same source share it, so that one
// reads the items that another writes.
struct KeySource {
  std::string name;
  Distribution distribution = Distribution::kUniform;
  std::string prefix;  // in front of the number that makes the value
  uint64_t count = 0;  // of different keys; 0: unbounded
  // The outer source: each of its keys has `count_within` own keys of this source, as a tenant has
  // users.
  std::string within;
  uint64_t count_within = 0;
  std::string of;      // kLatest: an ascending source; kRecent: that or a source of time
  Micros window = 0;   // kRecent
  uint64_t first = 0;  // kAscending: the number of initial keys
  double theta = 0.99;
  double hot_keys = 0.01;  // part of the keys
  double hot_share = 0.9;  // part of the accesses that hot keys get
  uint64_t each = 1;       // kOrdered, kInterleaved: accesses of one key
  Micros period = 0;       // kTime, and kRecent of such a source
  std::vector<std::string> values;
  std::vector<double> weights;  // as many as values
  // kList: `rest` further keys, numbered from `rest_first` on, share `rest_weight` evenly.
  uint64_t rest = 0;
  uint64_t rest_first = 0;
  double rest_weight = 0;
  // Write sharding: a suffix from 1 to `shards`, drawn, or calculated from another attribute.
  int64_t shards = 1;
  std::string calculated_from;

  // The number of keys from which one is drawn.
  uint64_t count_drawn() const { return within.empty() ? count : count_within; }
  bool is_calculated() const { return !calculated_from.empty(); }
};

// The first kItemOperations are those of accesses; a replay may also have PartiQL statements.
using Operation = trace::Operation;
inline constexpr size_t kItemOperations = static_cast<size_t>(Operation::kTransactWriteItems);
inline bool IsWrite(Operation operation) {
  return operation >= Operation::kPutItem && operation <= Operation::kTransactWriteItems;
}
inline bool IsTransaction(Operation operation) {
  return operation == Operation::kTransactGetItems || operation == Operation::kTransactWriteItems;
}

// Requests a second, or capacity units a second, which feedback holds.
struct Load {
  enum class Shape : uint8_t { kConstant, kRamp, kSteps, kSpikes, kWave, kPolling, kOnce };
  enum class Unit : uint8_t { kRequests, kReadUnits, kWriteUnits };
  struct Step {
    Micros at = 0;
    double rate = 0;
  };

  Shape shape = Shape::kConstant;
  Unit unit = Unit::kRequests;
  double low = 0;   // the beginning of a ramp, a wave's lowest rate, the rate between spikes
  double high = 0;  // the other rate; of a constant load the only one
  std::vector<Step> steps;  // in the order of their times
  std::string file;         // from which the steps were read; empty: the experiment has them
  Micros at = 0;            // kOnce
  Micros period = 0;        // of a ramp or a wave, or from spike to spike
  Micros lasting = 0;       // the length of a spike
  // Polling: each worker polls after `interval`, then after `factor` times that, up to `longest`,
  // and starts again with a new task after `task`. `jitter` is the random part of a wait.
  int64_t workers = 0;
  Micros interval = 0;
  double factor = 1;
  Micros longest = 0;
  Micros task = 0;
  double jitter = 0;
};

// The delay from an item's expiry to its deletion (api/facts/operations.md §5.4).
inline constexpr Micros kExpiryDelayLeast = 10 * kMinute;
inline constexpr Micros kExpiryDelayMost = 30 * kMinute;

// The effect of a write on the entry of an index whose key it gives.
enum class IndexChange : uint8_t {
  kPut,     // one write: a new entry, or a changed projected attribute
  kMove,    // two writes: the index key changes
  kAdd,     // one write if there is no entry yet; else it stays unchanged
  kRemove,  // one write if there is an entry
  kNone     // no write: there is no entry, or it stays unchanged
};

// Quantiles of an attempt's duration, which is log-normal.
struct LatencyQuantiles {
  Micros p50 = 0;
  Micros p99 = 0;
};

// A bulk put (api/facts/newest.md §6): items of a bucket that the service puts into a table.
struct BulkPut {
  int64_t items = 0;
  int64_t units = 0;         // write units a second at most, MaxWriteRequestUnits
  bool accelerated = false;  // its performance tier
  double monthly = 1;        // how often it is made in a month
};

struct Access {
  std::string name;
  Operation operation = Operation::kGetItem;
  // The write that follows a GetItem with the same item: PutItem or UpdateItem.
  std::optional<Operation> then;
  size_t table = 0;             // of Experiment::tables
  std::optional<size_t> index;  // of its indexes; reads only
  ReadMode consistency = ReadMode::kEventual;
  double share = 1;                   // of Experiment::load
  std::optional<Load> load;           // its own load
  std::map<std::string, size_t> key;  // by attribute: its source in Experiment::sources
  int64_t items = 1;                  // evaluated by a Query; in a batch or a transaction
  int64_t items_least = 0;  // of a Query: uniform from this number to `items`; 0: always `items`
  std::optional<SizeRange> item;
  std::vector<IndexChange> index_changes;  // of a write: by the table's indexes
  bool gathers = false;                    // queries every shard of the key
  // Of a write: whether its items are all new or all exist; nullopt: new on the first write.
  std::optional<bool> adds;
  Micros ttl = 0;        // from a write to the item's expiry; 0: never
  double fails = 0;      // part of its writes whose condition fails
  Micros cache = 0;      // how long a cache keeps the answer of a read
  Micros aggregate = 0;  // the time in which a queue combines writes of one key
  // Scan: its workers, items of a page (0: 1 MB), the duration of a page and the pause after it.
  int64_t segments = 1;
  int64_t page_items = 0;
  Micros page_time = kLabPageMicros;
  Micros pause = 0;
  // A transaction over several tables: its actions in each. `table` is that of the first member;
  // the transaction itself has no keys and items.
  std::vector<Access> members;
  bool only_checks = false;                 // of a member: it is a ConditionCheck
  std::optional<LatencyQuantiles> latency;  // of each attempt; nullopt: attempts take no time
  // SearchVectors: the vector index, and the bytes that a search is charged for.
  std::optional<size_t> vector_index;
  int64_t searched_bytes = 0;
  std::optional<BulkPut> bulk;  // BulkPutItems
  // Of a write: the vector indexes of the table whose entries it changes, a bit for each.
  uint32_t changed_vectors = 0;

  // Whether its requests consist of operations that are admitted by the throughput of tables, and
  // known when the request is made.
  bool has_operations() const { return operation != Operation::kScan && !vector_index && !bulk; }
};

// The members of a transaction over several tables; of any other access itself.
inline absl::Span<const Access> ListParts(const Access& access) {
  return access.members.empty() ? absl::MakeConstSpan(&access, 1)
                                : absl::MakeConstSpan(access.members);
}
inline bool UsesTable(const Access& access, size_t table) {
  const absl::Span<const Access> parts = ListParts(access);
  return std::any_of(parts.begin(), parts.end(),
                     [table](const Access& part) { return part.table == table; });
}

// How a client retries a throttled request. The default is that of the SDKs (api/facts/capacity.md
// §9): while the quota has tokens, it waits a random part of base × growth^(attempt - 1), at most
// `longest`.
enum class Jitter : uint8_t {
  kFull,   // from 0 to the whole wait
  kEqual,  // from half to the whole wait
  kNone    // always the whole wait
};
struct RetryRule {
  int64_t attempts = 4;
  Micros base = kSecond;
  double growth = 2;
  Micros longest = kLabRetryLongestMicros;
  Jitter jitter = Jitter::kFull;
  int64_t at_once = 0;  // so many retries, the first ones, have no wait
  int64_t quota = 500;  // 0: no quota
  // Whether it also limits how fast it sends, by the throttles that it meets.
  bool is_adaptive = false;
};

// A replay: the real requests of a trace instead of accesses, repeated in rounds.
struct RecordedTrace;
struct Replay {
  // The experiment's table or index for a resource of the trace.
  struct Target {
    size_t table = 0;
    std::optional<size_t> index;
    bool is_shared = false;  // all users have the same partition keys
  };

  std::shared_ptr<const RecordedTrace> trace;
  std::vector<Target> targets;  // by the trace's resources
  double speed = 1;
  int64_t users = 1;  // each of whom repeats the trace
  Micros spread = 0;  // the time within which users begin
  Micros period = 0;  // the length of a round at this speed
  int64_t rounds = 1;
};

// Assumptions about the service, which does not publish these figures or promises less.
struct Assumptions {
  Micros burst = CapacitySettings().burst;  // unused capacity is saved for so long
  Micros split_delay = HeatRule().delay;    // from when a partition is hot until its split
  // The read units a second of a partition whose reads are all eventually consistent.
  int64_t eventual_units = kPartitionReadUnits;
};

// Conditions of a trial that are stricter than the service; the defaults are the service's own.
struct Trial {
  double utilization = 1;  // the usable part of every limit
  bool saves = true;       // whether unused capacity is saved as burst capacity
  uint64_t placement = 0;  // each number places keys elsewhere, as if they had other names
};

// Defaults of advice: the part of an access that may be throttled, the usable part of every limit,
// the number of placements in which a design is tried, the part of them in which it has to serve,
// and the most shards that are tried.
inline constexpr double kAdviceThrottled = 0.001;
inline constexpr double kAdviceUtilization = 0.7;
inline constexpr int64_t kAdvicePlacements = 20;
inline constexpr int64_t kAdvicePlacementsMax = 1'000;
inline constexpr double kAdviceServes = 0.95;
inline constexpr int64_t kAdviceShardsMax = 1'000;

// A member of the experiment that advice may change.
struct OpenMember {
  enum class Kind : uint8_t {
    kBilling,      // of a table: on demand or provisioned
    kUnits,        // provisioned units of a table and of each of its indexes
    kAutoScaling,  // of provisioned units
    kWarm,         // on demand: the warm throughput of a table and of each of its indexes
    kMaximum,      // on demand: the owner's maximum of a table and of each of its indexes
    kIndexShards,
    kShards,       // of a key source
    kSuffix,       // of a key source: drawn, or the attribute from which it is calculated
    kConsistency,  // of an access that reads
    kCache,        // of an access that reads: a cache in front, for a second
    kReserved      // reserved capacity, for each term of the price list
  };

  Kind kind = Kind::kBilling;
  size_t table = 0;             // of members of a table
  std::optional<size_t> index;  // of kIndexShards
  size_t source = 0;            // of members of a key source
  size_t access = 0;            // of members of an access
  std::vector<int64_t> values;  // rising candidates: shards, or targets in percent; if empty,
  int64_t least = 1;            // shards from `least` to `most`
  int64_t most = kAdviceShardsMax;
};

// What advice may change, and when a design serves: if in the part `serves` of the placements at
// most the part `throttled` of any access's attempts is throttled, with `utilization` of every
// limit.
struct AdviceRequest {
  double throttled = kAdviceThrottled;
  double utilization = kAdviceUtilization;
  bool burst = false;  // whether a design may rely on burst capacity
  int64_t placements = kAdvicePlacements;
  double serves = kAdviceServes;
  std::vector<OpenMember> open;
};

// Expected results of a run; those that are set have to hold.
struct Expectations {
  std::optional<double> served;     // the least served part of each access's operations
  std::optional<Micros> p99;        // the highest p99 of each access's latencies
  std::optional<double> cost_most;  // the highest cost of a month
};

// How a day of a month is billed: as this run with `factor` of its load, or as a design's run.
struct DayKind {
  double factor = 1;
  std::string design;
};

// The most that is provisioned, scaled to, warm, or reserved of a kind.
inline constexpr int64_t kLabUnitsMax = 1'000'000'000;

// The units of a block of reserved capacity.
inline constexpr int64_t kReservedUnits = 100;

// Reserved capacity that the account has bought, for provisioned units of tables of class Standard.
// It only affects costs.
struct ReservedCapacity {
  std::string term;  // of the price list: "one year"
  // Whole blocks; nullopt: as many as cost less than they save.
  std::optional<PerKind<int64_t>> units;
};

struct Experiment {
  std::string title;
  std::string question;
  std::string expected;  // for people
  Expectations expect;
  std::string design;       // the name of this variant; empty if there is only one
  std::string description;  // of this variant
  std::string region;       // whose prices apply; empty: the first region of the price file
  // The days of which a month is composed.
  DayKind weekdays;
  DayKind weekends;
  std::optional<ReservedCapacity> reserved;
  uint64_t seed = 1;
  Micros duration = 0;
  Admission admission = Admission::kGlobal;
  bool splits = true;
  int nodes = 0;
  // The account's quotas in units a second: for each table and each index, and for the provisioned
  // units of all of them together.
  PerKind<int64_t> table_quota = {kTableThroughputMax, kTableThroughputMax};
  PerKind<int64_t> account_quota = {kAccountThroughputMax, kAccountThroughputMax};
  bool evenly = false;  // whether requests arrive at even distances instead of at random
  // One of `sample` requests is simulated, with limits divided by `sample`.
  int64_t sample = 1;
  std::vector<TableDesign> tables;
  std::vector<KeySource> sources;
  std::vector<Access> accesses;
  std::optional<Load> load;           // of all accesses without their own load
  RetryRule retry = {.attempts = 1};  // without a [client] there are no retries
  // With a replay there are no sources and no loads; accesses have only names, operations, targets.
  std::optional<Replay> replay;
  std::optional<AdviceRequest> advice;
  Assumptions assumed;
  Trial trial;

  // Whether some items of a table have no entry in an index, so that it is known of each.
  bool IsSparse(size_t table, size_t index) const {
    if (tables[table].indexes[index].entries.value_or(1) < 1) return true;
    const auto changes = [table, index](const Access& part) {
      if (part.table != table || part.index_changes.empty()) return false;
      const IndexChange change = part.index_changes[index];
      return change == IndexChange::kAdd || change == IndexChange::kRemove;
    };
    return std::any_of(accesses.begin(), accesses.end(), [&changes](const Access& access) {
      const absl::Span<const Access> parts = ListParts(access);
      return std::any_of(parts.begin(), parts.end(), changes);
    });
  }
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_EXPERIMENT_H_
