// The resources of its machine or container that a server can use. A server that exceeds them is
// killed, or cannot start the threads that it needs.
#ifndef DYNOLITH_TOOLS_SERVER_SERVE_LIMITS_H_
#define DYNOLITH_TOOLS_SERVER_SERVE_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace dynolith {

// The requested limits.
struct AskedLimits {
  bool has_folder = false;         // the store is in files
  bool has_databases = false;      // there may be others than the first
  size_t databases_open = 0;       // at once; 0: as the memory budget allows
  size_t memory_budget_bytes = 0;  // 0: none
  std::optional<size_t> cache_bytes;
  std::optional<size_t> item_cache_bytes;
  int loops = 0;  // 0: the number of usable processors
};

struct ServeLimits {
  // The limit at which the system kills this process; 0: unknown.
  uint64_t memory_bytes = 0;
  // The limit for requests that are being received, and for answers that are being sent.
  size_t request_bytes = 0;
  // The requested budget; else, for a store in files without a setting of a part, half of the
  // memory of a small container; 0: none.
  size_t memory_budget_bytes = 0;
  // Whether the budget was chosen, not requested.
  bool has_own_budget = false;
  // The parts of the first database and of each one with a name, and how many of these may be open:
  // half of the budget is theirs, unless a part was set. 0: there is no budget, or no bound.
  size_t first_budget_bytes = 0;
  size_t named_budget_bytes = 0;
  size_t databases_open = 0;
  int loops = 1;
  // Workers for writes that wait for the disk.
  int waiting_workers = 1;
};

// `root`: the folder of /proc and /sys, for tests. Errors: kInvalidArgument (the requested budget
// is too small for its parts).
absl::StatusOr<ServeLimits> FindServeLimits(const AskedLimits& asked, const std::string& root = "");

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_SERVE_LIMITS_H_
