// What a table's partitions have done and can do, where its capacity is enforced.
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

// Of reads or of writes.
struct CapacityUse {
  double consumed = 0;  // units, since the partition began or the process did
  // What could be taken at once, units; below 0 after more was taken than there was.
  double level = 0;
  // The same of a partition's share of the throughput, and what is saved of that; nullopt where
  // throughput is not divided between partitions.
  std::optional<double> share_level;
  std::optional<double> saved_level;
  // Accesses that were refused, by reason (api/facts/capacity.md §6).
  uint64_t refused_provisioned = 0;
  uint64_t refused_key_range = 0;
  uint64_t refused_max_on_demand = 0;
  uint64_t refused_account = 0;
};

// Where a partition begins.
struct KeyPosition {
  // In hexadecimal digits: 16 of the hash, and behind them, if it is that of a key and not the
  // middle of hashes, the encoded key. Empty: before every key.
  std::string hex;
  // That key, of an item, or of a collection only; nullopt if it is none.
  std::optional<Item> key;
};

struct PartitionCapacity {
  uint64_t id = 0;
  uint64_t parent = 0;  // of which it is a half; 0 for those that the table began with
  KeyPosition begin;    // the next partition's is its end
  CapacityUse reads;
  CapacityUse writes;
  std::optional<absl::Time> split_at;  // if it has been found hot
};

struct SplitEvent {
  absl::Time at;  // when it was seen
  uint64_t parent = 0;
  uint64_t low = 0;  // before the boundary
  uint64_t high = 0;
  KeyPosition boundary;
};

// Of the table or of one global index.
struct ThroughputCapacity {
  std::string index_name;  // empty: of the table
  bool on_demand = false;
  // Provisioned, or what is served at once on demand; units a second, before they are scaled.
  int64_t read_units = 0;
  int64_t write_units = 0;
  // What all partitions together could take at once, units.
  double read_level = 0;
  double write_level = 0;
  std::vector<PartitionCapacity> partitions;  // in the order of their keys
  // Of this process, oldest first; at most kPastSplitsMax.
  std::vector<SplitEvent> splits;
};

struct CapacityReport {
  std::string table_name;
  CapacityOptions options;
  // Of what has been used since capacity is enforced.
  std::vector<ThroughputCapacity> throughputs;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_CAPACITY_REPORT_H_
