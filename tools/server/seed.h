// Loads files before a server's first call.
#ifndef DYNOLITH_TOOLS_SERVER_SEED_H_
#define DYNOLITH_TOOLS_SERVER_SEED_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "dynolith/capacity_options.h"
#include "dynolith/database.h"
#include "tools/files/load_designs.h"

namespace dynolith {

struct SeedOptions {
  std::vector<std::string> files;
  designs::ReadOptions read;
  designs::RegionTarget in_region;  // as LoadOptions has it
  // The capacity settings of tables after their items are loaded; until then nothing is throttled.
  CapacityOptions capacity;
  // Makes tables and replicas active; empty: they become active by themselves.
  std::function<void()> wait;
  // Asked before each item, and while a call waits: whether to stop. nullptr: never.
  bool (*is_over)() = nullptr;
};

// Whether the files can be read, but those of items. Prints their errors on standard error, and
// returns an error if it printed one.
absl::Status CheckSeeds(const SeedOptions& options);

// Loads the tables that do not exist; an existing one keeps its items. Prints warnings and errors
// on standard error. Returns an error if it printed one, kCancelled if `is_over` stopped it.
absl::Status Seed(const SeedOptions& options, Database* database);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_SEED_H_
