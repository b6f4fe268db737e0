// A server's figures at one moment: its parsed answers below /_dynolith/.
#ifndef DYNOLITH_TOOLS_PROGRAM_TOP_TOP_SAMPLE_H_
#define DYNOLITH_TOOLS_PROGRAM_TOP_TOP_SAMPLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/client/admin_call.h"

namespace dynolith {

struct TopSample {
  struct Operation {
    std::map<std::string, double> outcomes;
    std::map<double, double> latencies;  // bound in seconds -> calls up to it
  };
  struct Use {
    double reads = 0;  // units
    double writes = 0;
    std::map<std::string, double> throttled;  // "write key_range" -> accesses
  };
  struct Partition {
    double reads = 0;  // units
    double writes = 0;
    double read_level = 0;
    double write_level = 0;
    double split_at = 0;  // seconds since 1970; 0: no split is due
  };
  struct Index {
    double shards = 1;
    double moving_to = 0;  // 0: not moving
    std::string filling;   // empty: nothing is to be filled
    double filled = 0;     // of "rows", from 0 to 1
  };
  struct Heat {
    double amount = 0;  // units, or throttled accesses
    double error = 0;
  };
  // Of one region's changes for another.
  struct Link {
    double pending = 0;
    double behind = 0;  // seconds since the oldest of those was made
    double arrived = 0;
    double lost = 0;  // of those, to a later write
    bool is_cut = false;
    bool is_paused = false;
  };
  struct Region {
    double tables = 0;
    double conflicts = 0;
  };
  using TableAndIndex = std::pair<std::string, std::string>;

  absl::Time taken;
  double connections = 0;
  std::map<std::string, Operation> operations;
  std::map<TableAndIndex, Use> uses;
  std::map<std::pair<TableAndIndex, int64_t>, Partition> partitions;
  std::map<TableAndIndex, Index> indexes;
  std::vector<TableAndIndex> waiting_tags;  // tags for shards without an index
  // By the regions from which and to which they go; empty, as the next, for a server of one region.
  std::map<std::pair<std::string, std::string>, Link> links;
  std::map<std::string, Region> regions;
  // By a key as JSON.
  using HotKeys = std::map<std::pair<TableAndIndex, std::string>, Heat>;
  bool watches_keys = false;
  HotKeys accessed;  // partition keys
  HotKeys throttled;
  // Of tables and indexes with a sort key.
  HotKeys accessed_items;
  HotKeys throttled_items;
};

// Each adds the parsed figures. Unknown figures of a newer server are skipped; other text is
// ignored.
void ReadMetrics(std::string_view text, TopSample* sample);
void ReadCapacity(std::string_view json, TopSample* sample);
void ReadIndexes(std::string_view json, TopSample* sample);
void ReadHotKeys(std::string_view json, TopSample* sample);
void ReadRegions(std::string_view json, TopSample* sample);

// Asks the server at that address. Errors: those of client::CallAdmin.
absl::StatusOr<TopSample> TakeTopSample(const client::AdminServer& server);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_TOP_TOP_SAMPLE_H_
