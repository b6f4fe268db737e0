// What a table's partitions have done and can do, where its capacity is enforced.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_CAPACITY_REPORT_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_CAPACITY_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "dynolith/capacity_options.h"

namespace dynolith {

// Of reads or of writes.
struct CapacityUse {
  double consumed = 0;  // units, since the partition began or the process did
  // What could be taken at once, units; below 0 after more was taken than there was.
  double level = 0;
  // Accesses that were refused, by reason (api/facts/capacity.md §6).
  uint64_t refused_provisioned = 0;
  uint64_t refused_key_range = 0;
  uint64_t refused_max_on_demand = 0;
  uint64_t refused_account = 0;
};

struct PartitionCapacity {
  uint64_t id = 0;
  uint64_t parent = 0;  // of which it is a half; 0 for those that the table began with
  // Its first position in hexadecimal digits: 16 of the hash, and behind them, if it begins within
  // an item collection, the encoded key. Empty for the first partition.
  std::string begin;
  CapacityUse reads;
  CapacityUse writes;
  std::optional<absl::Time> split_at;  // if it has been found hot
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
};

struct CapacityReport {
  CapacityOptions options;
  // Of what has been used since capacity is enforced.
  std::vector<ThroughputCapacity> throughputs;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_CAPACITY_REPORT_H_
