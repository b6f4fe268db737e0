// Databases of one process as regions of one service, whose tables may have replicas in each other
// (global tables of version 2019.11.21, eventually or strongly consistent).
//
//   auto regions = dynolith::Regions::Make();
//   auto east = Database::Open({.in_memory = true, .region = "us-east-1", .regions =
//   regions.get()}); auto west = Database::Open({.in_memory = true, .region = "us-west-2", .regions
//   = regions.get()});
//   (*east)->UpdateTable(…);  // ReplicaUpdates: Create us-west-2
//
// Changes go over in the background, once they are due by the clock of the region that has made
// them. When a ManualClock is advanced, those that are due then have arrived on return. Of a table
// with MultiRegionConsistency STRONG a write is in the other regions before its answer, or, for
// regions that a lag or a cut keeps from it, before their next strongly consistent read or write.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_REGIONS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_REGIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace dynolith {

// When changes arrive in another region: a time after they were made, between both bounds.
struct ReplicaLag {
  absl::Duration least;
  absl::Duration most;  // above `least`: random for each change, by the seed
  uint64_t seed = 0;
  bool is_paused = false;  // until this is set again or released, none arrives
};

// The changes of one region for another.
struct ReplicaLink {
  std::string from;
  std::string to;
  ReplicaLag lag;
  bool is_cut = false;  // by SetCut
  int64_t pending = 0;
  std::optional<absl::Time> oldest;  // of those
  // Since the regions were opened: those that arrived, and those of them that a later write has
  // made ineffective.
  int64_t arrived = 0;
  int64_t lost = 0;
};

// A table with replicas.
struct GlobalTable {
  std::string name;
  bool is_strong = false;
  std::vector<std::string> regions;  // those that are open
  std::string witness;               // its region; empty: none
};

// Thread-safe. Outlives the databases. Of the process that made it: a child after fork() makes its
// own, and every call here that has a status is an AccessDeniedException there.
class Regions {
 public:
  static std::unique_ptr<Regions> Make();
  virtual ~Regions() = default;

  // Empty names: all regions. For links that are there now or later. Errors: kInvalidArgument for
  // bounds that are negative or in the wrong order.
  virtual absl::Status SetLag(std::string_view from, std::string_view to,
                              const ReplicaLag& lag) = 0;
  // Whether nothing goes to or comes from that region, which may be that of a witness. Then its
  // strongly consistent reads of strong tables, and its writes, are ServiceUnavailable.
  virtual void SetCut(std::string_view region, bool is_cut) = 0;
  // For how long after a write of a strong table it counts as being under way: a write of that item
  // in another region is a ReplicatedWriteConflictException until then, by the clocks of versions.
  // Zero, as in the beginning: writes wait for each other. Errors: kInvalidArgument for less.
  virtual absl::Status SetOverlap(absl::Duration overlap) = 0;
  // No lag, no pause, no cut, no overlap: what is pending becomes due.
  virtual void Release() = 0;
  // How far the clock of a region is ahead of the others when it decides which write is the last.
  // Errors: kNotFound if it is not open.
  virtual absl::Status SetSkew(std::string_view region, absl::Duration skew) = 0;

  // Returns when everything that is due has arrived. Errors: the first failure since the last call;
  // what has failed is tried again.
  virtual absl::Status Settle() = 0;
  // O(pending). Errors: the stores'.
  virtual absl::StatusOr<std::vector<ReplicaLink>> Report() const = 0;
  // By name. O(tables).
  virtual absl::StatusOr<std::vector<GlobalTable>> Tables() const = 0;
  // Whether the text of a call has the name of a strong table that has been read or written since
  // the regions were made: such calls may wait for each other. It may mean something else there.
  virtual bool NamesStrong(std::string_view call) const = 0;
  // How many writes of that region were refused for a conflict since it was opened; 0 if it is not.
  virtual int64_t Conflicts(std::string_view region) const = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_REGIONS_H_
