// What a server may take of the machine or the container that it runs in: a server that takes more
// is killed, or cannot start the threads that it counts on.
#ifndef DYNOLITH_TOOLS_SERVER_SERVE_LIMITS_H_
#define DYNOLITH_TOOLS_SERVER_SERVE_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace dynolith {

// What was asked for.
struct AskedLimits {
  bool has_folder = false;         // the store is in files
  size_t memory_budget_bytes = 0;  // 0: none
  std::optional<size_t> cache_bytes;
  std::optional<size_t> item_cache_bytes;
  int loops = 0;  // 0: as many as there are processors to use
};

struct ServeLimits {
  // At which the system ends this process; 0: it is not known.
  uint64_t memory_bytes = 0;
  // Of requests that are being received, and of answers that are being sent, each.
  size_t request_bytes = 0;
  // The one that was asked for; else half of what a small container has for a store in files, where
  // no part was given by itself; 0: none.
  size_t memory_budget_bytes = 0;
  // Whether that was not asked for.
  bool has_own_budget = false;
  int loops = 1;
  // Of writes that wait for the disk, where there are such.
  int waiting_workers = 1;
};

// `root`: where /proc and /sys are found, for tests. Errors: kInvalidArgument (the budget that was
// asked for is too small for its parts).
absl::StatusOr<ServeLimits> FindServeLimits(const AskedLimits& asked, const std::string& root = "");

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_SERVE_LIMITS_H_
