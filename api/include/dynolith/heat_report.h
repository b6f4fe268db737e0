// The distribution of a table's or an index's accesses over hashes and time, while it is recorded
// (Database::WatchHeat): the figures of a heat map.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_HEAT_REPORT_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_HEAT_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace dynolith {

// For reads or for writes.
struct HeatUse {
  uint64_t operations = 0;  // served accesses
  double units = 0;
  uint64_t bytes = 0;  // bytes of items and entries that were read or written
  // Refused accesses, by reason (api/facts/capacity.md §6).
  uint64_t refused_provisioned = 0;
  uint64_t refused_key_range = 0;
  uint64_t refused_max_on_demand = 0;
  uint64_t refused_account = 0;
};

// For one of HeatReport::buckets equal parts of the hashes of partition keys.
struct HeatCell {
  size_t bucket = 0;
  uint64_t operations = 0;
  double units = 0;
  uint64_t throttled = 0;
  uint64_t bytes = 0;
};

struct HeatTime {
  absl::Time begin;
  HeatUse reads;
  HeatUse writes;
  std::vector<HeatCell> cells;  // buckets with accesses, in their order
};

struct HeatReport {
  std::string table_name;
  std::string index_name;  // empty: the table
  bool is_watched = false;
  absl::Time now;  // on the database's clock, as all times here
  // The length of a slot of time, the number of slots kept, and the number of parts of the hashes.
  absl::Duration slot;
  size_t slots = 0;
  size_t buckets = 0;
  // Slots with accesses, oldest first; the last one may still grow.
  std::vector<HeatTime> times;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_HEAT_REPORT_H_
