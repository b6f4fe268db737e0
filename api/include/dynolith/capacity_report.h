// The past and present use of a table's partitions, where its capacity is enforced.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_CAPACITY_REPORT_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_CAPACITY_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "dynolith/capacity_options.h"
#include "engine/value/item.h"

namespace dynolith {

// For reads or for writes.
struct CapacityUse {
  double consumed = 0;  // units, since the partition began or the process did
  // Units available at once; below 0 after an overdraft.
  double level = 0;
  // The same for a partition's share of the throughput, and for its saved units; nullopt where
  // throughput is not divided between partitions.
  std::optional<double> share_level;
  std::optional<double> saved_level;
  // Refused accesses, by reason (api/facts/capacity.md §6).
  uint64_t refused_provisioned = 0;
  uint64_t refused_key_range = 0;
  uint64_t refused_max_on_demand = 0;
  uint64_t refused_account = 0;
};

// The beginning of a partition.
struct KeyPosition {
  // Hexadecimal digits: 16 of the hash, followed by the encoded key unless the position is only a
  // hash. Empty: before every key.
  std::string hex;
  // The key, of an item or of a collection; nullopt if the position is only a hash.
  std::optional<Item> key;
};

struct PartitionCapacity {
  uint64_t id = 0;
  uint64_t parent = 0;  // the partition of which it is a half; 0 for a table's initial ones
  KeyPosition begin;    // the next partition's is its end
  CapacityUse reads;
  CapacityUse writes;
  std::optional<absl::Time> split_at;  // if it has been found hot
};

struct SplitEvent {
  absl::Time at;  // time of detection
  uint64_t parent = 0;
  uint64_t low = 0;  // before the boundary
  uint64_t high = 0;
  KeyPosition boundary;
};

// For the table or for one global index.
struct ThroughputCapacity {
  std::string index_name;  // empty: the table
  bool on_demand = false;
  // Provisioned, or served at once on demand; units a second, before scaling.
  int64_t read_units = 0;
  int64_t write_units = 0;
  // Units that all partitions together could take at once.
  double read_level = 0;
  double write_level = 0;
  std::vector<PartitionCapacity> partitions;  // in the order of their keys
  // Those of this process, oldest first; at most kPastSplitsMax.
  std::vector<SplitEvent> splits;
};

struct CapacityReport {
  std::string table_name;
  CapacityOptions options;
  // Those that have been used since capacity is enforced.
  std::vector<ThroughputCapacity> throughputs;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_CAPACITY_REPORT_H_
