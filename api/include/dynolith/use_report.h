// The consumption of tables and indexes since the database was opened, where it is counted
// (DatabaseOptions::count_use).
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_USE_REPORT_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_USE_REPORT_H_

#include <cstdint>
#include <string>

namespace dynolith {

// For reads or for writes.
struct UseCount {
  // Units, as answers report them: for a put or deletion that reads nothing, by the written size.
  double consumed = 0;
  // Refused accesses, by reason (api/facts/capacity.md §6).
  uint64_t refused_provisioned = 0;
  uint64_t refused_key_range = 0;
  uint64_t refused_max_on_demand = 0;
  uint64_t refused_account = 0;
};

// For a table or for one of its global indexes.
struct UseReport {
  std::string table_name;
  std::string index_name;  // empty: the table
  UseCount reads;
  UseCount writes;
  // Provisioned units a second; 0: on demand.
  int64_t provisioned_read_units = 0;
  int64_t provisioned_write_units = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_USE_REPORT_H_
