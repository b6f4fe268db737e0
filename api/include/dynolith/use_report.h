// What tables and indexes have given since the database was opened, where that is counted
// (DatabaseOptions::count_use).
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_USE_REPORT_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_USE_REPORT_H_

#include <cstdint>
#include <string>

namespace dynolith {

// Of reads or of writes.
struct UseCount {
  // Units, as answers report them: of a put or deletion that looks at nothing, by what is written.
  double consumed = 0;
  // Accesses that were refused, by reason (api/facts/capacity.md §6).
  uint64_t refused_provisioned = 0;
  uint64_t refused_key_range = 0;
  uint64_t refused_max_on_demand = 0;
  uint64_t refused_account = 0;
};

// Of a table or of one of its global indexes.
struct UseReport {
  std::string table_name;
  std::string index_name;  // empty: of the table
  UseCount reads;
  UseCount writes;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_USE_REPORT_H_
